package sessionfile

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forayhq/foray/internal/jsonlines"
)

// TestRecorded reads the sessions in FORAY_DATA: every run is valid, and every text of a message is in a run, unless
// the report counts it as dropped.
func TestRecorded(t *testing.T) {
	data := os.Getenv("FORAY_DATA")
	if data == "" {
		t.Skip("FORAY_DATA is not set")
	}
	files, err := filepath.Glob(filepath.Join(data, "trajectories", "*"))
	if err != nil || len(files) == 0 {
		t.Skip("FORAY_DATA has no trajectories:", err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) { checkRecorded(t, path) })
	}
}

func checkRecorded(t *testing.T, path string) {
	kept := make(map[string]bool) // paragraphs of all runs
	keep := func(text string) {
		for line := range strings.Lines(text) {
			kept[strings.TrimSpace(line)] = true
		}
	}
	report, err := Each(t.Context(), path, nil, func(r *Run) bool {
		checkRun(t, r)
		keep(r.System)
		for i, m := range r.Messages {
			keep(m.Text)
			keep(r.Reasoning[i])
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	drops := report.Unread
	for _, f := range report.Findings {
		if f.Effect == Dropped || f.What == Duplicate {
			drops += f.Count
		}
	}
	texts, lost := 0, 0
	err = jsonlines.Each(t.Context(), path, maxLine, func(n int, line []byte, err error) bool {
		var v any
		if err != nil || json.Unmarshal(line, &v) != nil {
			return true
		}
		walk(v, func(text string) {
			texts++
			for part := range strings.Lines(text) {
				if part = strings.TrimSpace(part); part != "" && !kept[part] {
					if lost++; lost > drops {
						t.Errorf("line %d: lost %.200q", n, part)
					}
					return
				}
			}
		})
		return lost <= drops
	})
	if err != nil || texts == 0 {
		t.Errorf("%d texts: %v", texts, err)
	}
	t.Logf("%d texts, %d of them dropped\n%s", texts, lost, report)
}

// walk calls f with the texts of messages in a recorded value. The arguments of calls and what the agent keeps for
// itself are not texts.
func walk(v any, f func(string)) {
	switch v := v.(type) {
	case []any:
		for _, each := range v {
			walk(each, f)
		}
	case map[string]any:
		for key, each := range v {
			text, isText := each.(string)
			switch key {
			case "text", "content", "output", "summary", "thinking":
				if v["leafUuid"] != nil { // a title
					continue
				}
				if isText {
					f(text)
				} else {
					walk(each, f)
				}
			case "message", "messages", "payload", "parts", "state", "steps", "results", "observation":
				walk(each, f)
			}
		}
	}
}
