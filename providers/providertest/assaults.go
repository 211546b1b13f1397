package providertest

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// said returns a short text that is whole, before what harms. A wire of one value has none.
func (a *assault) said() string {
	if a.wire.filler != "" || a.wire.reasoning == "" {
		return ""
	}
	return a.wire.event(a.wire.text, "It is in a.go. ", 0)
}

// endlessEvent sends a short text, and then one event without an end.
func endlessEvent(a *assault) {
	a.start()
	a.send(a.said())
	a.value(a.wire.text)
}

// compressed sends a compressed text once and another without an end.
func (a *assault) compressed(once, again string) {
	a.w.Header().Set("Content-Encoding", "gzip")
	a.send(packed(a.after(once), 1))
	const size = 1 << 20
	bomb := packed(again, size/len(again))
	for a.send(bomb) {
	}
}

// packed returns a text n times, compressed.
func packed(text string, n int) string {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	for range n {
		_, _ = io.WriteString(z, text) // into memory: never fails
	}
	_ = z.Close()
	return b.String()
}

func gzipEvent(a *assault) {
	a.start()
	before, _ := a.wire.halves(a.wire.text)
	a.compressed(a.said()+before, cmp.Or(a.wire.filler, "aaaaaaaaaaaaaaaa"))
}

func gzipText(a *assault) {
	a.start()
	a.compressed(" ", a.wire.event(a.wire.text, strings.Repeat(" ", 256), 0))
}

func gzipArguments(a *assault) {
	if a.wire.more == "" {
		gzipEvent(a)
		return
	}
	a.start()
	a.compressed(a.wire.event(a.wire.open, a.wire.arguments(`{"path":"`), 0),
		a.wire.event(a.wire.more, strings.Repeat("a", 256), 0))
}

func gzipBlank(a *assault) {
	a.start()
	a.compressed(" ", " \n")
}

func gzipError(a *assault) {
	a.w.Header().Set("Content-Encoding", "gzip")
	a.w.WriteHeader(http.StatusBadRequest)
	a.compressed(`{"error":{"message":"`, "no and ")
}

func (a *assault) failure(status int) {
	a.w.Header().Set("Content-Type", "application/json")
	a.w.WriteHeader(status)
	a.send(`{"error":{"type":"invalid_request_error","message":"`)
	a.forever("no and ")
}

// raw takes over the connection and sends a text once and another without an end.
func (a *assault) raw(once, again string) {
	conn, _, err := http.NewResponseController(a.w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	if _, err = io.WriteString(conn, once); err != nil {
		return
	}
	for err == nil {
		_, err = io.WriteString(conn, again)
	}
}

func endlessChunk(a *assault) {
	a.raw("HTTP/1.1 200 OK\r\nContent-Type: "+a.wire.kind+"\r\nTransfer-Encoding: chunked\r\n\r\n", "0000000000000000")
}

func redirects(a *assault) {
	http.Redirect(a.w, a.r, a.r.URL.String(), http.StatusTemporaryRedirect)
}

// started returns a short text and half an event after it.
func (a *assault) started() string {
	a.start()
	half := a.wire.event(a.wire.text, "fine", 0)
	return a.said() + half[:len(half)*2/3]
}

func halfEvent(a *assault) {
	a.send(a.started())
	<-a.r.Context().Done()
}

func resetInside(a *assault) {
	a.send(a.started())
	panic(http.ErrAbortHandler)
}

func waitCentury(a *assault) {
	a.w.Header().Set("Retry-After", "3153600000")
	a.w.WriteHeader(http.StatusTooManyRequests)
	a.send(`{"error":{"message":"come back in a century"}}`)
}

func longName(a *assault) {
	if a.wire.call == "" {
		a.fine("7")
		return
	}
	a.start()
	a.send(a.wire.event(a.wire.call, strings.Repeat("name", 1<<18), 0))
	a.end()
}

// call sends a call with these arguments.
func (a *assault) call(object string) {
	if a.wire.open == "" {
		a.fine("7")
		return
	}
	a.start()
	a.send(a.wire.event(a.wire.open, a.wire.arguments(object), 0))
	a.end()
}

func deepArguments(a *assault) {
	const levels = 200_000
	a.call(strings.Repeat(`{"a":`, levels) + "0" + strings.Repeat("}", levels))
}

func manyValues(a *assault) {
	a.start()
	a.send(a.wire.event(a.wire.list, strings.Repeat("{},", 2_000_000), 0))
	a.end()
}

// manyTexts sends an event of texts, with their type on a wire where they have one.
func manyTexts(a *assault) {
	if a.wire.texts == "" {
		a.fine("7")
		return
	}
	text := `{"text":"` + filling + filling + `"},`
	if strings.Contains(a.wire.texts, `"type":"text"`) {
		text = `{"type":"text",` + text[1:]
	}
	a.start()
	a.send(a.wire.event(a.wire.texts, strings.Repeat(text, 30_000), 0))
	a.end()
}

// inTurns sends a letter of text and a letter of reasoning, again and again.
func inTurns(a *assault) {
	if a.wire.reasoning == "" {
		a.fine("7")
		return
	}
	a.start()
	turn := func(n int) string {
		return a.wire.event(a.wire.text, letters(n), n) + a.wire.event(a.wire.reasoning, letters(n+1), n)
	}
	for n := 0; a.send(turn(n)); n++ {
	}
}

func manyFields(a *assault) {
	var b strings.Builder
	b.WriteString(`{"path":"."`)
	for n := range 300_000 {
		b.WriteString(`,"field` + strconv.Itoa(n) + `":0`)
	}
	b.WriteString("}")
	a.call(b.String())
}
