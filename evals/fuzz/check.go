package fuzz

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/valid"
)

// request fits the window, checks the view and sends it to the strict service, which answers with a message. It reports
// whether the service answered.
func (p *player) request(answer transcript.Message) bool {
	if p.wrong != nil {
		return false
	}
	p.requests++
	before := p.w.Usage().Tokens
	c, err := p.w.Fit()
	u := p.w.Usage()
	if err != nil && !errors.Is(err, contextwindow.ErrThrash) {
		p.irreducible(err)
		return false
	}
	switch {
	case u.Tokens > u.Limit:
		p.failf("request of %d tokens over the budget of %d", u.Tokens, u.Limit)
	case c.After > c.Before || c.Before != before || c.After != u.Tokens:
		p.failf("compaction %v, usage %d → %d", c, before, u.Tokens)
	case (c.Level == 0) != (len(c.Steps) == 0) || c.Level == 0 && c.After != c.Before:
		p.failf("wrong level: %+v", c)
	}
	if again, err := p.w.Fit(); err != nil || again.Level != 0 {
		p.failf("a second fit changed something: %v, %v", again, err)
	}
	view := p.w.View()
	if c.Level == 0 && p.before != nil {
		p.extends(view)
	}
	p.view(view)
	p.before, p.copied = view, slices.Clone(view)
	return p.speaker.ask(p.service, p.w.Prefix(), view, answer, p.IntN(200))
}

// law checks what the strict service saw.
func (p *player) law() {
	if refused, requests := p.service.Refused(); refused > 0 {
		p.failf("a strict service refused %d of %d requests with provider data", refused, requests)
	}
	if kept, due := p.service.Kept(); kept < due {
		p.failf("%d of %d opaque parts were sent while their prefix was intact", kept, due)
	}
}

// irreducible accepts an error only if the fixed parts alone are too large.
func (p *player) irreducible(err error) {
	var sizes *contextwindow.IrreducibleError
	if !errors.Is(err, contextwindow.ErrIrreducible) || !errors.As(err, &sizes) {
		p.failf("unexpected error: %w", err)
		return
	}
	if sizes.System+sizes.Prompt <= sizes.Limit {
		p.failf("gave up although the fixed parts fit: %w", err)
	}
	p.before = nil
}

// extends checks that a request extends the previous one.
func (p *player) extends(view []transcript.Message) {
	if !reflect.DeepEqual(p.before, p.copied) {
		p.failf("an earlier view changed")
	}
	if len(view) < len(p.copied) {
		p.failf("the request lost messages: %d, previously %d", len(view), len(p.copied))
		return
	}
	for i, m := range p.copied {
		now := view[i]
		if i == len(p.copied)-1 && strings.HasPrefix(now.Text, m.Text+"\n\n") {
			now.Text = m.Text // a note extends the newest message
		}
		if !reflect.DeepEqual(m, now) {
			p.failf("message %d of the previous request changed without a compaction", i)
		}
	}
}

// view checks the prompt, the providers' rules and the pointers.
func (p *player) view(view []transcript.Message) {
	for _, rules := range []transcript.Rules{transcript.OpenAI, transcript.Gemini, transcript.Anthropic} {
		p.fail(transcript.Check(view, rules))
	}
	for _, rule := range valid.Violations(view) {
		p.failf("rule broken: %s", rule)
	}
	prompt := slices.IndexFunc(view, func(m transcript.Message) bool { return m.Origin == transcript.Prompt })
	if prompt < 0 || !strings.HasPrefix(view[prompt].Text, p.prompt) {
		p.failf("the view does not show the whole prompt")
		return
	}
	for _, m := range view[:prompt] {
		if m.Origin != transcript.History && m.Origin != transcript.Runtime {
			p.failf("a message of the run, by %s, before the prompt", m.Role)
		}
	}
	for i := range view {
		p.pointers(view[i].Text)
	}
}

// pointerMarks precede the ids in the runtime's marks.
var pointerMarks = []string{"id=s", "[… s", `"_cut":"s`, "- [s"}

// pointers checks that every id in a text resolves to the exact bytes that were received.
func (p *player) pointers(text string) {
	if p.checked[text] {
		return
	}
	p.checked[text] = true
	for _, mark := range pointerMarks {
		for _, after, found := strings.Cut(text, mark); found; _, after, found = strings.Cut(after, mark) {
			var step, part int
			if n, _ := fmt.Sscanf(after[:min(len(after), 24)], "%d.%d", &step, &part); n == 2 {
				p.pointer(step, part, after)
			}
		}
	}
}

// pointer checks one id; after is the text from its step on.
func (p *player) pointer(step, part int, after string) {
	id := fmt.Sprintf("s%d.%d", step, part)
	args := strings.HasPrefix(after[len(id)-1:], "a")
	if args {
		id += "a"
	}
	body, err := p.store.Get(id)
	if err != nil {
		p.failf("pointer %s does not resolve", id)
		return
	}
	if want, ok := p.received(step, part, args); !ok || body != want {
		p.failf("pointer %s resolves to other bytes", id)
	}
}

// readUnits remembers the units that were appended since it was last called.
func (p *player) readUnits() {
	for _, e := range p.w.Entries(p.read) {
		p.read++
		if e.Unit != nil {
			p.units[e.Unit.Step] = e.Unit
		}
	}
}

// received returns a part of a unit as it was appended.
func (p *player) received(step, part int, args bool) (string, bool) {
	p.readUnits()
	unit := p.units[step]
	if unit == nil {
		return "", false
	}
	messages := unit.Messages
	calls := messages[0].Calls
	switch {
	case args && part >= 1 && part <= len(calls):
		return string(calls[part-1].Args), true
	case !args && part < len(messages):
		return messages[part].Text, true
	}
	return "", false
}

// reload checks that the log, saved and loaded, gives the same bytes and the same state.
func (p *player) reload() {
	if p.wrong != nil {
		return
	}
	saved, err := json.Marshal(p.w.Entries(0))
	p.fail(err)
	var entries []contextwindow.Entry
	p.fail(json.Unmarshal(saved, &entries))
	loaded, err := contextwindow.Load(entries, p.budget, &contextwindow.Options{Store: p.store, PlainNotes: p.plain})
	if err != nil {
		p.failf("load: %w", err)
		return
	}
	again, err := json.Marshal(loaded.Entries(0))
	switch {
	case err != nil || string(again) != string(saved):
		p.failf("the loaded log differs (%v)", err)
	case loaded.Usage() != p.w.Usage():
		p.failf("the loaded usage differs: %+v, %+v", p.w.Usage(), loaded.Usage())
	case !reflect.DeepEqual(p.w.View(), loaded.View()):
		p.failf("the loaded view differs")
	}
	p.w = loaded
}
