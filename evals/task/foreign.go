package task

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Advice on recordings.
const (
	compare = "; compare policies on it with: foray eval compaction --data FILE"
	session = "a session of a coding agent" + compare
)

// foreigners are files of other kinds, known by the fields that their lines have.
var foreigners = []struct {
	fields []string // all of them
	advice string
}{
	{[]string{"event"}, "a trace of foray" + compare},
	{[]string{"task", "subject", "trial"}, "results of foray; look at them with: foray eval show DIR"},
	{[]string{"sessionId"}, session},
	{[]string{"uuid", "message"}, session},
	{[]string{"type", "payload"}, session},
	{[]string{"messages"}, "recorded conversations" + compare},
	{[]string{"role", "content"}, "one recorded conversation" + compare},
	{[]string{"instance_id", "problem_statement"}, "SWE-bench; write a line with id, prompt and checks for each"},
}

// foreign returns what a line that is not a task looks like, or "".
func foreign(text []byte) string {
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && trimmed[0] == '[' {
		return "a JSON array; write one task a line: jq -c '.[]' FILE > tasks.jsonl"
	}
	if string(bytes.TrimSpace(text)) == "{" {
		return "JSON over several lines; write one task a line: jq -c . FILE > tasks.jsonl"
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil || fields["id"] != nil && fields["prompt"] != nil {
		return ""
	}
next:
	for _, f := range foreigners {
		for _, name := range f.fields {
			if fields[name] == nil {
				continue next
			}
		}
		return f.advice
	}
	return ""
}

// empty returns why the set has no task.
func (r *reader) empty() error {
	switch {
	case r.foreign != "":
		return fmt.Errorf("no tasks; it looks like %s", r.foreign)
	case len(r.Problems) > 0:
		return fmt.Errorf("no tasks; the first problem: %s", r.Problems[0])
	}
	return errors.New(`no tasks; write lines such as {"id":"1","prompt":"…","checks":[{"kind":"contains","all":["…"]}]}`)
}
