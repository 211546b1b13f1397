package providertest

import (
	"cmp"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	filling  = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	controls = `\u001b]0;owned\u0007\u001b[2J\u202e\u009b31m\u0000done`
)

// An assault is one attack in progress.
type assault struct {
	w    http.ResponseWriter
	r    *http.Request
	wire hostileWire

	first string // what goes before the next text
}

// start sends the headers of an answer. The next text follows the first event of the wire.
func (a *assault) start() {
	a.w.Header().Set("Content-Type", a.wire.kind)
	if a.wire.first != "" {
		a.first = a.wire.event(a.wire.first, "", 0)
	}
}

// after returns a text after what must be sent before it.
func (a *assault) after(text string) string {
	text, a.first = a.first+text, ""
	return text
}

// send sends a text at once, and reports whether the client still listens.
func (a *assault) send(text string) bool {
	text = a.after(text)
	_, err := io.WriteString(a.w, text)
	a.flush()
	return err == nil && a.r.Context().Err() == nil
}

func (a *assault) flush() { _ = http.NewResponseController(a.w).Flush() }

// end sends the end of an answer with few tokens.
func (a *assault) end() { a.send(a.wire.event(a.wire.last, "7", 0)) }

// fine sends a short answer that counts tokens.
func (a *assault) fine(tokens string) {
	a.start()
	if a.wire.begin+a.wire.reasoning != "" { // a wire with events
		a.send(a.wire.event(a.wire.text, "It is fine.", 0))
	}
	a.send(a.wire.event(a.wire.last, tokens, 0))
}

// endless sends events of one form with pieces of a text. A wire without the form sends a short answer.
func (a *assault) endless(form string, text func(n int) string) {
	if form == "" {
		a.fine("7")
		return
	}
	a.start()
	for n := 0; a.send(a.wire.event(form, text(n), n)); n++ {
	}
}

// forever sends the same text.
func (a *assault) forever(text string) {
	for len(text) < 1<<14 {
		text += text
	}
	for a.send(text) {
	}
}

// value sends one event whose piece does not end.
func (a *assault) value(form string) {
	before, _ := a.wire.halves(form)
	a.send(before)
	if a.wire.filler != "" {
		a.forever(a.wire.filler)
	}
	for n := 0; a.send(words(n)); n++ {
	}
}

// endlessArguments sends one call whose arguments do not end: in many events, or in one where calls are always whole.
func endlessArguments(a *assault) {
	begin := a.wire.arguments(`{"path":"`)
	switch {
	case a.wire.open == "":
		a.fine("7")
	case a.wire.more == "":
		a.start()
		a.value(strings.Replace(a.wire.open, piece, begin+piece, 1))
	default:
		a.start()
		a.send(a.wire.event(a.wire.open, begin, 0))
		for n := 0; a.send(a.wire.event(a.wire.more, words(n), 0)); n++ {
		}
	}
}

// endlessLines sends an event whose lines do not end.
func endlessLines(a *assault) {
	a.start()
	before, _ := a.wire.halves(a.wire.text)
	a.send(before + "\n")
	a.forever(cmp.Or(a.wire.begin, " ") + "0,\n")
}

// afterEnd sends an answer without the mark of its end, whose connection stays busy.
func afterEnd(a *assault) {
	a.start()
	a.send(a.said())
	a.send(strings.TrimSuffix(a.wire.event(a.wire.last, "7", 0), "data: [DONE]"+a.wire.end))
	a.forever("\n\n")
}

// wholeBody sends an answer in one piece that does not end.
func wholeBody(a *assault) {
	a.w.Header().Set("Content-Type", "application/json")
	a.wire.begin = ""
	a.value(a.wire.whole)
}

func trickle(a *assault) {
	a.start()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for n := 0; a.send(a.wire.event(a.wire.text, letters(n), n)); n++ {
		select {
		case <-tick.C:
		case <-a.r.Context().Done():
		}
	}
}

// The texts of attacks, by the number of the event.

// noise returns 64 KB of random words, far longer than any repetition that a client looks for.
var noise = sync.OnceValue(func() string {
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for b.Len() < 1<<16 {
		for range 2 + random.IntN(8) {
			b.WriteByte(byte('a' + random.IntN(26)))
		}
		b.WriteByte(' ')
	}
	return b.String()[:1<<16]
})

func words(n int) string {
	const size = 1 << 12
	text := noise()
	from := n * 4099 % (len(text) - size)
	return text[from : from+size]
}

func letters(n int) string { return noise()[n%(1<<16):][:1] }

func few(int) string { return "YWJjZGVmZ2hp" }

func spaces(int) string { return strings.Repeat(" ", 1<<12) }

func again(int) string { return "The same sentence is written once more. " }

func name(int) string { return "read_file" }
