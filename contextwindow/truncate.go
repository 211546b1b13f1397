package contextwindow

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
)

// The overflow ladder is walked, under any profile, while a request would not fit: from the cheapest loss to the last
// resort, after which only the fixed parts are left. The newest results and user messages keep leastNewest until the
// texts and arguments of the assistant are as short as they get: it wrote them, and can write them again.
var overflowLadder = []struct {
	name string
	plan planner
}{
	{overflowRung + "1", evictImages(unpinnedImages)},
	{overflowRung + "1", truncateLong(2_000, 500)},
	{overflowRung + "2", evictHistory},
	{overflowRung + "2", evictTurns(2, digestShare)},
	{overflowRung + "3", squeeze(unpinned(earlierResults), stubTokens)},
	{overflowRung + "4", squeeze(unpinned(textsAndArguments), proseTokens)},
	{overflowRung + "5", evictImages(allImages)},
	{overflowRung + "5", squeeze(unpinned(newestResults), leastNewest)},
	{overflowRung + "6", evictTurns(1, digestShare/2)},
	{overflowRung + "6", squeeze(textsAndArguments, leastProse)},
	{overflowRung + "6", squeeze(allButPrompt, 0)},
	{overflowRung + "7", evictAll},
	{overflowRung + "7", dropDigest},
}

const (
	stubTokens  = 120 // of a result of an earlier turn, at least, before the newest turn is touched
	proseTokens = 400 // of an assistant's text or a call's arguments, at least, before the newest results are touched
	leastProse  = 40  // the same, before the newest results become shorter than leastNewest
	leastNewest = 320 // of a newest result or a user message, while anything else can be shortened
	shortUser   = 128 // tokens of a user message that stays whole until the last resort
)

func (l Level) plan(s *state, target int) *Edit {
	switch {
	case l.Over > 0:
		return truncateLong(l.Over, l.To)(s, target)
	case l.History:
		return evictHistory(s, target)
	case l.Keep > 0:
		return evictTurns(l.Keep, digestShare)(s, target)
	}
	return nil
}

// A textPart is a text in the view that an edit may shorten: of a message, or the arguments of a call.
type textPart struct {
	id     partID
	source string // the id of the text that an excerpt was taken from; "" if this is no excerpt
	slot   int
	kind   toollimit.Kind
	whole  string // as it was received
	size   int    // of whole, in tokens; 0 if not counted
	shown  string
	tokens int // of shown
}

type pick func(*state, textPart) bool

// textParts returns the texts and arguments in the view that pick chooses, in the view's order.
func textParts(s *state, pick pick) []textPart {
	var parts []textPart
	for i, sl := range s.view.slots {
		if sl.step == 0 {
			continue
		}
		received, sizes := s.units.at(sl.step).Messages, s.units.sizesAt(sl.step)
		for n := range sl.messages {
			m := &sl.messages[n]
			p := textPart{id: partID{step: sl.step, part: n}, slot: i, kind: m.Kind, whole: received[n].Text, shown: m.Text}
			if len(m.Images) < len(received[n].Images) {
				p.whole = s.withoutImages(p.id)
			}
			p.source = s.units.at(sl.step).source(p.id)
			if m.Role == transcript.Tool {
				p.size = sizes[n] - m.Framing()
			}
			if p.shown != "" && pick(s, p) {
				p.tokens = sl.textTokens(n)
				parts = append(parts, p)
			}
			for k, call := range m.Calls {
				p := textPart{id: partID{sl.step, k + 1, true}, slot: i, kind: toollimit.JSON, shown: string(call.Args)}
				p.whole = string(received[n].Calls[k].Args)
				if p.shown != "" && pick(s, p) {
					p.tokens = toollimit.Tokens(p.shown)
					parts = append(parts, p)
				}
			}
		}
	}
	return parts
}

// earlierResults picks the results of all turns but the newest.
func earlierResults(s *state, p textPart) bool { return isResult(p.id) && p.slot < s.view.turnStart(1) }

// newestResults picks the results of the newest turn, and long user messages that did not open the run.
func newestResults(s *state, p textPart) bool {
	if p.id.part == 0 && !p.id.args {
		sl := s.view.slots[p.slot]
		return sl.messages[0].Role == transcript.User && sl.step != s.prompt && sl.textTokens(0) > shortUser
	}
	return isResult(p.id) && p.slot >= s.view.turnStart(1)
}

func textsAndArguments(s *state, p textPart) bool {
	return p.id.args || p.id.part == 0 && s.view.slots[p.slot].messages[0].Role == transcript.Assistant
}

func allButPrompt(s *state, p textPart) bool { return p.id.step != s.prompt }

// unpinned narrows a pick to units that are not pinned.
func unpinned(pick pick) pick {
	return func(s *state, p textPart) bool { return !s.pinned[p.id.step] && pick(s, p) }
}

// truncateLong truncates the results of all turns but the newest that are longer than over characters.
func truncateLong(over, to int) planner {
	return func(s *state, _ int) *Edit {
		e := cutEdit{tool: readTool(s)}
		long := unpinned(func(s *state, p textPart) bool {
			return earlierResults(s, p) && len(p.shown) > over && line.Runes(p.shown) > over
		})
		for _, p := range textParts(s, long) {
			e.truncate(p, toollimit.Quota{MaxChars: to})
		}
		return e.edit(s)
	}
}

// squeeze truncates the picked parts evenly to meet the target, but none of them to less than so many tokens.
func squeeze(pick pick, least int) planner {
	return func(s *state, target int) *Edit {
		parts := textParts(s, pick)
		sizes := make([]int, len(parts))
		for i, p := range parts {
			sizes[i] = p.tokens
		}
		level := max(waterLevel(sizes, target-(s.meter.used-sum(sizes))), least, 1)
		e := cutEdit{tool: readTool(s)}
		for _, p := range parts {
			if p.tokens > level {
				e.truncate(p, toollimit.Quota{MaxTokens: level})
			}
		}
		return e.edit(s)
	}
}

type cutEdit struct {
	tool  string // that reads what is cut; "": none
	cuts  []Truncation
	freed int
}

// truncate adds a part, truncated to a quota, if that makes it smaller.
func (e *cutEdit) truncate(p textPart, q toollimit.Quota) {
	var text string
	if p.id.args {
		text = truncateArguments(p.whole, q.MaxTokens, p.id.String())
	} else {
		q.Pointer, q.Tool, q.TextTokens = cmp.Or(p.source, p.id.String()), e.tool, p.size
		text, _ = toollimit.Truncate(p.kind, p.whole, q)
		if strings.TrimSpace(text) == "" {
			text = "…" // providers refuse an empty message
		}
	}
	e.add(p.id, text, p.tokens)
}

// add replaces a part of some tokens by a text, if that is smaller. An edit is saved as JSON: the text must be UTF-8.
func (e *cutEdit) add(id partID, text string, tokens int) {
	text = toValid(text)
	if freed := tokens - toollimit.Tokens(text); freed > 0 {
		e.freed += freed
		e.cuts = append(e.cuts, Truncation{Step: id.step, Part: id.part, Args: id.args, Text: text})
	}
}

// addBare replaces a part and its pictures by a text, if that is smaller.
func (e *cutEdit) addBare(id partID, text string, tokens int) {
	n := len(e.cuts)
	if e.add(id, text, tokens); len(e.cuts) > n {
		e.cuts[n].NoImages = true
	}
}

func (e *cutEdit) edit(s *state) *Edit {
	if e.freed <= 0 {
		return nil
	}
	return limiter{s}.recut(&Edit{Op: opTruncate, Truncations: e.cuts}, 0)
}

// argumentRunes are the lengths to which long strings in arguments are shortened, tried in turn.
var argumentRunes = []int{12_800, 6_400, 3_200, 1_600, 800, 400, 200, 80, 24, 8}

// truncateArguments shortens the long strings in a call's arguments until they take at most so many tokens, and marks
// them with the id of the whole. Keys, numbers and structure stay, so that the arguments still follow their schema. If
// that is not enough, only the id is left.
func truncateArguments(args string, maxTokens int, id string) string {
	if toollimit.Tokens(args) <= maxTokens {
		return args
	}
	for _, n := range argumentRunes {
		if short := shortenStrings(args, n, id); toollimit.Tokens(short) <= maxTokens {
			return short
		}
	}
	return `{"_cut":"` + id + `"}`
}

// shortenStrings keeps head and tail of each string value of a JSON text that is longer than n runes.
func shortenStrings(text string, n int, id string) string {
	var b strings.Builder
	for len(text) > 0 {
		start := strings.IndexByte(text, '"')
		if start < 0 {
			break
		}
		end := start + stringEnd(text[start:])
		b.WriteString(text[:start])
		literal := text[start:end]
		text = text[end:]
		if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), ":") {
			literal = shortenLiteral(literal, n, id)
		}
		b.WriteString(literal)
	}
	b.WriteString(text)
	return b.String()
}

// stringEnd returns the length of the JSON string literal that text begins with, all of it if it does not end.
func stringEnd(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

func shortenLiteral(literal string, n int, id string) string {
	var value string
	if len(literal) <= n || json.Unmarshal([]byte(literal), &value) != nil {
		return literal
	}
	r := []rune(value)
	if len(r) <= n {
		return literal
	}
	head, tail := n*2/3, n/3
	value = fmt.Sprintf("%s…[%d characters cut, %s]…%s", string(r[:head]), len(r)-head-tail, id, string(r[len(r)-tail:]))
	short, err := line.JSON(value)
	if err != nil || len(short) >= len(literal) {
		return literal
	}
	return string(short)
}

// unpinnedImages picks the slots of earlier turns whose pictures are evicted first: those of all but the prompt and of
// pinned units.
func unpinnedImages(s *state, i int) bool {
	sl := s.view.slots[i]
	return sl.step != s.prompt && !s.pinned[sl.step] && i < s.view.turnStart(1)
}

// allImages picks all slots but the prompt.
func allImages(s *state, i int) bool { return s.view.slots[i].step != s.prompt }

// evictImages shows the pictures of the picked slots in words.
func evictImages(picks func(s *state, slot int) bool) planner {
	return func(s *state, _ int) *Edit {
		var e cutEdit
		e.addImages(s, picks)
		return e.edit(s)
	}
}

// addImages adds the pictures of the picked slots, except in parts that the edit has already.
func (e *cutEdit) addImages(s *state, picks func(s *state, slot int) bool) {
	for i, sl := range s.view.slots {
		if sl.step == 0 || !picks(s, i) {
			continue
		}
		for n := range sl.messages {
			m, id := &sl.messages[n], partID{step: sl.step, part: n}
			has := func(c Truncation) bool { return c.id() == id }
			if len(m.Images) == 0 || slices.ContainsFunc(e.cuts, has) {
				continue
			}
			text := strings.TrimPrefix(m.Text+s.imageWords(id), "\n")
			e.addBare(id, text, sl.textTokens(n)+m.ImageTokens())
		}
	}
	slices.SortStableFunc(e.cuts, func(a, b Truncation) int {
		return cmp.Or(a.id().step-b.id().step, a.id().part-b.id().part)
	})
}

// imageWords says which pictures a part had, one a line, and how to see them again.
func (s *state) imageWords(id partID) string {
	var b strings.Builder
	images := s.units.at(id.step).Messages[id.part].Images
	again := ""
	if tool := readTool(s); tool != "" {
		again = "; see it again: " + tool + " id=" + s.units.pointer(id)
	}
	for i := range images {
		b.WriteString("\n[picture, no longer shown: " + images[i].String() + again + "]")
	}
	return b.String()
}

// withoutImages returns the text of a part as it is shown without its pictures.
func (s *state) withoutImages(id partID) string {
	return strings.TrimPrefix(s.units.at(id.step).Messages[id.part].Text+s.imageWords(id), "\n")
}
