package agent_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// TestCallsOfOtherAgents makes calls under the names of other agents, and shows the model and the record what was
// understood. A tool with effects is never meant by another name.
func TestCallsOfOtherAgents(t *testing.T) {
	type lines struct {
		Path  string `json:"path"`
		Start int    `json:"start_line,omitempty" jsonschema:"minimum=1"`
		End   int    `json:"end_line,omitempty" jsonschema:"minimum=1"`
	}
	var mu sync.Mutex // the calls run side by side
	var made []lines
	read := tools.New("read_file", "Reads lines.", func(_ context.Context, in lines) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		made = append(made, in)
		return "text of " + in.Path, nil
	})
	remove := tools.New("list_dir", "Removes a directory, here.", func(context.Context, lines) (string, error) {
		t.Error("a tool with effects was called by another name")
		return "", nil
	})
	remove.Effects = true
	m := scripted.New(
		scripted.Calls(
			scripted.Call{Name: "read_file", Args: `{"path":"a","start_line":1}`},
			scripted.Call{Name: "read_file", Args: `{"file_path":"b","lines":"12-40"}`},
			scripted.Call{Name: "Read", Args: `{"filename":"c","offset":"7"}`},
			scripted.Call{Name: "ls", Args: `{"path":"d"}`},
			scripted.Call{Name: "cat", Args: `{"colour":"red"}`},
			scripted.Call{Name: "read_file", Args: `{"file_path":"e","colour":"red"}`},
		),
		scripted.Text("done"),
	)
	a, err := agent.New(agent.Config{Model: m, Tools: []tools.Tool{read, remove}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := a.Run(t.Context(), "read")
	if err != nil {
		t.Fatal(err)
	}
	if len(made) != 3 {
		t.Fatalf("%d calls were made: %v", len(made), made)
	}
	results := map[string]string{}
	for _, e := range r.Transcript {
		if e.Unit == nil {
			continue
		}
		for _, m := range e.Unit.Messages {
			results[m.CallID] = m.Text
		}
	}
	for i, want := range []struct{ made, shown string }{
		{`read_file {"path":"a","start_line":1}`, "text of a"},
		{`read_file {"end_line":40,"path":"b","start_line":12}`,
			"note: lines was read as lines 12-40; file_path was read as path\ntext of b"},
		{`read_file {"path":"c","start_line":7}`,
			"note: Read was read as read_file; filename was read as path; offset was read as start_line\ntext of c"},
		{`ls {"path":"d"}`, `there is no tool "ls"`},
		{`cat {"colour":"red"}`, `there is no tool "cat"`},
		{`read_file {"colour":"red","path":"e"}`, "note: file_path was read as path\ninvalid arguments for read_file:"},
	} {
		rec := r.Tools[i]
		if got := rec.Made.Name + " " + string(rec.Made.Args); got != want.made {
			t.Errorf("call %d was made as %s, want %s", i, got, want.made)
		}
		if shown := results[rec.Call.ID]; !strings.HasPrefix(shown, want.shown) {
			t.Errorf("call %d shows %q, want %q", i, shown, want.shown)
		}
	}
}
