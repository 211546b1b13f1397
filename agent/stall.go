package agent

import (
	"errors"
	"fmt"
	"hash/maphash"
)

// After a call has given the same result in so many steps, the model is warned, and later the run ends.
const (
	stallNote = 3
	stallStop = 5
)

// A stallDetector finds calls that give the same result again and again.
type stallDetector struct {
	seed    maphash.Seed
	seen    map[uint64]sighting // by hash of call and result
	stalled bool
}

// A sighting counts the steps in which a call gave a result.
type sighting struct{ steps, last int }

func newStallDetector() stallDetector {
	return stallDetector{seed: maphash.MakeSeed(), seen: make(map[uint64]sighting)}
}

// watch counts a call and its result, once a step. It returns a warning for the model, or "". Calls that were not executed
// do not count: the model was asked to repeat them.
func (d *stallDetector) watch(rec *ToolRecord, result string) (warning string) {
	if errors.Is(rec.Err, errNotExecuted) {
		return ""
	}
	var h maphash.Hash
	h.SetSeed(d.seed)
	for _, s := range []string{rec.Call.Name, string(rec.Call.Args), result} {
		h.WriteString(s)
		h.WriteByte(0)
	}
	key := h.Sum64()
	seen := d.seen[key]
	if seen.last == rec.Step {
		return ""
	}
	seen = sighting{seen.steps + 1, rec.Step}
	d.seen[key] = seen
	switch {
	case seen.steps >= stallStop:
		d.stalled = true
	case seen.steps == stallNote:
		return fmt.Sprintf("%s was called with the same arguments in %d steps and gave the same result. Do something else, or answer.", rec.Call.Name, seen.steps)
	}
	return ""
}
