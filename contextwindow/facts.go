package contextwindow

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
)

// A FactKind says what a call did.
type FactKind string

// The kinds of facts.
const (
	FactRead      FactKind = "read"      // read a file
	FactModified  FactKind = "modified"  // changed a file
	FactSubmitted FactKind = "submitted" // submitted an item that was accepted
	FactPlan      FactKind = "plan"      // set a plan or a task list
	FactFailed    FactKind = "failed"    // failed
)

// A Fact is something a call did that must outlive its turn in the view. Ref names the file, the item or the error in
// one line; a plan has one line per task.
type Fact struct {
	Kind FactKind `json:"kind"`
	Ref  string   `json:"ref"`
}

// The argument names that FactsByArguments recognises. It reads arguments instead of tool names, so that it also
// understands recordings of other agents.
var (
	pathArguments   = []string{"path", "file_path", "file", "filename", "notebook_path"}
	changeArguments = []string{"content", "contents", "new_string", "new_str", "new_text", "replacement_text",
		"old_string", "old_str", "file_text", "insert_text", "edits", "patch", "diff"}
	planArguments   = []string{"plan", "todos", "steps"}
	titleArguments  = []string{"title", "name", "id", "category"}
	itemArguments   = []string{"item", "candidate", "finding", "knowledge", "data"}       // that may hold the title
	taskArguments   = []string{"content", "step", "task", "title", "description", "text"} // of a task in a plan
	statusArguments = []string{"status", "state"}
)

const (
	factRunes = 160   // longest Ref
	planRunes = 2_000 // longest plan
)

// FactsByArguments infers what a call did from the names of its arguments, and from the kind and shape of its result.
// A call submitted an item if its result is a [toollimit.Receipt], if the name of its tool holds "submit", or if its
// result is a JSON object that says accepted; not if the result is an error or says that the item was refused or is a
// duplicate.
func FactsByArguments(call transcript.ToolCall, result transcript.Message) []Fact {
	return factsOf(call, &result, fieldsOf(call.Args))
}

func factsOf(call transcript.ToolCall, result *transcript.Message, args map[string]json.RawMessage) []Fact {
	path := argument(args, pathArguments)
	if result.Failed {
		return []Fact{{FactFailed, oneLine(call.Name + " " + path + ": " + result.Text)}}
	}
	switch verdict := verdictOf(result); {
	case verdict == refused && submits(call, result):
		return []Fact{{FactFailed, oneLine(call.Name + " " + titleOf(args, call.Name) + ": " + result.Text)}}
	case verdict == accepted || verdict == unsaid && submits(call, result):
		return []Fact{{FactSubmitted, oneLine(titleOf(args, call.Name))}}
	case argument(args, planArguments) != "":
		return []Fact{{FactPlan, firstRunes(planText(argument(args, planArguments)), planRunes)}}
	case path == "":
		return nil
	case changesFile(args):
		return []Fact{{FactModified, oneLine(path)}}
	}
	return []Fact{{FactRead, oneLine(path)}}
}

// submits reports whether a call hands in an item, whatever became of it.
func submits(call transcript.ToolCall, result *transcript.Message) bool {
	return result.Kind == toollimit.Receipt || strings.Contains(strings.ToLower(call.Name), "submit")
}

// titleOf returns the title of a submitted item, from the arguments or from an item among them.
func titleOf(args map[string]json.RawMessage, other string) string {
	title := argument(args, titleArguments[:2])
	for _, name := range itemArguments {
		if title == "" {
			title = argument(fieldsOf(args[name]), titleArguments)
		}
	}
	return cmp.Or(title, argument(args, titleArguments), other)
}

// A verdict is what a result says of a submitted item.
type verdict int

const (
	unsaid verdict = iota
	accepted
	refused
)

// The statuses by which a result accepts or refuses an item.
var (
	acceptedStatus = []string{"accepted", "submitted"}
	refusedStatus  = []string{"duplicate", "rejected", "refused", "failed", "error", "invalid"}
)

const mostVerdict = 16 << 10 // bytes of a result that may be a verdict

// verdictOf reads the verdict in a JSON object, or in a line "status: …" of a receipt.
func verdictOf(result *transcript.Message) verdict {
	if len(result.Text) > mostVerdict || result.Kind != toollimit.JSON && result.Kind != toollimit.Receipt {
		return unsaid
	}
	if !strings.HasPrefix(result.Text, "{") {
		_, status, _ := strings.Cut("\n"+result.Text, "\nstatus: ")
		status, _, _ = strings.Cut(status, "\n")
		return statusVerdict(status)
	}
	fields := fieldsOf([]byte(result.Text))
	is := func(value string, names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return string(fields[name]) == value })
	}
	switch status := statusVerdict(argument(fields, statusArguments)); {
	case status != unsaid:
		return status
	case is("true", "duplicate", "rejected") || is("false", "accepted", "success", "ok"):
		return refused
	case is("true", "accepted", "submitted"):
		return accepted
	}
	return unsaid
}

func statusVerdict(status string) verdict {
	switch status = strings.ToLower(status); {
	case slices.Contains(acceptedStatus, status):
		return accepted
	case slices.Contains(refusedStatus, status):
		return refused
	}
	return unsaid
}

func fieldsOf(object json.RawMessage) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil {
		return nil
	}
	return fields
}

func changesFile(args map[string]json.RawMessage) bool {
	return slices.ContainsFunc(changeArguments, func(name string) bool { return args[name] != nil })
}

// argument returns the first of the named arguments that is set: a string unquoted, anything else as JSON.
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

// planText renders a JSON list of tasks as one line per task, and leaves any other plan unchanged.
func planText(raw string) string {
	var tasks []json.RawMessage
	if json.Unmarshal([]byte(raw), &tasks) != nil {
		return raw
	}
	lines := make([]string, 0, len(tasks))
	for _, task := range tasks {
		var text string
		if json.Unmarshal(task, &text) != nil {
			fields := fieldsOf(task)
			if text = argument(fields, taskArguments); text == "" {
				return raw
			}
			if status := argument(fields, statusArguments); status != "" {
				text = "[" + status + "] " + text
			}
		}
		lines = append(lines, "- "+strings.TrimSpace(text))
	}
	return strings.Join(lines, "\n")
}

// oneLine flattens and truncates a text, and replaces each byte that is not UTF-8.
func oneLine(text string) string {
	return line.Truncate(string([]rune(line.Flat(text[:min(len(text), 8*factRunes)]))), factRunes)
}

// firstRunes returns the first n runes of a text, with an ellipsis if there are more.
func firstRunes(text string, n int) string {
	if line.Runes(text) <= n {
		return text
	}
	return string([]rune(text)[:n]) + "…"
}

// toValid replaces what is not UTF-8. Most texts are valid, and [utf8.ValidString] sees that faster.
func toValid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
