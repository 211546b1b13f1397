package offline

import (
	"fmt"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// A Fault is a way in which the stream of an answer breaks the contract of providers.Model, as a bad dialect, proxy or
// server would have it.
type Fault string

// The faults.
const (
	CallWithoutName  Fault = "call without name"
	CallWithoutID    Fault = "call without id"
	UnknownTool      Fault = "call of a tool that was not offered"
	ArgumentsCut     Fault = "arguments cut"     // as the contract wants them: the text in a JSON string
	ArgumentsRaw     Fault = "arguments no JSON" // against the contract: bytes that cannot be stored
	DuplicateIDs     Fault = "duplicate ids"
	FinishMissing    Fault = "finish missing"
	TextAfterFinish  Fault = "text after finish"
	SecondFinish     Fault = "second finish"
	CallsUnannounced Fault = "calls, but the finish is stop"
	CallsMissing     Fault = "no calls, but the finish is calls"
	EmptyDeltas      Fault = "empty deltas"
	UsageTwice       Fault = "usage twice"
	BrokenRune       Fault = "text that is not UTF-8"
)

// faults is the table of the streams, with the word of Malformed as text.
var faults = []struct {
	fault  Fault
	stream []providers.Delta
}{
	{CallWithoutName, []providers.Delta{call("c1", "", `{}`), finish(providers.Calls)}},
	{CallWithoutID, []providers.Delta{call("", "list_dir", `{}`), finish(providers.Calls)}},
	{UnknownTool, []providers.Delta{call("c1", "no_such_tool", `{}`), finish(providers.Calls)}},
	{ArgumentsCut, []providers.Delta{call("c1", "list_dir", `"{\"path\": \"sr"`), finish(providers.Calls)}},
	{ArgumentsRaw, []providers.Delta{call("c1", "list_dir", `{"path": "sr`), finish(providers.Calls)}},
	{DuplicateIDs, []providers.Delta{call("c1", "list_dir", `{}`), call("c1", "list_dir", `{}`), finish(providers.Calls)}},
	{FinishMissing, []providers.Delta{said}},
	{TextAfterFinish, []providers.Delta{said, finish(providers.Stop), said}},
	{SecondFinish, []providers.Delta{said, finish(providers.Stop), finish(providers.Length)}},
	{CallsUnannounced, []providers.Delta{call("c1", "list_dir", `{}`), finish(providers.Stop)}},
	{CallsMissing, []providers.Delta{said, finish(providers.Calls)}},
	{EmptyDeltas, []providers.Delta{{}, said, {}, finish(providers.Stop)}},
	{UsageTwice, []providers.Delta{said, {Usage: &providers.Usage{Input: 9, Output: 1}}, {Usage: &providers.Usage{Input: 9, Output: 2}}, finish(providers.Stop)}},
	{BrokenRune, []providers.Delta{{Text: "said \xf0\x9f"}, finish(providers.Stop)}},
}

var said = providers.Delta{Text: "said "}

func finish(f providers.Finish) providers.Delta { return providers.Delta{Finish: f} }

func call(id, name, args string) providers.Delta {
	return providers.Delta{Call: &transcript.ToolCall{ID: id, Name: name, Args: []byte(args)}}
}

// Faults returns all faults, in a fixed order, for tests that go through them.
func Faults() []Fault {
	all := make([]Fault, len(faults))
	for i, f := range faults {
		all[i] = f.fault
	}
	return all
}

// Malformed returns the line whose answer has the fault. Text in it is "said "; calls are of list_dir, with the ids "c1".
// It panics on a fault that is not one of Faults.
func Malformed(fault Fault) Line {
	for _, f := range faults {
		if f.fault == fault {
			return Deltas(f.stream...)
		}
	}
	panic(fmt.Sprintf("offline: no fault %q", fault))
}
