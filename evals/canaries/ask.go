package canaries

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/planted"
	"github.com/forayhq/foray/evals/internal/policy"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
)

// Conditions under which a model is asked to fill gaps.
const (
	fromView    = "view"    // after the last view of a policy
	fromList    = "list"    // after nothing but the sentences
	fromFull    = "full"    // after the sentences and the newest messages that the budget has room for
	fromNothing = "nothing" // after nothing: how often a guess is right
)

// gapText replaces the value.
const gapText = "___"

// maxAnswer bounds an answer, in tokens. The longest value takes 20.
const maxAnswer = 32

// A gap is a sentence that the user said, without its value.
type gap struct {
	*item
	question string
}

// An asker asks a model about sessions.
type asker struct {
	*plan
	report *AskReport
}

// Ask lets a model fill gaps in what the user said in short messages and beside pastes, the oldest first, after a
// policy's last view, after a clean list of all these sentences, after this list and the newest messages that fill the
// budget, which no policy can better, and after nothing. Questions after the same view follow each other, so that a
// server reads the view once. With an error it returns what was answered until then.
func Ask(ctx context.Context, cfg Config) (*AskReport, error) {
	if cfg.Model == nil {
		return nil, errors.New("asking: no model")
	}
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	plan, err := cfg.plan()
	if err != nil {
		return nil, err
	}
	info := cfg.Model.Info()
	a := &asker{plan, &AskReport{Suite: "canaries-ask", Model: info.Provider + "/" + info.Name, Noise: cfg.noise.name,
		Split: cfg.Split, Seed: cfg.Seed, Rows: []askRow{}}}
	specs, err := cfg.specs()
	if err != nil {
		return a.report, err
	}
	perBudget := len(specs) / len(cfg.Budgets)
	left := 0
	for i, s := range specs {
		at := i % perBudget
		if at == 0 {
			left = cfg.Gaps
		}
		n := (left + perBudget - at - 1) / (perBudget - at)
		asked, err := a.session(ctx, s, n, fmt.Sprintf("%s (%d of %d)", s.id(), i+1, len(specs)))
		if err != nil {
			return a.report, err
		}
		left -= asked
	}
	return a.report, nil
}

// session asks at most n gaps of a session under each condition, and returns how many it has.
func (a *asker) session(ctx context.Context, b *spec, n int, name string) (int, error) {
	s := b.session()
	own := slices.DeleteFunc(slices.Clone(s.items), func(i *item) bool { return !i.own() })
	all := gapsOf(own, b.phrasebook)
	gaps := all[:min(n, len(all))]
	list := b.list
	for _, g := range all {
		list += "\n- " + g.Text
	}
	for _, p := range a.policies {
		view, err := lastView(ctx, s, p)
		if err != nil {
			return 0, err
		}
		if err := a.condition(ctx, condition{fromView, p.Name, view, s, name}, gaps); err != nil {
			return 0, err
		}
	}
	noted := []transcript.Message{{Role: transcript.User, Text: list}, {Role: transcript.Assistant, Text: "OK."}}
	for _, c := range []condition{{fromList, "", noted, s, name}, {fromFull, "", s.after(noted), s, name}} {
		if err := a.condition(ctx, c, gaps); err != nil {
			return 0, err
		}
	}
	return len(gaps), a.condition(ctx, condition{fromNothing, "", nil, s, name}, gaps)
}

// after returns messages and, after them, the newest turns of the session that the budget has room for.
func (s *session) after(messages []transcript.Message) []transcript.Message {
	room := s.budget - toollimit.Tokens(s.system) - size(messages)
	from := len(s.units)
	for i, u := range slices.Backward(s.units) {
		if room -= size(u); room < 0 {
			break
		}
		if u[0].Role == transcript.User {
			from = i
		}
	}
	for _, u := range s.units[from:] {
		messages = append(slices.Clip(messages), u...)
	}
	return messages
}

// gapsOf returns sentences as gaps, the oldest first.
func gapsOf(items []*item, b *phrasebook) (gaps []gap) {
	items = slices.Clone(items)
	slices.SortFunc(items, func(x, y *item) int { return cmp.Compare(x.at, y.at) })
	for _, i := range items {
		at := planted.IndexToken(i.Text, i.Value)
		sentence := i.Text[:at] + gapText + i.Text[at+len(i.Value):]
		gaps = append(gaps, gap{i, b.ask + "\n\n" + sentence})
	}
	return gaps
}

// lastView plays a session and returns its last view.
func lastView(ctx context.Context, s *session, p policy.Named) ([]transcript.Message, error) {
	kept := p.New(s.setting())
	for i, u := range s.units {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if u[0].Role == transcript.Assistant {
			if _, err := kept.View(); err != nil {
				return nil, fmt.Errorf("view before unit %d of %s: %w", i, s.id, err)
			}
		}
		if err := kept.Feed(slices.Clone(u)); err != nil {
			return nil, fmt.Errorf("feeding unit %d of %s: %w", i, s.id, err)
		}
	}
	return kept.View()
}

// A condition is what a model sees before the question.
type condition struct {
	name    string
	policy  string // of a view
	before  []transcript.Message
	session *session
	title   string // of the session
}

// calledTools are what the calls of a session name. They cannot be called in an answer.
var calledTools = []transcript.ToolSchema{
	{Name: "read_file", Description: "Read a file.",
		Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)},
	{Name: "run", Description: "Run a command.",
		Schema: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}}}`)},
}

// condition asks all gaps after the same messages.
func (a *asker) condition(ctx context.Context, c condition, gaps []gap) error {
	lines := (&checker{session: &session{}}).read(c.before, 0)
	a.write("==== %s, %s %s\n\n%s\n", c.title, c.name, c.policy, written(c.before))
	correct := 0
	for _, g := range gaps {
		zero := 0.0
		req := &providers.Request{System: c.session.system, MaxOutput: maxAnswer, Temperature: &zero,
			Messages: append(slices.Clone(c.before), transcript.Message{Role: transcript.User, Text: g.question})}
		if c.name == fromView || c.name == fromFull {
			req.Tools, req.Choice = calledTools, providers.None
		}
		response, err := providers.Ask(ctx, a.Model, req)
		if err != nil && providers.ClassOf(err) != providers.TooLong { // what arrived is the answer
			return fmt.Errorf("asking after %s of %s: %w", c.name, c.session.id, err)
		}
		answer := strings.TrimSpace(response.Message.Text)
		visible := g.judge(lines).Alive
		verdict := g.mark(answer)
		a.report.row(c.session.budget, c.name, c.policy).count(verdict, visible)
		if verdict == right {
			correct++
		}
		a.write("-- %s, %s, said %d tokens before the end, visible: %t\nsentence: %s\nanswer:   %q\nverdict:  %s\n\n",
			g.kind, g.carrier, c.session.tokens-g.at, visible, g.Text, answer, verdict)
	}
	if a.Say != nil {
		a.Say(strings.TrimSpace(fmt.Sprintf("%s, %s %s", c.title, c.name, c.policy)) +
			fmt.Sprintf(": %d of %d right", correct, len(gaps)))
	}
	return nil
}

func (a *asker) write(format string, args ...any) {
	if a.Transcripts != nil {
		fmt.Fprintf(a.Transcripts, format, args...)
	}
}

// written writes messages for a reader.
func written(messages []transcript.Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "[%s] %s\n", m.Role, m.Text)
		for _, call := range m.Calls {
			fmt.Fprintf(&b, "  call %s %s\n", call.Name, call.Args)
		}
	}
	return b.String()
}

// Verdicts on an answer.
const (
	right      = "right"
	superseded = "superseded" // the value before a correction
	unknown    = "unknown"
	wrong      = "wrong" // made up
)

// unknowns are the ways to say that the conversation does not say.
var unknowns = []string{"unknown", "not know", "n't know", "not say", "n't say", "not specified", "not mentioned",
	"not provided", "no information", "unbekannt", "weiß nicht", "nicht bekannt", "不知道", "未知", "没有提", "没有说",
	"unsure"}

// mark judges an answer.
func (g *gap) mark(answer string) string {
	lower := strings.ToLower(answer)
	switch {
	case planted.HasToken(lower, strings.ToLower(g.Value)):
		return right
	case g.old != nil && planted.HasToken(lower, strings.ToLower(g.old.Value)):
		return superseded
	case lower == "", slices.ContainsFunc(unknowns, func(u string) bool { return strings.Contains(lower, u) }):
		return unknown
	}
	return wrong
}
