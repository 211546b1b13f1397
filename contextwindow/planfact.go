package contextwindow

import (
	"encoding/json"
	"strings"
)

// The names of the fields of a task in a plan that is a list of objects: what is to be done, and how far it is.
var (
	taskArguments   = []string{"content", "step", "task", "title", "description", "text"}
	statusArguments = []string{"status", "state"}
)

// planText is a plan as the record shows it: a list of tasks as a line for each, anything else as it was written.
func planText(raw string) string {
	var tasks []json.RawMessage
	if json.Unmarshal([]byte(raw), &tasks) != nil {
		return raw
	}
	lines := make([]string, 0, len(tasks))
	for _, task := range tasks {
		var text string
		if json.Unmarshal(task, &text) != nil {
			if text = taskText(task); text == "" {
				return raw
			}
		}
		lines = append(lines, "- "+strings.TrimSpace(text))
	}
	return strings.Join(lines, "\n")
}

// taskText is one task that is an object, with its status; "" if it does not say what is to be done.
func taskText(task json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(task, &fields) != nil {
		return ""
	}
	text := argument(fields, taskArguments)
	if status := argument(fields, statusArguments); text != "" && status != "" {
		text = "[" + status + "] " + text
	}
	return text
}
