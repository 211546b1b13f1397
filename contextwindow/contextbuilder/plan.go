package contextbuilder

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// A plan is a context while it is built: what is chosen so far, with its sizes. One goroutine owns it.
type plan struct {
	b     *Builder
	q     Query
	stats *Stats

	room   int // for everything below
	system int // tokens, as are all sizes

	input       string
	inputTokens int
	pinned      string // without its fence
	pinnedSize  int

	summary   string // escaped; "": none
	covered   int64  // the summary covers messages up to this number
	digest    string // escaped; of what neither summary nor window show
	headSize  int    // of the message that holds both
	past      past
	window    []turn // clones, the newest of the past
	recent    int    // tokens of the window
	blocks    []*placed
	blockSize int // of those that are shown, with what stands around them
}

// A placed is a block with its place in the plan.
type placed struct {
	filled
	text    string // escaped, as it is shown
	tokens  int    // of the text in its fence
	verdict Verdict
	why     string
}

func (p *placed) shown() bool { return p.verdict != Dropped && p.verdict != Missing }

// used is the estimate of everything.
func (p *plan) used() int {
	return p.system + p.headSize + p.recent + p.blockSize + p.inputTokens + p.pinnedSize
}

// share returns a part of the room.
func (p *plan) share(part float64) int { return int(part * float64(p.room)) }

// shareOf returns the row of a section.
func (p *plan) shareOf(s Section) Share {
	for _, row := range p.b.config.Shares {
		if row.Section == s {
			return row
		}
	}
	return Share{}
}

// pointerRunes is how much of the hash of a text names it.
const pointerRunes = 12

// keep stores a text that is about to be shortened and returns the id that the short one names; "" without a store.
func (p *plan) keep(text string) string {
	if p.q.Store == nil {
		return ""
	}
	hash := sha256.Sum256([]byte(text))
	id := "x" + hex.EncodeToString(hash[:])[:pointerRunes]
	if err := p.q.Store.Put(id, text); err != nil {
		p.stats.warn(fmt.Sprintf("a shortened text could not be kept: %v", err))
		return ""
	}
	return id
}

// shorten cuts a text of a kind and leaves a pointer to the whole.
func (p *plan) shorten(k toollimit.Kind, text string, q toollimit.Quota) string {
	q.Pointer = p.keep(text)
	short, _ := toollimit.Truncate(k, ends(text, longText, q.Pointer), q)
	if short == "" {
		return nothingLeft
	}
	return short
}

// nothingLeft stands for a text of which nothing has room: no service takes a message without a text.
const nothingLeft = "…"

// bounded returns the two ends of a text that is too long to be looked at.
func bounded(text string) string { return ends(text, longText, "") }

// ends returns the two ends of a text of more than so many bytes, with the pointer to the whole, if there is one.
func ends(text string, most int, pointer string) string {
	if len(text) <= most {
		return text
	}
	gap := fmt.Sprintf("\n[… %d bytes", len(text)-most)
	if pointer != "" {
		gap += "; whole text: " + toollimit.ReadTool + " id=" + pointer
	}
	return text[:most/2] + gap + "]\n" + text[len(text)-most/2:]
}

// framing is what a message takes besides its text.
var framing = transcript.Message{Role: transcript.User}.Tokens()

// joint is what two texts may take more together than apart (toollimit.Tokens).
const joint = 2

// placeInput measures the input. One over the ceiling of its section keeps head and tail, with a pointer.
func (p *plan) placeInput() {
	images := p.q.Images * imageTokens
	ceiling := max(p.share(p.shareOf(SectionInput).Ceiling)-framing-joint-images, 0)
	p.input = p.q.Input
	size, whole := 0, 0
	if len(p.input) <= longText {
		whole = toollimit.Tokens(p.input)
		size = whole
	}
	verdict, why := Included, ""
	if len(p.input) > longText || size > ceiling {
		p.input = p.shorten(toollimit.Text, p.input, toollimit.Quota{MaxTokens: max(ceiling, leastInput), TextTokens: whole})
		size = toollimit.Tokens(p.input)
		verdict, why = Cut, fmt.Sprintf("head and tail of %d bytes: over the ceiling of its section", len(p.q.Input))
		p.stats.warn("the input is shown cut")
	}
	p.inputTokens = size + framing + joint + images
	p.stats.decide(SectionInput, "input", verdict, why, p.inputTokens)
}

// leastInput is what stays of an input in any case, in tokens.
const leastInput = 200

// placeHead measures the message that holds summary and digest.
func (p *plan) placeHead() {
	p.headSize = 0
	if text := p.headText(); text != "" {
		p.headSize = toollimit.Tokens(text) + framing
	}
}

// placeBlocks sums up what blocks take.
func (p *plan) placeBlocks() {
	p.blockSize = 0
	for _, b := range p.blocks {
		if b.shown() {
			p.blockSize += b.tokens
		}
	}
	if p.blockSize > 0 {
		p.blockSize += contextFrame
	}
}

// placeWindow sums up what turns take.
func (p *plan) placeWindow() {
	p.recent = 0
	for _, t := range p.window {
		p.recent += t.tokens
	}
}
