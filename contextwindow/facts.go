package contextwindow

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// A FactKind says what a call did.
type FactKind string

// The kinds of facts.
const (
	FactRead      FactKind = "read"      // a file was read
	FactModified  FactKind = "modified"  // a file was changed
	FactSubmitted FactKind = "submitted" // an item was handed in and accepted
	FactPlan      FactKind = "plan"      // a plan or a list of tasks was set
	FactFailed    FactKind = "failed"    // the call failed
)

// A Fact is something that a call did and that must outlive its round: Ref names the file, the item or the error, in one line; a plan is a line for each of its tasks.
type Fact struct {
	Kind FactKind `json:"kind"`
	Ref  string   `json:"ref"`
}

// The names of arguments by which FactsByArguments tells what a call did. They are arguments and not tools, so that
// recordings of other agents are understood too.
var (
	pathArguments   = []string{"path", "file_path", "file", "filename", "notebook_path"}
	changeArguments = []string{"content", "contents", "new_string", "new_str", "new_text", "replacement_text", "old_string", "old_str", "file_text", "insert_text", "edits", "patch", "diff"}
	planArguments   = []string{"plan", "todos", "steps"}
	titleArguments  = []string{"title", "name", "id", "category"}
)

// factRunes is the longest Ref, in runes: a line of the record.
const factRunes = 160

// planRunes is the longest plan that is kept, in runes.
const planRunes = 2_000

// FactsByArguments reads what a call did from the names of its arguments and the kind of its result.
func FactsByArguments(call transcript.ToolCall, result transcript.Message) []Fact {
	var args map[string]json.RawMessage
	if json.Unmarshal(call.Args, &args) != nil {
		args = nil
	}
	path := argument(args, pathArguments)
	switch {
	case result.Failed:
		return []Fact{{FactFailed, brief(call.Name + " " + path + ": " + result.Text)}}
	case result.Kind == toollimit.Receipt:
		title := argument(args, titleArguments)
		if title == "" {
			title = call.Name
		}
		return []Fact{{FactSubmitted, brief(title)}}
	case argument(args, planArguments) != "":
		return []Fact{{FactPlan, firstRunes(planText(argument(args, planArguments)), planRunes)}}
	case path == "":
		return nil
	case slices.ContainsFunc(changeArguments, func(name string) bool { return args[name] != nil }):
		return []Fact{{FactModified, brief(path)}}
	}
	return []Fact{{FactRead, brief(path)}}
}

// argument returns the first of the named arguments that is there, a string as it is, anything else as JSON.
func argument(args map[string]json.RawMessage, names []string) string {
	for _, name := range names {
		raw, ok := args[name]
		if !ok || string(raw) == "null" {
			continue
		}
		var text string
		if json.Unmarshal(raw, &text) == nil {
			return text
		}
		return string(raw)
	}
	return ""
}

// brief is a text as part of one line of the record.
func brief(text string) string {
	runes := []rune(strings.Join(strings.Fields(text[:min(len(text), 8*factRunes)]), " "))
	if len(runes) > factRunes {
		return string(runes[:factRunes-1]) + "…"
	}
	return string(runes)
}
