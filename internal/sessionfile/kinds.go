package sessionfile

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// toolKinds maps recorded tools to the kind of their results, which recordings lack. The first matching row counts.
// The result of any other tool is JSON if it parses as such, else text.
var toolKinds = []struct {
	kind  toollimit.Kind
	names []string // in lower case
}{
	{toollimit.File, []string{"read", "open", "cat", "view", "goto", "scroll_down", "scroll_up", "read_file",
		"notebookread"}},
	{toollimit.Search, []string{"grep", "search_dir", "search_file", "search_code", "codebase_search"}},
	{toollimit.Listing, []string{"glob", "ls", "list_dir", "list_files", "find_file"}},
	{toollimit.Output, []string{"bash", "shell", "execute_bash", "exec_command", "terminal", "validate", "bashoutput",
		"run"}},
	{toollimit.Receipt, []string{"submit", "finish", "submit_finding", "report"}},
}

// failures are prefixes of results of failed calls, in lower case.
var failures = []string{
	"error", "traceback (most recent call last)", "<tool_use_error>", "fatal:", "exception:", "command failed",
}

// kindOf returns the kind of a recorded result, and whether the call failed.
func kindOf(call transcript.ToolCall, text string) (toollimit.Kind, bool) {
	start := strings.ToLower(strings.TrimSpace(text[:min(len(text), 64)]))
	failed := slices.ContainsFunc(failures, func(f string) bool { return strings.HasPrefix(start, f) })
	name := strings.ToLower(call.Name)
	for _, row := range toolKinds {
		if slices.Contains(row.names, name) {
			return row.kind, failed
		}
	}
	if start != "" && (start[0] == '{' || start[0] == '[') && json.Valid([]byte(text)) {
		return toollimit.JSON, failed
	}
	return toollimit.Text, failed
}
