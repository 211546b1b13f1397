package contextwindow

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/internal/names"
	"github.com/forayhq/foray/contextwindow/internal/said"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
)

// units holds the units of the log as they were received, and caches what the digest says of them.
type units struct {
	before int                                                  // steps of other windows, before the first of these
	list   []*Unit                                              // by index
	sizes  [][]int                                              // of their messages, in tokens
	facts  func(transcript.ToolCall, transcript.Message) []Fact // nil: by arguments

	names   names.Table
	scans   []*scan        // by index; nil: not scanned, or forgotten
	counted int            // units whose identifiers are counted
	folded  int            // so many units keep only some lines
	gone    int            // so many units keep nothing, unless they keep lines
	briefs  [][]*callBrief // by index, of results

	failed error // the first text that could not be read from a store

	edited   map[string]bool // files that calls changed, in the units up to editedTo
	editedTo int

	said     map[int]*said.Message // what was said in user and assistant messages, by step
	mostSaid int                   // tokens of sentences that a ledger keeps
}

func (u *units) add(unit *Unit, sizes []int) {
	u.list, u.sizes = append(u.list, unit), append(u.sizes, sizes)
	u.scans, u.briefs = append(u.scans, nil), append(u.briefs, nil)
}

// skipTo uses up the numbers of steps that a rewind discarded, or that other windows used. After the first unit, empty
// units keep their places.
func (u *units) skipTo(step int) {
	if len(u.list) == 0 {
		u.before = step
	}
	for u.last() < step {
		u.add(&Unit{Step: u.last() + 1, Messages: make([]transcript.Message, 1)}, []int{0})
	}
}

// last returns the last step whose number is used, or 0.
func (u *units) last() int { return u.before + len(u.list) }

// index returns the index of the unit of a step.
func (u *units) index(step int) int { return step - u.before - 1 }

func (u *units) at(step int) *Unit { return u.list[u.index(step)] }

// sizesAt returns the sizes of the messages of a step as they were received, in tokens.
func (u *units) sizesAt(step int) []int { return u.sizes[u.index(step)] }

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

func (u *units) partsOf(steps []int) []partID {
	var ids []partID
	for _, step := range steps {
		for part := range u.at(step).Messages {
			ids = append(ids, partID{step: step, part: part})
		}
		for i, call := range u.calls(step) {
			if len(call.Args) > 0 {
				ids = append(ids, partID{step, i + 1, true})
			}
		}
	}
	return ids
}

// saidIn returns the sentences of a user or assistant message. They are cached, since units never change.
func (u *units) saidIn(step int) *said.Message {
	m := u.said[step]
	if m == nil {
		head := &u.at(step).Messages[0]
		read := said.Read(head.Described(), head.Role == transcript.Assistant)
		if m = &read; u.said == nil {
			u.said = make(map[int]*said.Message)
		}
		u.said[step] = m
	}
	return m
}

// factsOf returns the facts of a call with its arguments parsed.
func (u *units) factsOf(call transcript.ToolCall, result *transcript.Message, args map[string]json.RawMessage) []Fact {
	if u.facts != nil {
		return u.facts(call, *result)
	}
	return factsOf(call, result, args)
}

// reads reports whether a call read a file.
func (u *units) reads(call transcript.ToolCall, result *transcript.Message, args map[string]json.RawMessage) bool {
	return slices.ContainsFunc(u.factsOf(call, result, args), func(f Fact) bool { return f.Kind == FactRead })
}

// stepOfTurn returns the step of the n-th newest assistant message, or 1 if there are fewer.
func (u *units) stepOfTurn(n int) int {
	for step := u.last(); step > u.before; step-- {
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
	return u.Messages[p.part].Described()
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

	fullNames, briefNames []int32 // identifiers of the lines
	facts                 []Fact
}

// brief returns the brief of a call. It is cached, since units never change.
func (u *units) brief(step, part int) *callBrief {
	id := partID{step: step, part: part}
	at := u.index(step)
	if u.briefs[at] == nil {
		u.briefs[at] = make([]*callBrief, len(u.calls(step))+1)
	}
	if b := u.briefs[at][part]; b != nil {
		return b
	}
	call, result := u.calls(step)[part-1], &u.at(step).Messages[part]
	if u.facts != nil { // which may read the text
		result = &u.whole(step).Messages[part]
	}
	args := fieldsOf(call.Args)
	b := &callBrief{important: result.Failed || changesFile(args), facts: u.factsOf(call, result, args)}
	flat, pointer := line.Flat(string(call.Args)), id.String()
	b.full, b.brief = callLine(call.Name, flat, result, callRunes), callLine(call.Name, flat, result, briefRunes)
	b.fullTokens, b.fullNames = toollimit.Tokens(headLine(pointer, b.full)), u.names.Names(b.full)
	if b.briefTokens, b.briefNames = b.fullTokens, b.fullNames; b.brief != b.full {
		b.briefTokens, b.briefNames = toollimit.Tokens(headLine(pointer, b.brief)), u.names.Names(b.brief)
	}
	for _, f := range b.facts {
		if f.Kind == FactRead || f.Kind == FactModified {
			b.file, b.edited = f.Ref, f.Kind == FactModified
		}
	}
	u.briefs[at][part] = b
	return b
}

// callLine writes a call, given its arguments without line breaks.
func callLine(name, args string, result *transcript.Message, runes int) string {
	text := line.Flat(name) + " " + firstRunes(args, runes)
	if result.Failed {
		first, _, _ := strings.Cut(strings.TrimSpace(result.Text), "\n")
		text += " → failed: " + firstRunes(first, runes)
	}
	return text
}

// headLine is the first line that the digest shows of a part: its id, and the line of a call.
func headLine(pointer, call string) string { return strings.TrimSpace(pointer+" "+call) + "\n" }

// source returns the id of the stored text that a part is an excerpt of, or "".
func (u *Unit) source(p partID) string {
	if !isResult(p) || p.part >= len(u.Messages) || u.Messages[p.part].Kind != toollimit.Excerpt {
		return ""
	}
	excerpt, _ := toollimit.ReadOn(u.Messages[p.part].Text)
	return excerpt.ID
}

// pointer returns the id by which a part can be read: its own, or for an excerpt that of its source.
func (u *Unit) pointer(p partID) string { return cmp.Or(u.source(p), p.String()) }

// isOwn reports whether a part is read by its own id.
func (u *Unit) isOwn(p partID) bool {
	source := u.source(p)
	return source == "" || source == p.String()
}

func (u *units) pointer(p partID) string { return u.at(p.step).pointer(p) }

func (u *units) editedFiles() map[string]bool {
	if u.edited == nil {
		u.edited = make(map[string]bool)
	}
	for ; u.editedTo < len(u.list); u.editedTo++ {
		unit := u.list[u.editedTo]
		for i := range unit.Messages[0].Calls {
			if b := u.brief(unit.Step, i+1); b.edited {
				u.edited[b.file] = true
			}
		}
	}
	return u.edited
}

// A scan is what the parts of a unit hold: the texts of its messages, then the arguments of its calls.
type scan struct {
	parts []scannedPart
	whole bool // with all lines
}

type scannedPart struct {
	names []int32      // of the text; each once
	lines names.Lines  // candidates for key lines: of the text, or of the long strings in arguments
	words *names.Words // of the last of these lines; nil until they are asked for
}

// index is the index of a part in the scan of a unit.
func (p partID) index(u *Unit) int {
	if p.args {
		return len(u.Messages) + p.part - 1
	}
	return p.part
}

// scan returns the scan of a unit, with all lines if they are asked for.
func (u *units) scan(step int, lines bool) *scan {
	at := u.index(step)
	if x := u.scans[at]; x != nil && (x.whole || !lines) {
		return x
	}
	unit := u.whole(step)
	lines = lines || unit == u.at(step) // those of a text that was read for this would keep it in memory
	x := &scan{make([]scannedPart, 0, len(unit.Messages)+len(unit.Messages[0].Calls)), lines}
	for i := range unit.Messages {
		var p scannedPart
		if text := unit.Messages[i].Text; !lines || unit.Messages[i].Role == transcript.User {
			p.names = u.names.Names(text)
		} else {
			p.lines, p.names = u.names.Lines(text)
		}
		x.parts = append(x.parts, p)
	}
	for _, call := range unit.Messages[0].Calls {
		p := scannedPart{names: u.names.Names(string(call.Args))}
		if text := argumentText(call.Args); lines && text != "" {
			p.lines, _ = u.names.Lines(text)
		}
		x.parts = append(x.parts, p)
	}
	u.scans[at] = x
	return x
}

// candidates returns the lines of a part that may be key lines: all of them, or some by their indexes.
func (u *units) candidates(id partID, all bool, some []int) names.Lines {
	if !all && len(some) == 0 {
		return names.Lines{}
	}
	index := id.index(u.at(id.step))
	if all {
		return u.scan(id.step, true).parts[index].lines
	}
	if x := u.scans[u.index(id.step)]; x != nil {
		if lines := x.parts[index].lines.Only(some); len(lines.Texts) == len(some) {
			return lines
		}
	}
	return u.scan(id.step, true).parts[index].lines.Only(some)
}

// lastWords returns the words of the last lines of a part, and remembers them if these are all of its lines.
func (u *units) lastWords(id partID, lines names.Lines, all bool) names.Words {
	texts := lines.Texts[max(0, len(lines.Texts)-lastLines):]
	if !all {
		return u.names.Words(texts)
	}
	p := &u.scan(id.step, true).parts[id.index(u.at(id.step))]
	if p.words == nil {
		w := u.names.Words(texts)
		p.words = &w
	}
	return *p.words
}

// namesOf returns the identifiers of a part.
func (u *units) namesOf(id partID) []int32 {
	return u.scan(id.step, false).parts[id.index(u.at(id.step))].names
}

// forget drops what compactions no longer ask for: the lines of units up to a step, except those that the digest shows,
// and everything of units up to an earlier step unless it shows a line.
func (u *units) forget(folded, gone int, shown map[partID][]int) {
	for ; u.folded <= u.index(folded); u.folded++ {
		x := u.scans[u.folded]
		if x == nil {
			continue
		}
		unit := u.list[u.folded]
		some := &scan{parts: slices.Clone(x.parts)}
		for i := range some.parts {
			id := partID{step: unit.Step, part: i}
			if n := len(unit.Messages); i >= n {
				id = partID{unit.Step, i - n + 1, true}
			}
			some.parts[i].lines, some.parts[i].words = x.parts[i].lines.Only(shown[id]), nil
		}
		u.scans[u.folded] = some
	}
	for ; u.gone < min(u.index(gone)+1, u.folded); u.gone++ {
		hasLines := func(p scannedPart) bool { return len(p.lines.Texts) > 0 }
		if x := u.scans[u.gone]; x != nil && !slices.ContainsFunc(x.parts, hasLines) {
			u.scans[u.gone] = nil
		}
	}
}

// countNames counts the identifiers of units that came in since the last call.
func (u *units) countNames() {
	for ; u.counted < len(u.list); u.counted++ {
		unit := u.list[u.counted]
		for i, p := range u.scan(unit.Step, false).parts {
			u.names.Count(unit.Step, p.names, i >= len(unit.Messages))
		}
	}
}

// argumentText joins the multi-line strings in a call's arguments, at any depth and in the order of their names: what
// was written, replaced or planned.
func argumentText(args json.RawMessage) string {
	if bytes.IndexByte(args, '\\') < 0 { // a newline is escaped
		return ""
	}
	var v any
	if json.Unmarshal(args, &v) != nil {
		return ""
	}
	return strings.Join(longTexts(nil, v), "\n")
}

func longTexts(texts []string, v any) []string {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, "\n") {
			texts = append(texts, v)
		}
	case []any:
		for _, item := range v {
			texts = longTexts(texts, item)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			texts = longTexts(texts, v[name])
		}
	}
	return texts
}
