package fuzz

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers/providertest/strict"
	"github.com/forayhq/foray/toollimit"
)

// A player plays operations on one window. It stops at the first violation, which explains any later one.
type player struct {
	*rand.Rand
	w        *contextwindow.Window
	store    store
	budget   contextwindow.Budget
	prompt   string
	step     int   // the newest
	steps    []int // in the log
	plain    bool  // notes have no tags
	requests int
	ops      int
	before   []transcript.Message        // view of the previous request; nil after a change of it
	copied   []transcript.Message        // a copy of it
	units    map[int]*contextwindow.Unit // by step, with discarded ones
	read     int                         // entries searched for units
	checked  map[string]bool             // texts whose pointers resolved
	opened   int                         // step of the prompt
	calls    int                         // made so far
	speaker  *speaker
	service  *strict.Service // what requests are sent to
	wrong    error
}

// The largest texts, as shares of the budget at four bytes a token.
const (
	usualShare = .06
	largeShare = .33
	giantShare = 4.
	giantBytes = 300_000 // whatever the budget
)

// upTo returns a share of the budget in bytes, at least 200.
func (p *player) upTo(share float64) int {
	return min(max(int(share*4*float64(p.budget.Limit)), 200), giantBytes)
}

// store is a contextwindow.Store without a lock: a player has one goroutine.
type store map[string]string

func (s store) Put(id, body string) error { s[id] = body; return nil }

func (s store) Get(id string) (string, error) {
	if body, ok := s[id]; ok {
		return body, nil
	}
	return "", contextwindow.ErrNoBody
}

func newPlayer(b contextwindow.Budget, seed uint64) *player {
	r := rand.New(rand.NewPCG(seed, uint64(b.Limit)))
	p := &player{Rand: r, budget: b, store: make(store), speaker: new(speaker)}
	p.units, p.checked = make(map[int]*contextwindow.Unit), make(map[string]bool)
	p.service = strict.New(p.speaker)
	p.plain = seed%3 == 0
	p.w = contextwindow.New(b, &contextwindow.Options{
		Store: p.store, ReadTool: toollimit.ReadTool, PlainNotes: p.plain, After: int(seed%2) * 1_000,
	})
	return p
}

// play opens a run, with some history, and plays so many operations.
func (p *player) play(operations int) {
	p.w.Open(prefixes[0])
	for range p.IntN(6) {
		question, answer := text(p.Rand, 500), text(p.Rand, p.upTo(usualShare))
		p.append(transcript.Message{Role: transcript.User, Text: question, Origin: transcript.History})
		p.append(transcript.Message{Role: transcript.Assistant, Text: answer, Origin: transcript.History})
	}
	p.open()
	for p.ops = 0; p.ops < operations && p.wrong == nil; p.ops++ {
		p.operate()
		if p.IntN(3) > 0 {
			p.request(transcript.Message{Text: "unused"})
		}
	}
	p.request(transcript.Message{Text: "unused"})
	for id, body := range p.store {
		if excerpt, _ := toollimit.ReadOn(body); excerpt.ID != "" {
			p.failf("an excerpt was stored again as %s", id)
		}
	}
	if p.IntN(3) == 0 { // saving and loading takes as long as playing
		p.reload()
	}
	p.law()
}

// prefixes are what requests carry besides their messages. The first is the usual one.
var prefixes = []contextwindow.Prefix{
	{System: "You explore code.", Tools: []transcript.ToolSchema{tool}},
	{System: "You answer from what you know."},
}

var tool = transcript.ToolSchema{Name: "tool", Schema: json.RawMessage(`{"type":"object"}`)}

func (p *player) operate() {
	switch n := p.IntN(44); {
	case n >= 40:
		p.control()
	case n < 22:
		p.turn()
	case n < 26:
		p.append(p.answer(transcript.Message{Role: transcript.Assistant, Text: text(p.Rand, p.upTo(usualShare))}))
		p.append(transcript.Message{Role: transcript.User, Text: text(p.Rand, 300)})
	case n < 30:
		p.append(transcript.Message{Role: transcript.User, Text: text(p.Rand, p.upTo(largeShare))})
	case n < 35:
		p.w.Note([]string{"status", "nudge"}[p.IntN(2)], text(p.Rand, 400))
	case n < 37:
		p.w.Observe(int(float64(p.w.Usage().Tokens) * (.7 + p.Float64()*.8)))
	case n < 38:
		p.shrink()
	case n == 38 && p.IntN(4) == 0:
		p.fail(p.w.ResetToPrompt())
		p.before = nil
	case n == 39 && p.IntN(4) == 0:
		p.fail(p.w.ResetStage())
		p.open()
	}
}

// control plays one operation that a user may ask for.
func (p *player) control() {
	p.before = nil
	step := 1 + p.IntN(p.step)
	before, refused := p.w.Usage(), false
	switch p.IntN(11) {
	case 0, 1:
		refused = p.w.Pin(step) != nil // from another stage, or too large
	case 2:
		p.w.Unpin(step)
	case 3:
		p.w.Unpin()
	case 4, 5:
		_, undone := p.w.Undo(1 + p.IntN(3))
		refused = !undone
		if undone && p.w.Usage().Entries != before.Entries+1 {
			p.failf("an undo wrote %d entries", p.w.Usage().Entries-before.Entries)
		}
	case 6:
		_, err := p.w.Compact([]string{"", "window append"}[p.IntN(2)])
		p.fail(err)
	case 7:
		if d, ok := p.w.Draft(); ok {
			if refused = p.w.Adopt(d, text(p.Rand, 4*d.Tokens)) != nil; !refused {
				p.failf("adopted a summary without headings")
			}
		}
	case 8:
		p.w.Open(prefixes[p.IntN(len(prefixes))])
	case 9:
		p.rewind()
	case 10:
		p.reload()
	}
	if after := p.w.Usage(); refused && after != before {
		p.failf("a refused operation changed the usage: %+v → %+v", before, after)
	}
}

// rewind takes back steps after the prompt.
func (p *player) rewind() {
	p.readUnits()
	opened, _ := slices.BinarySearch(p.steps, p.opened)
	p.steps = p.steps[:max(opened, len(p.steps)-1-p.IntN(3))+1]
	p.fail(p.w.Rewind(p.steps[len(p.steps)-1]))
	p.read = 0
	clear(p.checked)
	p.append(transcript.Message{Role: transcript.User, Text: "Go on."}) // it may be back at an answer
}

func (p *player) open() {
	p.prompt = "prompt " + text(p.Rand, 200)
	p.append(transcript.Message{Role: transcript.User, Text: p.prompt, Origin: transcript.Prompt})
	p.opened = p.step
	p.before = nil
}

func (p *player) append(head transcript.Message, results ...transcript.Message) {
	unit, err := p.w.Append(head, results...)
	if p.fail(err); err == nil {
		p.step, p.steps = unit.Step, append(p.steps, unit.Step)
	}
}

// turn appends a message with one to six calls and their results, of any kind and size, in any order.
func (p *player) turn() {
	head := transcript.Message{Role: transcript.Assistant, Text: text(p.Rand, 300)}
	var results []transcript.Message
	for range 1 + p.IntN(6)*p.IntN(2) {
		path := fmt.Sprintf("dir/file%d.go", p.IntN(50))
		args, err := json.Marshal(map[string]string{"path": path, "text": text(p.Rand, 300)})
		p.fail(err)
		p.calls++
		id := fmt.Sprintf("call_%d", p.calls)
		head.Calls = append(head.Calls, transcript.ToolCall{ID: id, Name: "tool", Args: args})
		size := p.upTo(usualShare)
		if p.IntN(60) == 0 {
			size = p.upTo(giantShare)
		}
		m := transcript.Message{Role: transcript.Tool, CallID: id, Kind: kinds[p.IntN(len(kinds))], Failed: p.IntN(8) == 0}
		if m.Text = p.excerpt(); m.Text != "" {
			m.Kind = toollimit.Excerpt
		} else {
			m.Text = text(p.Rand, size)
		}
		results = append(results, m)
	}
	p.Shuffle(len(results), func(i, j int) { results[i], results[j] = results[j], results[i] })
	p.append(p.answer(head), results...)
}

// answer returns a message, half of the time as the strict service's answer to a request. Sometimes somebody uses the
// window while the service answers. No two answers are equal: if they were, and one were shown where the other was
// given, the service would miss the other's provider data.
func (p *player) answer(m transcript.Message) transcript.Message {
	if len(m.Calls) == 0 {
		m.Text += fmt.Sprintf(" (%d)", p.step)
	}
	if p.IntN(2) == 0 || !p.request(m) {
		return m
	}
	m = p.speaker.answer
	switch p.IntN(20) {
	case 0, 1, 2:
		p.w.Note("status", text(p.Rand, 400))
		p.before = nil
	case 3:
		p.control()
	}
	return m
}

// excerpt sometimes reads a stored text again.
func (p *player) excerpt() string {
	if p.IntN(6) > 0 {
		return ""
	}
	id := fmt.Sprintf("s%d.%d", 1+p.IntN(p.step), p.IntN(3))
	text, err := p.w.Reader().Read(toollimit.Reading{ID: id, Offset: p.IntN(2) * p.IntN(100), Lines: p.IntN(2) * p.IntN(100)})
	if err != nil && text != "" {
		p.failf("an excerpt beside an error: %w", err)
	}
	return text
}

func (p *player) shrink() {
	before := p.w.Usage()
	_, err := p.w.Shrink(p.IntN(2) * before.Limit)
	if !errors.Is(err, contextwindow.ErrIrreducible) && !errors.Is(err, contextwindow.ErrThrash) {
		p.fail(err)
	}
	p.before = nil
}

// fail records the first violation.
func (p *player) fail(err error) {
	if p.wrong == nil && err != nil {
		p.wrong = err
	}
}

func (p *player) failf(format string, args ...any) { p.fail(fmt.Errorf(format, args...)) }
