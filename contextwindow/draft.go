package contextwindow

import (
	_ "embed" // the instruction
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/identifier"
	"github.com/forayhq/foray/toollimit"
)

// The rules of a summary by a model.
const (
	draftMark    = .75 // of the budget: from here on a summary is prepared
	summaryShare = .40 // of what it replaces, at most
	summaryKeeps = .90 // of the names that it must keep, at least
	summaryNames = 40  // names that it must keep, at most
)

//go:embed prompts/summary.md
var summaryInstruction string

var summaryHeadings = []string{
	"Goal", "Constraints", "Established", "Done", "Failed", "Files and symbols", "Open questions", "Next step",
}

// A Draft is what a model may be asked to summarise: what the next compaction would evict. The caller sends the
// window's prefix and Messages, and gives the answer to [Window.Adopt].
type Draft struct {
	Steps    []int                // units that would be evicted, ascending
	Messages []transcript.Message // the view, which a provider may have cached, and the instruction; must not be modified
	Tokens   int                  // raw estimate of the units; the summary may take two fifths of it
	Names    []string             // identifiers; the summary must hold nine tenths of them
}

var errStale = errors.New("the units of the draft have changed")

// Draft returns what a model may be asked to summarise. It returns false below three quarters of the budget, under a
// profile without two marks, while the service compacts, and once a summary of the same units was adopted. The caller
// keeps track of drafts in progress.
func (w *Window) Draft() (Draft, bool) {
	m := w.policy.marks
	if m == nil || w.view.first != nil || float64(w.meter.tokens()) < draftMark*float64(w.limit) {
		return Draft{}, false
	}
	e := m.evictToLow(w.state, w.meter.fixed+w.shareOf(m.lowShare(w.state)))
	if e == nil || slices.ContainsFunc(w.evicted.summary.steps, w.evictable) {
		return Draft{}, false
	}
	d := Draft{Steps: e.Steps, Names: w.units.frequentNames(e.Steps)}
	for _, step := range e.Steps {
		d.Tokens += w.view.slots[w.view.find(step)].tokens
	}
	text := fmt.Sprintf("%s\nAt most %d words. Name each of these, as far as it still matters: %s\n",
		summaryInstruction, roomOf(d.Tokens, summaryShare)/2, strings.Join(d.Names, " "))
	instruction := transcript.Message{Role: transcript.User, Text: text, Origin: transcript.Runtime}
	d.Messages = append(slices.Clone(w.view.handOut()), instruction)
	return d, true
}

// frequentNames returns the names in the arguments of calls of units, the most frequent first.
func (u *units) frequentNames(steps []int) []string {
	count := make(map[string]int)
	var names []string
	for _, step := range steps {
		for _, call := range u.calls(step) {
			for name := range identifier.All(string(call.Args)) {
				if count[name]++; count[name] == 1 {
					names = append(names, name)
				}
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return count[b] - count[a] })
	return names[:min(len(names), summaryNames)]
}

// Adopt takes the summary that a model wrote for a draft. Once a compaction has evicted the units of the draft, the
// digest shows the summary before its own lines, until another summary replaces it or the stage ends. Adopt returns
// an error and changes nothing if units of the draft have left the view, or if the summary is incomplete, too long,
// or lacks names that it must keep.
func (w *Window) Adopt(d Draft, summary string) error {
	if err := w.view.shows(d.Steps, w.prompt); err != nil {
		return fmt.Errorf("%w: %w", errStale, err)
	}
	summary = strings.TrimSpace(toValid(summary))
	if err := d.check(summary); err != nil {
		return fmt.Errorf("summary refused: %w", err)
	}
	w.do(&Edit{Op: opSummary, Cause: "summary", Steps: slices.Clone(d.Steps), Text: summary})
	return nil
}

func (d *Draft) check(text string) error {
	if len(d.Steps) == 0 {
		return errors.New("the draft covers no units")
	}
	rest := text
	for _, heading := range summaryHeadings {
		_, after, found := strings.Cut(rest, "## "+heading)
		if !found {
			return fmt.Errorf("heading %q is missing or out of order", heading)
		}
		rest = after
	}
	if strings.TrimSpace(rest) == "" {
		return fmt.Errorf("nothing under %q", summaryHeadings[len(summaryHeadings)-1])
	}
	if tokens, most := toollimit.Tokens(text), roomOf(d.Tokens, summaryShare); tokens > most {
		return fmt.Errorf("%d tokens, at most %d allowed", tokens, most)
	}
	kept := func(name string) bool { return strings.Contains(text, name) }
	missing := slices.DeleteFunc(slices.Clone(d.Names), kept)
	if float64(len(missing)) > (1-summaryKeeps)*float64(len(d.Names))+1e-9 {
		return fmt.Errorf("%d of %d names are missing: %s", len(missing), len(d.Names), strings.Join(missing, " "))
	}
	return nil
}
