package providertest

import (
	"net/http"
	"strings"
)

// An attack is one way in which a server harms its client.
type attack struct {
	name, does string
	run        func(a *assault)
}

// attacks are all attacks, in the order of "mix".
var attacks = []attack{
	{"endless-text", "text without an end", func(a *assault) { a.endless(a.wire.text, words) }},
	{"endless-spaces", "text of spaces without an end", func(a *assault) { a.endless(a.wire.text, spaces) }},
	{"endless-bytes", "text without an end, a byte in each event", func(a *assault) { a.endless(a.wire.text, letters) }},
	{"endless-loop", "the same sentence without an end", func(a *assault) { a.endless(a.wire.text, again) }},
	{"endless-reasoning", "reasoning without an end", func(a *assault) { a.endless(a.wire.reasoning, words) }},
	{"endless-arguments", "a call whose arguments do not end", endlessArguments},
	{"endless-calls", "calls without an end", func(a *assault) { a.endless(a.wire.call, name) }},
	{"endless-details", "data to send back, without an end", func(a *assault) { a.endless(a.wire.details, words) }},
	{"endless-seals", "data to send back, a few bytes in each event", func(a *assault) { a.endless(a.wire.details, few) }},
	{"endless-turns", "text and reasoning in turns", inTurns},
	{"endless-empty", "events that say nothing", func(a *assault) { a.endless(a.wire.empty, spaces) }},
	{"endless-progress", "reading that does not end", func(a *assault) { a.endless(a.wire.progress, spaces) }},
	{"endless-comments", "comments without an end", func(a *assault) { a.start(); a.forever(": still here\n\n") }},
	{"endless-event", "a sentence, and then one event without an end", endlessEvent},
	{"endless-lines", "one event of lines without an end", endlessLines},
	{"endless-blank", "a body of spaces", func(a *assault) { a.start(); a.forever(strings.Repeat(" \n", 1<<14)) }},
	{"endless-after", "an answer with events after its end", afterEnd},
	{"endless-body", "an answer in one piece without an end", wholeBody},
	{"trickle", "a letter ten times a second", trickle},
	{"gzip-event", "a sentence, and then a small body that decompresses to an endless event", gzipEvent},
	{"gzip-text", "a small body that decompresses to endless text", gzipText},
	{"gzip-arguments", "a small body that decompresses to endless arguments", gzipArguments},
	{"gzip-blank", "a small body that decompresses to endless spaces", gzipBlank},
	{"gzip-error", "an error whose small body decompresses without an end", gzipError},
	{"endless-error", "a refusal whose text does not end", func(a *assault) { a.failure(http.StatusBadRequest) }},
	{"endless-failure", "a failure whose text does not end", func(a *assault) { a.failure(http.StatusBadGateway) }},
	{"endless-headers", "headers without an end", func(a *assault) { a.raw("HTTP/1.1 200 OK\r\n", "X-More: "+filling+"\r\n") }},
	{"endless-hints", "preliminary answers without an end", func(a *assault) { a.raw("", "HTTP/1.1 103 Early Hints\r\n\r\n") }},
	{"endless-chunk", "a chunk whose size does not end", endlessChunk},
	{"redirects", "a redirect to itself", redirects},
	{"hang", "nothing after the headers", func(a *assault) { a.start(); a.flush(); <-a.r.Context().Done() }},
	{"hang-early", "not even headers", func(a *assault) { <-a.r.Context().Done() }},
	{"hang-inside", "half an event, and then nothing", halfEvent},
	{"cut", "a connection that closes properly inside an event", func(a *assault) { a.send(a.started()) }},
	{"reset", "a connection that breaks inside an event", resetInside},
	{"wait", "a request to wait for a century", waitCentury},
	{"usage", "an answer that counts 2^63-1 tokens", func(a *assault) { a.fine("9223372036854775807") }},
	{"long-name", "a call of a tool whose name has a megabyte", longName},
	{"deep", "arguments nested 200,000 times", deepArguments},
	{"many-values", "one event of two million small values", manyValues},
	{"many-texts", "one event of 30,000 texts", manyTexts},
	{"many-fields", "arguments with 300,000 fields", manyFields},
	{"control", "text of terminal controls", func(a *assault) { a.start(); a.send(a.wire.event(a.wire.text, controls, 0)); a.end() }},
}
