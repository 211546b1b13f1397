package prefix

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// TestEachByteCounts changes one thing at a time.
func TestEachByteCounts(t *testing.T) {
	tools := []transcript.ToolSchema{{Name: "read", Description: "reads", Schema: json.RawMessage(`{}`)}}
	base := func() []transcript.Message {
		return []transcript.Message{
			{Role: transcript.User, Text: strings.Repeat("x", 100)},
			{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: "a", Name: "read", Args: json.RawMessage(`{"p":1}`)}},
				ProviderData: &transcript.ProviderData{Dialect: "d", Model: "m", Data: []byte("sealed")}},
			{Role: transcript.Tool, CallID: "a", Name: "read", Text: "found"},
		}
	}
	seen := map[Sum]string{Of("system", tools).Messages(base()): "the same"}
	try := func(what string, s Sum) {
		if other, known := seen[s]; known {
			t.Errorf("%s has the sum of %s", what, other)
		}
		seen[s] = what
	}
	for what, change := range map[string]func([]transcript.Message){
		"a byte":          func(ms []transcript.Message) { ms[0].Text = strings.Repeat("x", 50) + "y" + strings.Repeat("x", 49) },
		"a last byte":     func(ms []transcript.Message) { ms[0].Text = strings.Repeat("x", 99) + "y" },
		"a byte more":     func(ms []transcript.Message) { ms[0].Text += "x" },
		"a zero more":     func(ms []transcript.Message) { ms[0].Text += "\x00" },
		"a role":          func(ms []transcript.Message) { ms[0].Role = transcript.Assistant },
		"an argument":     func(ms []transcript.Message) { ms[1].Calls[0].Args = json.RawMessage(`{"p":2}`) },
		"no call":         func(ms []transcript.Message) { ms[1].Calls = nil },
		"no data":         func(ms []transcript.Message) { ms[1].ProviderData = nil },
		"other data":      func(ms []transcript.Message) { ms[1].ProviderData.Data[0]++ },
		"empty data":      func(ms []transcript.Message) { ms[1].ProviderData.Data = nil },
		"a failed result": func(ms []transcript.Message) { ms[2].Failed = true },
		"a moved text":    func(ms []transcript.Message) { ms[2].CallID, ms[2].Name = "ar", "ead" },
	} {
		ms := base()
		change(ms)
		try(what, Of("system", tools).Messages(ms))
	}
	try("another system prompt", Of("system ", tools).Messages(base()))
	try("no tools", Of("system", nil).Messages(base()))
	try("fewer messages", Of("system", tools).Messages(base()[:2]))
	if s := Of("system", tools); !s.Is(s.String()) || s.Is("") || (s + 1).Is(s.String()) || s.Is("x"+s.String()) {
		t.Errorf("%v does not read back", s)
	}
}

// BenchmarkSum adds a result of 4 KB.
func BenchmarkSum(b *testing.B) {
	ms := []transcript.Message{{Role: transcript.Tool, CallID: "call_1", Name: "read", Text: strings.Repeat("a line\n", 585)}}
	b.SetBytes(int64(len(ms[0].Text)))
	b.ReportAllocs()
	s := Of("", nil)
	for b.Loop() {
		s = s.Messages(ms)
	}
}
