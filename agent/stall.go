package agent

import (
	"errors"
	"fmt"
	"hash/maphash"
)

// A call that gives the same result as in steps before gets nobody further: after so many steps the model is told, and
// after more the run ends.
const (
	stallNote = 3
	stallStop = 5
)

// A callKey is a call with its result, as one number.
type callKey uint64

// A sighting is in how many steps a call gave a result, and in which the last time.
type sighting struct{ steps, last int }

// watch counts in how many steps a call gave the same result. Calls side by side in one answer count once, and one that
// was not executed not at all: the model was told to make it again.
func (r *run) watch(rec *ToolRecord, result string) {
	if errors.Is(rec.Err, errNotExecuted) {
		return
	}
	var h maphash.Hash
	h.SetSeed(r.seed)
	for _, s := range []string{rec.Call.Name, string(rec.Call.Args), result} {
		h.WriteString(s)
		h.WriteByte(0)
	}
	key := callKey(h.Sum64())
	seen := r.seen[key]
	if seen.last == rec.Step {
		return
	}
	seen = sighting{seen.steps + 1, rec.Step}
	r.seen[key] = seen
	switch {
	case seen.steps >= stallStop:
		r.stalled = true
	case seen.steps == stallNote:
		r.write(noteStall, fmt.Sprintf("%s was called with the same arguments in %d steps and gave the same result. Do something else, or answer.", rec.Call.Name, seen.steps))
	}
}
