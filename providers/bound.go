package providers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// The bounds of an answer whose service does not end it.
const (
	maxReadTime   = 2 * time.Hour // from the request to the first words
	maxAnswerTime = time.Hour     // from the first words
	unaskedOutput = 65_536        // tokens, for a request without a bound

	// overrun is how many times the tokens of the request's bound an answer may have: estimates may be wrong by a
	// factor of two, and some services do not count their reasoning. A server that keeps the bound ends the answer
	// itself, by [Length].
	overrun      = 4
	overrunSlack = 256 // tokens beyond that
)

var (
	errLate = errors.New("the answer did not begin within " + strings.TrimSuffix(maxReadTime.String(), "0m0s"))
	errSlow = errors.New("the answer did not end within " + strings.TrimSuffix(maxAnswerTime.String(), "0m0s"))
)

// Bound returns a model whose answers end, whatever the service of m does:
//
//   - An answer that repeats itself ends with an error of class [Repeating] within about 200 tokens: three copies of a
//     line, a word or several lines, also with numbers that count up. Its text and its reasoning are checked.
//   - An answer of more than four times the tokens of its request's MaxOutput, or of 65,536, ends with an error of
//     class [TooLong]: the service ignores MaxOutput. One that a service truncates there has the finish [Length].
//   - An answer that takes longer than an hour from its first words ends with an error of class [TooLong], and so does
//     one whose [Reading] takes longer than two hours.
//
// What arrived before an error counts: callers have it, and take it for a partial answer.
// The bounds in bytes are those of the dialects: 8 MB of text and reasoning, 4 MB for a call, 512 calls.
// Other layers see the deltas as they arrive. To ask again after class Repeating, use [Request.Warmer].
func Bound(m Model) Model {
	return layer{m, func(ctx context.Context, req *Request, yield func(Delta, error) bool) {
		within, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		b := bounded{model: m, most: cmp.Or(max(req.MaxOutput, 0), unaskedOutput)}
		begun := false
		timer := time.AfterFunc(maxReadTime, func() { cancel(errLate) })
		defer func() { timer.Stop() }()
		for d, err := range m.Stream(within, req) {
			if !begun && tokensOf(d) > 0 && timer.Stop() {
				begun = true
				timer = time.AfterFunc(maxAnswerTime, func() { cancel(errSlow) })
			}
			cause := context.Cause(within)
			if err != nil && ctx.Err() == nil && (cause == errSlow || cause == errLate) && ClassOf(err) == Cancelled {
				refuse(m, TooLong, cause, yield)
				return
			}
			if err == nil && b.ends(d, yield) || err != nil && !yield(d, err) {
				return
			}
		}
	}}
}

// A bounded is an answer in progress.
type bounded struct {
	model           Model
	text, reasoning repetition
	count, most     int // tokens so far, and of the request's bound
}

// ends yields a delta, and the end of the answer if this delta exceeds a bound. It reports whether the answer is over.
func (b *bounded) ends(d Delta, yield func(Delta, error) bool) bool {
	var found cycle
	switch {
	case d.Text != "":
		found = b.text.add(d.Text)
	case d.Reasoning != "":
		found = b.reasoning.add(d.Reasoning)
	}
	if found.copies > 0 {
		b.stop(d.Text, found, yield)
		return true
	}
	if !yield(d, nil) {
		return true
	}
	b.count += tokensOf(d)
	if b.count <= b.most*overrun+overrunSlack {
		return false
	}
	refuse(b.model, TooLong, fmt.Errorf(
		"the server does not end its answer: it is over %d times the limit of %d tokens", overrun, b.most,
	), yield)
	return true
}

// stop ends an answer that repeats itself. Of the text of the last delta it yields what is not repeated.
func (b *bounded) stop(text string, found cycle, yield func(Delta, error) bool) {
	repeated := found.tail()
	if fresh := len(text) - repeated; fresh > 0 && !yield(Delta{Text: strings.ToValidUTF8(text[:fresh], "")}, nil) {
		return
	}
	info := b.model.Info()
	yield(Delta{}, &Error{
		Class: Repeating, Tail: max(repeated-len(text), 0), Provider: info.Provider, Model: info.Name,
		Err: errors.New(found.String()),
	})
}

// tokensOf estimates the tokens of a delta: at least one for a piece of text.
func tokensOf(d Delta) int {
	switch {
	case d.Text != "" || d.Reasoning != "":
		return max(toollimit.Tokens(d.Text)+toollimit.Tokens(d.Reasoning), 1)
	case d.Call != nil:
		return toollimit.Tokens(string(d.Call.Args))
	}
	return 0
}

// maxQuoted is how much of a cycle an error quotes, in bytes.
const maxQuoted = 60

// String says what was repeated, and how often.
func (c cycle) String() string {
	text := c.text
	if i := max(strings.LastIndexByte(text, '\n'), strings.IndexByte(text, ' ')); i >= 0 {
		text = text[i+1:] + text[:i+1] // begins with a line, or with a word
	}
	if text = strings.ToValidUTF8(text, ""); len(text) > maxQuoted {
		text = strings.ToValidUTF8(text[:maxQuoted], "") + "…"
	}
	return fmt.Sprintf("the answer repeated %s %d times and was stopped", strconv.Quote(text), c.copies/len(c.text))
}

// Warmer returns a copy of the request for a second try after an answer that repeated itself: with a higher
// temperature, at most 1 unless it was higher before, because the same temperature is likely to give the same answer.
func (r *Request) Warmer() *Request {
	const step, most = .7, 1.0
	warm, temperature := *r, most
	if r.Temperature != nil {
		temperature = max(*r.Temperature, min(*r.Temperature+step, most))
	}
	warm.Temperature = &temperature
	return &warm
}

// WithoutTools returns a copy of the request without tools, and without calls in its messages: what they returned is
// said by the user. Provider data that is bound to the tools is left out. A weak model calls tools as long as it reads
// of any, whatever Choice says.
func (r *Request) WithoutTools() *Request {
	bare := *r
	bare.Tools, bare.Choice = nil, Auto
	messages := make([]transcript.Message, 0, len(r.Messages))
	for _, m := range r.Messages {
		if d := m.ProviderData; d != nil && !d.Unbound && !d.Compacts {
			if m.ProviderData = nil; m.Text == "" && len(m.Calls) == 0 {
				continue // it was nothing but reasoning
			}
		}
		messages = append(messages, m)
	}
	none := func(transcript.ToolCall) string { return "" }
	bare.Messages = transcript.Texts(messages, none, func(m transcript.Message) string {
		return "Result of " + m.Name + ":\n" + m.Text
	})
	return &bare
}
