package agent

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"path"
	"strings"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// A result that is shown in stallNote steps causes a warning for the model; in stallStop steps it ends the run.
const (
	stallNote = 3
	stallStop = 5
)

// stallText is the least length, in bytes, of a result that counts as the same one for calls with other arguments. A
// shorter one ("ok", "no match") is the honest answer to many calls.
const stallText = 200

// A stallDetector finds calls that bring nothing new: the same call with the same result, or calls of one tool that
// show the same text whatever their arguments are. Results of tools with Polls do not get here.
type stallDetector struct {
	seed    maphash.Seed
	seen    map[uint64]sighting  // by hash of a repeatKey
	first   map[uint64]firstCall // with a result, by hash; zero once its arguments are counted
	barren  int                  // steps in a row that only repeated earlier calls
	unmade  int                  // steps in a row in which no call could be made
	stalled bool
}

// A run ends after this many steps in a row without anything new.
const (
	barrenSame  = 2 // that repeated calls, one of them for the third time
	barrenMost  = 3 // that repeated calls
	unmadeSteps = 8 // whose calls could not be made
)

// A sighting counts the steps in which something was seen.
type sighting struct{ steps, last int }

// A firstCall is the first call with a result.
type firstCall struct {
	step int
	args json.RawMessage
}

func newStallDetector() stallDetector {
	return stallDetector{seed: maphash.MakeSeed(), seen: make(map[uint64]sighting), first: make(map[uint64]firstCall)}
}

// A textHash is the hash and the size of a text, which may be in a store.
type textHash struct {
	hash uint64
	size int // in bytes
}

// hash returns the hash of a text. A long one is the same as when it is left in the store of a session.
func (d *stallDetector) hash(text string) textHash {
	if len(text) >= contextwindow.LongResult {
		return textHash{maphash.Comparable(d.seed, sha256.Sum256([]byte(text))), len(text)}
	}
	return textHash{maphash.String(d.seed, text), len(text)}
}

// hashesOf returns the hashes of the results of a unit, some of which may be left in a store.
func (d *stallDetector) hashesOf(results []transcript.Message, left map[int]contextwindow.LeftText) []textHash {
	hashes := make([]textHash, len(results))
	for i := range results {
		if text, is := left[i+1]; is {
			hashes[i] = textHash{maphash.Comparable(d.seed, text.Sum), text.Size}
		} else {
			hashes[i] = d.hash(results[i].Text)
		}
	}
	return hashes
}

// watch counts a call, its result as it was received, and the result as the model sees it, once a step. Shown must not
// name the id of the result, which differs each time. It returns a warning for the model, or "". Calls that were not
// executed do not count: the model was asked to repeat them. Neither do the results of tools with effects count for
// other arguments: each call did something else.
func (d *stallDetector) watch(rec *ToolRecord, effects bool, received, shown textHash) (warning string) {
	if errors.Is(rec.Err, errNotExecuted) {
		return ""
	}
	name, args := rec.Made.Name, string(rec.Made.Args)
	same, what := 0, "with the same arguments"
	var texts [2]int
	for i, text := range [...]textHash{received, shown} {
		same = max(same, d.count(rec.Step, repeatKey{what: i, tool: name, args: args, text: text.hash}))
		texts[i] = d.count(rec.Step, repeatKey{what: i, tool: name, anyArgs: true, text: text.hash})
	}
	for i, text := range [...]textHash{received, shown} {
		if texts[i] > same && !effects && text.size >= stallText {
			same, what = texts[i], "with other arguments"
		}
	}
	switch {
	case same >= stallStop:
		d.stalled = true
	case same == stallNote:
		return fmt.Sprintf("%s was called %s in %d steps and gave the same result. "+
			"Do something else, or answer.", name, what, same)
	}
	return ""
}

// A repeatKey is what several steps may have in common.
type repeatKey struct {
	what        int // a text as it was received, as it was shown, or again
	tool, args  string
	anyArgs     bool
	text        uint64 // hash
	compactions int
}

// again is a result that was received before, for arguments that ask for the same.
const again = 2

// count counts a step in which something was seen, and returns in how many steps it was; 0 if this step was counted
// before.
func (d *stallDetector) count(step int, k repeatKey) int {
	key := maphash.Comparable(d.seed, k)
	seen := d.seen[key]
	if seen.last == step {
		return 0
	}
	seen = sighting{seen.steps + 1, step}
	d.seen[key] = seen
	return seen.steps
}

// A stepCheck compares the calls of one step with those before it.
type stepCheck struct {
	*stallDetector
	step, compactions int  // number of the step; compactions of the window so far, after which texts may be read again
	fresh, made       bool // a call brought something new; a call was made
	most              int  // steps in which the most frequent call was seen
	tool              string
}

// add takes a call and its result. A call is repeated if its tool has no effects, its arguments differ in nothing but
// case, spaces and empty fields, and its result is the same. Most results are new, so arguments are only read once a
// result comes again.
func (c *stepCheck) add(rec *ToolRecord, effects bool, received textHash) {
	if errors.Is(rec.Err, errNotExecuted) {
		return
	}
	c.made = c.made || rec.Err == nil || rec.Duration > 0
	t := repeatKey{again, rec.Made.Name, "", true, received.hash, c.compactions}
	key, n := maphash.Comparable(c.seed, t), 1
	if first, met := c.first[key]; !met {
		c.first[key] = firstCall{c.step, rec.Made.Args}
	} else {
		t.anyArgs = false
		if first.step > 0 {
			t.args = sameArguments(first.args)
			c.count(first.step, t)
			c.first[key] = firstCall{}
		}
		t.args = sameArguments(rec.Made.Args)
		n = c.count(c.step, t)
	}
	c.fresh = c.fresh || effects || n == 1
	if n > c.most {
		c.most, c.tool = n, rec.Made.Name
	}
}

// end returns a note for the model if the step brought nothing new, or "". Places are files to look at instead.
func (c *stepCheck) end(places []string) (note string) {
	if c.unmade++; c.made {
		c.unmade = 0
	}
	if c.barren++; c.fresh || c.most == 0 {
		c.barren = 0
	}
	if c.unmade >= unmadeSteps || c.barren >= barrenMost || c.barren >= barrenSame && c.most > barrenSame {
		c.stalled = true
	}
	if c.barren == 0 || c.stalled {
		return ""
	}
	note = fmt.Sprintf("You called %s with these arguments before, and the result is the same. Do not repeat it: ", c.tool)
	if len(places) == 0 {
		return note + "look at something else, or answer from what you have found."
	}
	return note + fmt.Sprintf("look at what you have not read yet (%s), or answer from what you have found.",
		strings.Join(places, ", "))
}

// sameArguments returns arguments in a form that is equal for calls that ask for the same.
func sameArguments(args json.RawMessage) string {
	var v any
	if json.Unmarshal(args, &v) != nil {
		return string(args)
	}
	same, err := json.Marshal(simplified(v))
	if err != nil {
		return string(args)
	}
	return string(same)
}

// simplified returns a JSON value without empty fields, with texts in lower case and without needless spaces.
func simplified(v any) any {
	switch v := v.(type) {
	case string:
		text := strings.ToLower(strings.Join(strings.Fields(v), " "))
		if strings.ContainsRune(text, '/') {
			text = path.Clean(text)
		}
		return text
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = simplified(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, field := range v {
			if field != nil && field != "" {
				out[name] = simplified(field)
			}
		}
		return out
	}
	return v
}
