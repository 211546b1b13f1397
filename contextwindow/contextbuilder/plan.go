package contextbuilder

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// A plan is a context while it is built: the parts chosen so far, with their sizes in tokens. One goroutine owns it.
type plan struct {
	b       *Builder
	q       Query
	room    room
	stats   *Stats
	shorten shortener

	system int // tokens of the system prompt
	pinned instruction
	pin    int // tokens of the pinned note
	input  input
	head   head
	past   past
	oldest int // index of the first turn of the past that no summary covers
	window window
	blocks blocks
}

// An input is the user's message, perhaps shortened.
type input struct {
	text   string
	tokens int // with framing and images
}

// A window is the newest turns of the past.
type window struct {
	turns  []turn // perhaps clones
	tokens int
	whole  int64 // number of the first message from which on none is shortened; 0: none follows
}

func (w *window) measure() {
	w.tokens = 0
	for _, t := range w.turns {
		w.tokens += t.tokens
	}
}

// A head is the message that precedes the window.
type head struct {
	summary string // escaped
	covered int64  // the summary covers messages up to this number
	digest  string // escaped; of what neither summary nor window show
	tokens  int
}

// framing is what a message takes besides its text, in tokens.
var framing = transcript.Message{Role: transcript.User}.Tokens()

func (h *head) measure() {
	h.tokens = 0
	if text := h.text(); text != "" {
		h.tokens = toollimit.Tokens(text) + framing
	}
}

// used estimates everything chosen so far.
func (p *plan) used() int {
	return p.system + p.head.tokens + p.window.tokens + p.blocks.tokens + p.input.tokens + p.pin
}

// plan reserves the fixed parts: system prompt, pinned instruction and input.
func (b *Builder) plan(q Query) (*plan, error) {
	stats := new(Stats)
	p := &plan{b: b, q: q, stats: stats, shorten: shortener{store: q.Store, stats: stats}}
	total := b.config.Total
	if q.Room > 0 {
		total = min(total, q.Room)
	}
	p.room = room{total: max(total-q.Fixed, 0), shares: b.config.Shares}
	stats.Room = p.room.total
	if err := p.placeSystem(); err != nil {
		return nil, err
	}
	p.placeInput()
	p.placePin()
	return p, nil
}

func (p *plan) placeSystem() error {
	p.system = toollimit.Tokens(p.q.System)
	if most := p.room.ceiling(SectionSystem); p.system > most {
		err := fmt.Errorf("%w: %d tokens, at most %d of a room of %d", ErrSystemTooLong, p.system, most, p.room.total)
		if p.q.Fixed > p.room.total {
			err = fmt.Errorf("%w: tool schemas take %d more; choose a larger window or fewer tools", err, p.q.Fixed)
		}
		return err
	}
	why := ""
	if share := p.room.share(SectionSystem); p.system > share {
		why = "over its share: takes room from other sections"
		p.stats.warn(fmt.Sprintf("the system prompt takes %d tokens, its share is %d", p.system, share))
	}
	p.stats.decide(SectionSystem, "system", Included, why, p.system)
	return nil
}

const minInput = 200 // tokens that always remain of an input

// placeInput measures the input. Over the ceiling of its section, it keeps head and tail, with a pointer.
func (p *plan) placeInput() {
	images := transcript.Message{Images: p.q.Images}.ImageTokens()
	most := max(p.room.ceiling(SectionInput)-framing-joint-images, 0)
	text := p.q.Input
	size, whole := 0, 0
	if len(text) <= longText {
		whole = toollimit.Tokens(text)
		size = whole
	}
	verdict, why := Included, ""
	if len(text) > longText || size > most {
		text = p.shorten.truncate(spoken, text, toollimit.Quota{MaxTokens: max(most, minInput), TextTokens: whole})
		size = toollimit.Tokens(text)
		verdict, why = Truncated, fmt.Sprintf("head and tail of %d bytes: over the ceiling of its section", len(p.q.Input))
		p.stats.warn(fmt.Sprintf("the input is shown truncated: %d of %d bytes have room", len(text), len(p.q.Input)))
	}
	p.input = input{text, size + framing + joint + images}
	p.stats.decide(SectionInput, "input", verdict, why, p.input.tokens)
}

// The most that the parts of the pinned instruction take, in tokens, and what its fence takes at most.
const (
	goalTokens = 200
	taskTokens = 400
	noteFrame  = 20
)

// longInput is how far above the end of the request a text is repeated in the instruction, in tokens.
const longInput = 1_000

const guide = `Guide:
1. If there is fresh output of tools, look at it first.
2. If the goal is complex, make a short plan before you act.
3. Answer the goal first.`

// An instruction is what the pinned note says besides the guide.
type instruction struct {
	goal string // of a long input, in its fence
	task string
}

// text returns the note, "" if it says nothing.
func (i instruction) text() string {
	if i == (instruction{}) {
		return ""
	}
	parts := slices.DeleteFunc([]string{i.goal, i.task, guide}, func(part string) bool { return part == "" })
	return strings.Join(parts, "\n\n")
}

// placePin reserves the pinned instruction: the status of the task, and how a long input begins. It reserves none if
// that would only repeat the input, which ends the request anyway.
func (p *plan) placePin() {
	if p.b.config.NoPin || strings.TrimSpace(p.q.Input) == "" {
		return
	}
	short := func(text string, tokens int) string {
		text, _ = toollimit.Truncate(toollimit.Text, escape(bounded(text)), toollimit.Quota{MaxTokens: tokens})
		return text
	}
	if p.input.tokens > longInput && !asksLast(p.q.Input) {
		goal := strings.TrimSpace(short(firstParagraph(p.q.Input), goalTokens))
		p.pinned.goal = "The message above is long. It begins with:\n" + fence(goalTag, "", goal)
	}
	p.pinned.task = short(p.q.Task, taskTokens)
	p.measurePin()
}

func (p *plan) measurePin() {
	if p.pin = 0; p.pinned.text() != "" {
		p.pin = toollimit.Tokens(p.pinned.text()) + noteFrame
	}
}

// settlePin leaves the goal out of the task's status if the message that it quotes is near.
func (p *plan) settlePin() {
	if p.pinned.task != "" && p.q.Goal > 0 && p.showsNear(p.q.Goal) {
		_, p.pinned.task, _ = strings.Cut(p.pinned.task, "\n")
		p.measurePin()
	}
	if p.pin > 0 {
		p.stats.decide(SectionPinned, NotePinned, Included, "", p.pin)
	}
}

// showsNear reports whether a message of the user is whole in the last tokens of the request.
func (p *plan) showsNear(seq int64) bool {
	distance := p.blocks.tokens + p.input.tokens
	if seq == p.q.Seq {
		return distance <= longInput
	}
	for _, t := range slices.Backward(p.window.turns) {
		distance += t.tokens
		if t.first == seq {
			whole := t.received == nil || t.received[0].Text == t.messages[0].Text
			return whole && distance <= longInput
		}
	}
	return false
}

// asksLast reports whether a message only introduces what is pasted into it, and ends with a short question.
func asksLast(text string) bool {
	const most = 400 // bytes of the question
	text = strings.TrimSpace(text)
	first := firstParagraph(text)
	introduces := strings.HasSuffix(first, ":") || strings.HasSuffix(first, "：")
	asks := strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？")
	i := strings.LastIndexByte(text, '\n')
	return introduces && asks && i >= 0 && len(text)-i <= most
}

// firstParagraph returns what a long message probably says before what is pasted into it.
func firstParagraph(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	first, _, _ := strings.Cut(text, "\n\n")
	return first
}

// firstShown returns the number of the first message in the window, or one past the last message if the window is
// empty.
func (p *plan) firstShown() int64 {
	if len(p.window.turns) > 0 {
		return p.window.turns[0].first
	}
	if n := len(p.past.turns); n > 0 {
		return p.past.turns[n-1].last + 1
	}
	return 0
}
