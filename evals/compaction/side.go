package compaction

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/recording"
	"github.com/forayhq/foray/internal/line"
)

// A Side is one run under several policies, side by side.
type Side struct {
	ID       string       `json:"id"`
	Tokens   int          `json:"tokens"`   // of the whole run, system prompt included
	Requests int          `json:"requests"` // that the run made
	Columns  []sideColumn `json:"columns"`
}

// A sideColumn has the figures of one policy at one budget. A run that fits is played as well: then nothing is lost.
type sideColumn struct {
	policyRow
	Irreducible bool       `json:"irreducible,omitempty"` // system prompt and user messages leave no room
	Losses      []sideLoss `json:"losses,omitempty"`      // in the order of requests
}

// A sideLoss is what an action of the run repeats or refers to, and the request that a policy would have sent before it
// does not show.
type sideLoss struct {
	Request int      `json:"request"` // from 1
	Action  string   `json:"action"`  // the calls
	Missing []string `json:"missing"` // identifiers and lines
}

// SideBySide plays the policies of cfg at each of its budgets on one conversation. Its Split and Options are ignored.
// It returns an error for messages that make no request, and errors of the context and of a window.
func SideBySide(
	ctx context.Context, id, system string, messages []transcript.Message, cfg Config,
) (*Side, error) {
	p, err := cfg.plan()
	if err != nil {
		return nil, err
	}
	s := prepare(recording.New(id, system, messages), p.counter)
	if len(s.targets) == 0 {
		return nil, fmt.Errorf("%s has no answer of a model: there is no request to compare", id)
	}
	fixed, whole := s.sizes()
	side := &Side{ID: id, Tokens: whole, Requests: len(s.targets)}
	for _, budget := range cfg.Budgets {
		for _, named := range p.policies {
			column := sideColumn{policyRow: policyRow{Policy: named.Name, Budget: budget}}
			if column.Irreducible = float64(fixed) > irreducibleAbove*float64(budget); !column.Irreducible {
				y, err := play(ctx, s, named, budget, cfg.Now)
				if err != nil {
					return nil, fmt.Errorf("%s at %d: %w", named.Name, budget, err)
				}
				column.policyRow = newRow(entrant{named, budget}, id, y)
				column.Losses = s.losses(y.lost)
			}
			side.Columns = append(side.Columns, column)
		}
	}
	return side, nil
}

// A lost is what a view lacks of a target.
type lost struct {
	target     *target
	request    int
	ids, lines []int
}

// losses names what views lack.
func (s *script) losses(all []lost) (losses []sideLoss) {
	names := func(v vocabulary) []string {
		list := make([]string, len(v))
		for name, n := range v {
			list[n] = name
		}
		return list
	}
	ids, lines := names(s.ids), names(s.lines)
	for _, l := range all {
		loss := sideLoss{Request: l.request}
		var calls []string
		for _, c := range s.Units[l.target.unit][0].Calls {
			calls = append(calls, c.Name+" "+string(c.Args))
		}
		loss.Action = strings.Join(calls, "; ")
		for _, n := range l.ids {
			loss.Missing = append(loss.Missing, ids[n])
		}
		for _, n := range l.lines {
			loss.Missing = append(loss.Missing, lines[n])
		}
		losses = append(losses, loss)
	}
	return losses
}

// sideRows are the figures of the table, by their names for people.
var sideRows = []struct {
	name string
	of   func(c *sideColumn) string
}{
	{"compactions", func(c *sideColumn) string { return line.Number(c.Compactions) }},
	{"largest request, tokens", func(c *sideColumn) string { return line.Number(c.MaxTokens) }},
	{"sent in all, tokens", func(c *sideColumn) string { return line.Number(c.Sent) }},
	{"of that, a prefix sent before", func(c *sideColumn) string { return line.Percent(c.PrefixRatio) }},
	{"cost, in uncached tokens", func(c *sideColumn) string { return line.Number(int(c.Cost)) }},
	{"cost with what must be read again", func(c *sideColumn) string { return line.Number(int(c.EffectiveCost)) }},
	{"results seen at first, up to 4,000 tokens", func(c *sideColumn) string { return line.Percent(c.Sight4k) }},
	{"names seen that calls refer to", func(c *sideColumn) string { return line.Percent(c.VisibleRecall) }},
	{"lines seen that calls repeat", func(c *sideColumn) string { return line.Percent(c.LineRecall) }},
	{"requests that lack something", func(c *sideColumn) string { return line.Number(len(c.Losses)) }},
}

// How many losses, and of what length in runes, the text shows.
const (
	sideLosses  = 8
	sideMissing = 3
	sideRunes   = 90
)

// WriteMarkdown writes the table, and the first losses of each policy.
func (s *Side) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s, replayed\n\nThe run has %s tokens and made %s.\n\n| |", line.Flat(s.ID),
		line.Number(s.Tokens), line.Count(s.Requests, "request"))
	rule := "\n|---|"
	for _, c := range s.Columns {
		fmt.Fprintf(&b, " %s at %s |", c.Policy, line.Number(c.Budget))
		rule += "---|"
	}
	b.WriteString(rule + "\n")
	for _, row := range sideRows {
		fmt.Fprintf(&b, "| %s |", row.name)
		for i := range s.Columns {
			c := &s.Columns[i]
			if c.Irreducible {
				b.WriteString(" – |")
				continue
			}
			fmt.Fprintf(&b, " %s |", row.of(c))
		}
		b.WriteString("\n")
	}
	for i := range s.Columns {
		s.Columns[i].writeLosses(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (c *sideColumn) writeLosses(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s at %s tokens\n\n", c.Policy, line.Number(c.Budget))
	switch {
	case c.Irreducible:
		b.WriteString("Not played: the system prompt and what the user wrote leave no room.\n")
		return
	case len(c.Losses) == 0:
		b.WriteString("Every request shows what the next action refers to.\n")
		return
	}
	b.WriteString("What the next action refers to, and the request does not show:\n\n")
	for _, l := range c.Losses[:min(len(c.Losses), sideLosses)] {
		var missing []string
		for _, m := range l.Missing[:min(len(l.Missing), sideMissing)] {
			missing = append(missing, "`"+line.Truncate(line.Flat(m), sideRunes)+"`")
		}
		more := ""
		if n := len(l.Missing) - len(missing); n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		fmt.Fprintf(b, "- request %d, before `%s`: %s%s\n", l.Request, line.Truncate(line.Flat(l.Action), sideRunes),
			strings.Join(missing, ", "), more)
	}
	if n := len(c.Losses) - sideLosses; n > 0 {
		fmt.Fprintf(b, "- and %s (--format json has all)\n", line.Count(n, "more request"))
	}
}
