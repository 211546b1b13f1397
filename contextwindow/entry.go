package contextwindow

import "github.com/forayhq/foray/contextwindow/transcript"

// An Entry is one line of the log: exactly one field is set. Entries are never changed once written; the state of a
// window is a fold over them.
type Entry struct {
	Prefix   *Prefix   `json:"frame,omitempty"`
	Unit     *Unit     `json:"unit,omitempty"`
	Edit     *Edit     `json:"edit,omitempty"`
	Note     *Note     `json:"note,omitempty"`
	Observed *Observed `json:"observed,omitempty"`
}

// A Frame is what every request of a run carries besides its messages.
type Prefix struct {
	System string                  `json:"system,omitempty"`
	Tools  []transcript.ToolSchema `json:"tools,omitempty"`
}

// A Unit is an atomic group of messages as they were received: a user or assistant message alone, or an assistant
// message with calls and the result of each, in the order of the calls. Step numbers the units from 1.
type Unit struct {
	Step     int                  `json:"step"`
	Messages []transcript.Message `json:"messages"`
}

// An Op says what an Edit does to the view.
type Op string

// The operations of an Edit.
const (
	OpCut   Op = "cut"   // parts of units are shown shortened
	OpFold  Op = "fold"  // units leave the view; the record stands for everything folded so far
	OpStage Op = "stage" // all units leave the view, the prompt too; the next user message opens a stage
	OpLimit Op = "limit" // the provider allows less than the budget
	OpPin   Op = "pin"   // units stay in the view; those that were folded come back, cut as told
	OpUnpin Op = "unpin" // units stay no longer
	OpUndo  Op = "undo"  // earlier edits are taken back, as if they had not been written

	OpSummary Op = "summary" // a text that a model wrote stands in the record once the units that it is of are folded
)

// An Edit changes what the view shows, and nothing else: the units it speaks of stay in the log as they were.
type Edit struct {
	Op     Op          `json:"op"`
	Cause  string      `json:"cause"`            // the level or rung that asked for it, as in "L1"; "quota" on the way in
	Cuts   []Cut       `json:"cuts,omitempty"`   // OpCut, OpPin
	Steps  []int       `json:"steps,omitempty"`  // the steps of the units that it is of, ascending; OpFold: those that leave the view
	Record string      `json:"record,omitempty"` // OpFold, OpStage: the text that stands for all that was folded; "": none
	Lines  []KeptLines `json:"lines,omitempty"`  // OpFold, OpStage: the key lines that the record shows
	Focus  string      `json:"focus,omitempty"`  // OpFold: what records look at from now on; "": as before
	Text   string      `json:"text,omitempty"`   // OpSummary
	Undone []int       `json:"undone,omitempty"` // OpUndo: the indexes of the entries that are taken back, ascending
	Limit  int         `json:"limit,omitempty"`  // OpLimit, in tokens
	Quiet  bool        `json:"quiet,omitempty"`  // notes leave the view too: the last resort
	Before int         `json:"before"`           // raw estimate of the whole request before, in tokens, not calibrated
	After  int         `json:"after"`            // and after
}

// KeptLines are the lines of one part of a folded unit that the record shows, by their index from 0, ascending. Part
// is as in a Cut.
type KeptLines struct {
	Step  int   `json:"step"`
	Part  int   `json:"part"`
	Args  bool  `json:"args,omitempty"`
	Lines []int `json:"lines"`
}

// A Cut replaces one part of a unit. Part 0 is the text of its first message, part n the result of its n-th call, and
// with Args the arguments of the n-th call.
type Cut struct {
	Step int    `json:"step"`
	Part int    `json:"part"`
	Args bool   `json:"args,omitempty"`
	Text string `json:"text"`
}

// A Note is a text for the model from the runtime. It is shown fenced, behind the message that was the newest when it
// was written. A newer note of a kind supersedes the older, which leaves the view at the next compaction.
type Note struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// Observed is the provider's own count of a request, beside the estimates of it, all in tokens.
type Observed struct {
	Actual    int `json:"actual"`
	Estimate  int `json:"estimate"`            // raw
	Predicted int `json:"predicted,omitempty"` // calibrated; 0 in logs from before it was kept
}
