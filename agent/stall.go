package agent

import (
	"fmt"
	"hash/maphash"

	"github.com/forayhq/foray/contextwindow"
)

// A call that gives the same result as before gets nobody further: after so many times the model is told, and after
// more the run ends.
const (
	stallNote = 3
	stallStop = 5
)

// A callKey is a call with its result, as one number.
type callKey uint64

// watch counts how often a call gave the same result.
func (r *run) watch(call contextwindow.ToolCall, result string) {
	var h maphash.Hash
	h.SetSeed(r.seed)
	for _, s := range []string{call.Name, string(call.Args), result} {
		h.WriteString(s)
		h.WriteByte(0)
	}
	key := callKey(h.Sum64())
	r.seen[key]++
	switch n := r.seen[key]; {
	case n >= stallStop:
		r.stalled = true
	case n == stallNote:
		r.write(noteStall, fmt.Sprintf("%s was called %d times with the same arguments and gave the same result. Do something else, or answer.", call.Name, n))
	}
}
