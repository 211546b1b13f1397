package scripted

import (
	"fmt"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// faults are streams that break the contract of [providers.Model], as a bad dialect, proxy or server might send them.
var faults = []struct {
	name   string
	stream []providers.Delta
}{
	{"call without name", []providers.Delta{call("c1", "", `{}`), finish(providers.Calls)}},
	{"call without id", []providers.Delta{call("", "list_dir", `{}`), finish(providers.Calls)}},
	{"call of a tool that was not offered", []providers.Delta{call("c1", "no_such_tool", `{}`), finish(providers.Calls)}},
	// Allowed by the contract: the text in a JSON string.
	{"arguments cut", []providers.Delta{call("c1", "list_dir", `"{\"path\": \"sr"`), finish(providers.Calls)}},
	// Against the contract: bytes that cannot be stored.
	{"arguments no JSON", []providers.Delta{call("c1", "list_dir", `{"path": "sr`), finish(providers.Calls)}},
	{"duplicate ids", []providers.Delta{
		call("c1", "list_dir", `{}`), call("c1", "list_dir", `{}`), finish(providers.Calls),
	}},
	{"finish missing", []providers.Delta{said}},
	{"text after finish", []providers.Delta{said, finish(providers.Stop), said}},
	{"second finish", []providers.Delta{said, finish(providers.Stop), finish(providers.Length)}},
	{"calls, but the finish is stop", []providers.Delta{call("c1", "list_dir", `{}`), finish(providers.Stop)}},
	{"no calls, but the finish is calls", []providers.Delta{said, finish(providers.Calls)}},
	{"empty deltas", []providers.Delta{{}, said, {}, finish(providers.Stop)}},
	{"usage twice", []providers.Delta{
		said, {Usage: &providers.Usage{Input: 9, Output: 1}}, {Usage: &providers.Usage{Input: 9, Output: 2}},
		finish(providers.Stop),
	}},
	{"text that is not UTF-8", []providers.Delta{{Text: "said \xf0\x9f"}, finish(providers.Stop)}},
}

var said = providers.Delta{Text: "said "}

func finish(f providers.Finish) providers.Delta { return providers.Delta{Finish: f} }

func call(id, name, args string) providers.Delta {
	return providers.Delta{Call: &transcript.ToolCall{ID: id, Name: name, Args: []byte(args)}}
}

// Faults returns the names of all faults that [Malformed] knows, in a fixed order.
func Faults() []string {
	all := make([]string, len(faults))
	for i, f := range faults {
		all[i] = f.name
	}
	return all
}

// Malformed returns a line that breaks the contract in the way that the name, one of [Faults], says. Its text is "said
// "; its calls are of list_dir with the id "c1". It panics on any other name.
func Malformed(fault string) Line {
	for _, f := range faults {
		if f.name == fault {
			return Deltas(f.stream...)
		}
	}
	panic(fmt.Sprintf("scripted: no fault %q", fault))
}
