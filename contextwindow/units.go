package contextwindow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/internal/said"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// units holds the units of the log as they were received, and caches what the digest says of them.
type units struct {
	list  []*Unit // by step, from 1
	sizes [][]int // of their messages, in tokens
	facts func(transcript.ToolCall, transcript.Message) []Fact

	briefs map[partID]*callBrief // by result

	inUnits map[string]int  // in how many of the counted units an identifier occurs
	written map[string]bool // identifiers that the agent wrote in arguments
	counted int             // units counted so far

	said     map[int]*said.Message // what was said in user and assistant messages, by step
	mostSaid int                   // tokens of sentences that a ledger keeps
}

func (u *units) add(unit *Unit, sizes []int) {
	u.list, u.sizes = append(u.list, unit), append(u.sizes, sizes)
}

func (u *units) at(step int) *Unit { return u.list[step-1] }

func (u *units) calls(step int) []transcript.ToolCall { return u.at(step).Messages[0].Calls }

// has returns an error if the unit of a step lacks a part.
func (u *units) has(p partID) error {
	parts, first := len(u.at(p.step).Messages), 0
	if p.args {
		parts, first = len(u.calls(p.step))+1, 1
	}
	if p.part < first || p.part >= parts {
		return fmt.Errorf("step %d has no part %d", p.step, p.part)
	}
	return nil
}

// ledgerOf is the ledger of evicted units, as if they had been evicted in the order of their steps.
func (u *units) ledgerOf(steps []int, compactions int) ledger {
	l := ledger{compactions: compactions}
	u.evict(&l, slices.Sorted(slices.Values(steps)))
	return l
}

// evict adds units to a ledger; the steps must be ascending.
func (u *units) evict(l *ledger, steps []int) {
	var users, replies []int
	for _, step := range steps {
		unit := u.at(step)
		l.add(unit, u.facts)
		switch head := &unit.Messages[0]; {
		case head.Role == transcript.User:
			users = append(users, step)
		case len(head.Calls) == 0: // beside calls, an assistant says little that lasts
			replies = append(replies, step)
		}
	}
	l.said.Most, l.replied.Most, l.replied.Least = u.mostSaid, u.mostSaid, leastReply
	l.said.Add(users, u.saidIn)
	l.replied.Add(replies, u.saidIn)
}

// saidIn returns the sentences of a user or assistant message. They are cached, since units never change.
func (u *units) saidIn(step int) *said.Message {
	m := u.said[step]
	if m == nil {
		head := &u.at(step).Messages[0]
		read := said.Read(head.Text, head.Role == transcript.Assistant)
		if m = &read; u.said == nil {
			u.said = make(map[int]*said.Message)
		}
		u.said[step] = m
	}
	return m
}

// reads reports whether a call read a file.
func (u *units) reads(call transcript.ToolCall, result transcript.Message) bool {
	return slices.ContainsFunc(u.facts(call, result), func(f Fact) bool { return f.Kind == FactRead })
}

// stepOfTurn returns the step of the n-th newest assistant message, or 1 if there are fewer.
func (u *units) stepOfTurn(n int) int {
	for step := len(u.list); step > 1; step-- {
		if u.at(step).Messages[0].Role != transcript.Assistant {
			continue
		}
		if n--; n == 0 {
			return step
		}
	}
	return 1
}

func (u *Unit) text(p partID) string {
	if p.args {
		return string(u.Messages[0].Calls[p.part-1].Args)
	}
	return u.Messages[p.part].Text
}

func sizesOf(messages []transcript.Message) []int {
	sizes := make([]int, len(messages))
	for i := range messages {
		sizes[i] = messages[i].Tokens()
	}
	return sizes
}

func sum(ns []int) int {
	total := 0
	for _, n := range ns {
		total += n
	}
	return total
}

// callKey is equal for equal calls.
func callKey(c transcript.ToolCall) string { return c.Name + "\x00" + string(c.Args) }

// How many runes of its arguments the line of a call shows, in full and in brief.
const (
	callRunes  = 120
	briefRunes = 30
)

// A callBrief is a call in one line, in full and in brief, and the size of the lines.
type callBrief struct {
	full, brief             string
	fullTokens, briefTokens int
	important               bool   // an error or an edit: its line is dropped last
	file                    string // that it read or changed; "" for none
	edited                  bool   // it changed the file
}

// brief returns the brief of a call. It is cached, since units never change.
func (u *units) brief(step, part int) *callBrief {
	id := partID{step: step, part: part}
	if b := u.briefs[id]; b != nil {
		return b
	}
	call, result := u.calls(step)[part-1], u.at(step).Messages[part]
	b := &callBrief{
		full: callLine(call, result, callRunes), brief: callLine(call, result, briefRunes),
		important: result.Failed || changesFile(fieldsOf(call.Args)),
	}
	pointer := id.String()
	b.fullTokens, b.briefTokens = toollimit.Tokens(headLine(pointer, b.full)), toollimit.Tokens(headLine(pointer, b.brief))
	for _, f := range u.facts(call, result) {
		if f.Kind == FactRead || f.Kind == FactModified {
			b.file, b.edited = f.Ref, f.Kind == FactModified
		}
	}
	if u.briefs == nil {
		u.briefs = make(map[partID]*callBrief)
	}
	u.briefs[id] = b
	return b
}

func callLine(call transcript.ToolCall, result transcript.Message, runes int) string {
	text := call.Name + " " + firstRunes(strings.Join(strings.Fields(string(call.Args)), " "), runes)
	if result.Failed {
		first, _, _ := strings.Cut(strings.TrimSpace(result.Text), "\n")
		text += " → failed: " + firstRunes(first, runes)
	}
	return text
}

// headLine is the first line that the digest shows of a part: its id, and the line of a call.
func headLine(pointer, call string) string { return pointer + " " + call + "\n" }

// source returns the id of the stored text that a part is an excerpt of, or "" if it is none.
func (u *Unit) source(p partID) string {
	if !isResult(p) || p.part >= len(u.Messages) || u.Messages[p.part].Kind != toollimit.Excerpt {
		return ""
	}
	excerpt, _ := toollimit.ReadOn(u.Messages[p.part].Text)
	return excerpt.ID
}

// pointer returns the id by which a part can be read: its own, or for an excerpt that of its source.
func (u *Unit) pointer(p partID) string { return cmp.Or(u.source(p), p.String()) }

func (u *units) pointer(p partID) string { return u.at(p.step).pointer(p) }

func (u *units) editedFiles() map[string]bool {
	edited := make(map[string]bool)
	for _, unit := range u.list {
		for i := range unit.Messages[0].Calls {
			if b := u.brief(unit.Step, i+1); b.edited {
				edited[b.file] = true
			}
		}
	}
	return edited
}

// The weight of an identifier grows with the units it occurs in, up to mostWeight. One that the agent wrote weighs
// writtenWeight more.
const (
	mostWeight    = 4
	writtenWeight = 2
)

// weigher returns a function that weighs identifiers: 0 for a visible one, more for one that occurs often or that a
// call needed, since that is likely to be needed again.
func (u *units) weigher(visible func(string) bool) func(string) int {
	u.countNames()
	return func(name string) int {
		if visible(name) {
			return 0
		}
		weight := min(max(u.inUnits[name], 1), mostWeight)
		if u.written[name] {
			weight += writtenWeight
		}
		return weight
	}
}

func (u *units) countNames() {
	if u.inUnits == nil {
		u.inUnits, u.written = make(map[string]int), make(map[string]bool)
	}
	for ; u.counted < len(u.list); u.counted++ {
		here := make(map[string]bool)
		for _, m := range u.list[u.counted].Messages {
			for name := range toollimit.Identifiers(m.Text) {
				here[name] = true
			}
			for _, call := range m.Calls {
				for name := range toollimit.Identifiers(string(call.Args)) {
					here[name], u.written[name] = true, true
				}
			}
		}
		for name := range here {
			u.inUnits[name]++
		}
	}
}
