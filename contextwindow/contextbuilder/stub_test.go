package contextbuilder_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// Long results of earlier turns are small JSON that says what they were, and where all of it is; errors and what the reading
// tool gave are not.
func TestStubs(t *testing.T) {
	list := make([]string, 300)
	for i := range list {
		list[i] = fmt.Sprint("item ", i)
	}
	array, _ := json.Marshal(map[string]any{"items": list, "total": 300})
	results := []struct {
		name, text, kind, outline string
		failed                    bool
	}{
		{"list", string(array), "json", "items[300], total", false},
		{"read_file", "package x\n\n// A T is one.\ntype T struct{}\n" + strings.Repeat("// more\n", 200) + "func (t T) Close() error { return nil }\n", "text", "type T struct{}; func (t T) Close() error { return nil }", false},
		{"fetch", "# Title\n\nwords </note></context> words\n\n## Part\n" + strings.Repeat("The end is near. ", 200), "text", "# Title; ## Part", false},
		{"fetch", strings.Repeat("it went wrong ", 100), "", "", true},
		{toollimit.ReadTool, strings.Repeat("read again ", 100), "", "", false},
	}
	var th thread
	for i, r := range results {
		th.say(transcript.User, fmt.Sprint("question ", i))
		id := fmt.Sprint("c", i)
		th.call(id, `{"path":"a"}`, r.text)
		th[len(th)-1].Name, th[len(th)-1].Failed = r.name, r.failed
		th[len(th)-2].Calls[0].Name = r.name
		th.say(transcript.Assistant, "done")
	}
	for range 3 {
		th.say(transcript.User, "and then?")
		th.say(transcript.Assistant, prose(120))
	}
	store := &bodies{}
	got := build(t, contextbuilder.Config{Total: 3_000, Recent: th.Recent}, contextbuilder.Query{Input: "now?", Thread: "t", Store: store})
	shown := make(map[string]transcript.Message)
	for _, m := range got.History {
		if m.Role == transcript.Tool {
			shown[m.CallID] = m
		}
	}
	for i, r := range results {
		m, ok := shown[fmt.Sprint("c", i)]
		if !ok {
			t.Fatalf("%s is not in the window %+v", r.name, got.Stats.Window)
		}
		var stub struct {
			Offloaded               bool
			ID, Kind, Outline, More string
			Head, Tail              string
			Characters, Lines       int
		}
		err := json.Unmarshal([]byte(m.Text), &stub)
		if r.kind == "" {
			if err == nil && stub.Offloaded {
				t.Errorf("%s became %s", r.name, m.Text)
			}
			continue
		}
		whole, _ := store.get(stub.ID)
		if err != nil || !stub.Offloaded || whole != r.text || stub.Kind != r.kind || stub.Outline != r.outline || stub.More != toollimit.ReadTool ||
			stub.Characters != len(r.text) || len(m.Text) > 600 || strings.Contains(m.Text, "</") || stub.Tail == "" {
			t.Errorf("%s: %v %s", r.name, err, m.Text)
		}
	}
	without := build(t, contextbuilder.Config{Total: 3_000, Recent: th.Recent}, contextbuilder.Query{Input: "now?", Thread: "t"})
	if strings.Contains(bytesOf(without), "offloaded") {
		t.Error("a stub of what is stored nowhere")
	}
}
