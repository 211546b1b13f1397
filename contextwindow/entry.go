package contextwindow

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// An Entry is one line of the log: exactly one field is set. A written entry never changes, and the state of a window
// is a fold over its entries. The JSON names are older than the Go names ("frame", "fold", "record") and stay, so that
// saved logs still load.
type Entry struct {
	Prefix   *Prefix   `json:"frame,omitempty"`
	Unit     *Unit     `json:"unit,omitempty"`
	Edit     *Edit     `json:"edit,omitempty"`
	Note     *Note     `json:"note,omitempty"`
	Observed *Observed `json:"observed,omitempty"`
}

// A Prefix is what every request of a run carries besides its messages.
type Prefix struct {
	System string                  `json:"system,omitempty"`
	Tools  []transcript.ToolSchema `json:"tools,omitempty"`
}

// A Unit is an atomic group of messages as they were received: a user or assistant message alone, or an assistant
// message with calls and the result of each, in the order of the calls. Step numbers the units from 1, or from
// [Options].After. Late is how many of the newest notes were written after the request that an assistant message
// answers: they are shown after the unit, since the model has not seen them.
//
// Sizes are the estimates of the messages in tokens, if one of them is long. With them, a store may leave out long
// results, and say in Left, by the index of the message, how to read them. The window then reads them when it needs
// them.
type Unit struct {
	Step     int                  `json:"step"`
	Messages []transcript.Message `json:"messages"`
	Late     int                  `json:"late,omitempty"`
	Sizes    []int                `json:"sizes,omitempty"`
	Left     map[int]LeftText     `json:"-"`
}

// The values of [Edit.Op].
const (
	opTruncate = "cut"
	opEvict    = "fold"
	opStage    = "stage"
	opLimit    = "limit"
	opPin      = "pin"
	opUnpin    = "unpin"
	opUndo     = "undo"
	opSummary  = "summary"
	opRewind   = "rewind"
	opReclaim  = "reclaim"
)

// An Edit changes what the view shows. The units in the log stay as they were received. Op is one of
//
//	cut      shows parts of units shortened: Truncations
//	fold     evicts the units of Steps and shows the Digest of all evicted units
//	stage    evicts all units, the prompt included; the next user message opens a stage
//	limit    sets the Limit that the provider named
//	pin      keeps the units of Steps in the view, and restores evicted ones as Truncations show them
//	unpin    releases the units of Steps
//	undo     takes the entries Undone back, as if they had never been written
//	summary  adds a model's Text to the digest once the units of Steps are evicted
//	rewind   says that the log was taken back to here: Limit stays, and new steps are numbered after the one in Steps. As
//	         the first entry, it says that earlier windows of the store used the steps up to that one
//	reclaim  hides what a service compacted for the units of Steps, for this window to compact
type Edit struct {
	Op          string       `json:"op"`
	Cause       string       `json:"cause"` // level or rung that asked for it ("L1", "overflow 3"); "quota" on the way in
	Truncations []Truncation `json:"cuts,omitempty"`
	Steps       []int        `json:"steps,omitempty"`  // ascending
	Digest      string       `json:"record,omitempty"` // "" for none
	Lines       []KeptLines  `json:"lines,omitempty"`  // key lines that the digest shows
	Focus       string       `json:"focus,omitempty"`  // what later digests look for; "" leaves it unchanged
	Text        string       `json:"text,omitempty"`
	Undone      []int        `json:"undone,omitempty"` // indexes of entries, ascending
	Limit       int          `json:"limit,omitempty"`  // in tokens
	Quiet       bool         `json:"quiet,omitempty"`  // also removes the notes: the last resort
	Before      int          `json:"before"`           // raw estimate of the whole request before the edit, in tokens
	After       int          `json:"after"`            // and after it
}

// causeQuota marks an edit that limits results on their way in. Every other edit is a compaction.
const causeQuota = "quota"

// canUndo reports whether an edit may be taken back: not what a quota truncated on the way in, nor what the provider
// said of its window.
func (e *Edit) canUndo() bool {
	switch e.Op {
	case opTruncate:
		return e.Cause != causeQuota
	case opEvict, opPin, opUnpin, opSummary:
		return true
	case opStage, opLimit, opUndo, opRewind, opReclaim:
	}
	return false
}

// KeptLines are the lines of one part of an evicted unit that the digest shows: indexes from 0, ascending. Part and
// Args are those of a [Truncation].
type KeptLines struct {
	Step  int   `json:"step"`
	Part  int   `json:"part"`
	Args  bool  `json:"args,omitempty"`
	Lines []int `json:"lines"`
}

// A Truncation replaces one part of a unit by a shorter text. Part 0 is the text of its first message, part n the
// result of its n-th call, and with Args the arguments of the n-th call.
type Truncation struct {
	Step int    `json:"step"`
	Part int    `json:"part"`
	Args bool   `json:"args,omitempty"`
	Text string `json:"text"`
	// NoImages also hides the pictures of the part, which Text names.
	NoImages bool `json:"no_images,omitempty"`
	// Repeats are the steps of the units whose lines the text leaves out, because the view shows them.
	Repeats []int `json:"repeats,omitempty"`
}

// A Note is a text for the model from the runtime. It is shown after the message that was newest when it was
// written, in tags unless the options say [Options.PlainNotes]. A newer note of the same kind replaces it; the older
// one leaves the view at the next compaction.
type Note struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// Observed is the provider's own count of a request next to the estimates of it, all in tokens.
type Observed struct {
	Actual    int `json:"actual"`
	Estimate  int `json:"estimate"`            // raw
	Predicted int `json:"predicted,omitempty"` // calibrated; 0 in old logs
}

// A partID names a part of a unit, as a Truncation does.
type partID struct {
	step, part int
	args       bool
}

func (t *Truncation) id() partID { return partID{t.Step, t.Part, t.Args} }

func (k *KeptLines) id() partID { return partID{k.Step, k.Part, k.Args} }

func shownLines(kept []KeptLines) map[partID][]int {
	shown := make(map[partID][]int, len(kept))
	for _, k := range kept {
		shown[k.id()] = k.Lines
	}
	return shown
}

// String is the id under which the whole part is stored: "s12.1", with a trailing "a" for arguments.
func (p partID) String() string {
	id := strconv.AppendInt(append(make([]byte, 0, 16), 's'), int64(p.step), 10)
	id = strconv.AppendInt(append(id, '.'), int64(p.part), 10)
	if p.args {
		id = append(id, 'a')
	}
	return string(id)
}

// parsePartID is the inverse of partID.String.
func parsePartID(id string) (p partID, ok bool) {
	if _, err := fmt.Sscanf(id, "s%d.%d", &p.step, &p.part); err != nil || p.step < 1 || p.part < 0 {
		return partID{}, false
	}
	p.args = strings.HasSuffix(id, "a")
	return p, p.String() == id
}

// message is the index of the message that holds the part.
func (p partID) message() int {
	if p.args {
		return 0
	}
	return p.part
}

func isResult(id partID) bool { return id.part > 0 && !id.args }

// compare orders parts by steps; in a unit, the texts come before the arguments.
func (p partID) compare(q partID) int {
	switch {
	case p.step != q.step:
		return p.step - q.step
	case p.args != q.args && q.args:
		return -1
	case p.args != q.args:
		return 1
	}
	return p.part - q.part
}
