package valid

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow/transcript"
)

func TestViolations(t *testing.T) {
	user := transcript.Message{Role: transcript.User, Text: "go"}
	call := transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: "a", Name: "f"}, {ID: "b", Name: "f", Args: []byte(`{}`)}}}
	a := transcript.Message{Role: transcript.Tool, CallID: "a"}
	b := transcript.Message{Role: transcript.Tool, CallID: "b", Text: "B"}
	bad := call
	bad.Calls = []transcript.ToolCall{{ID: "c", Name: "f", Args: []byte(`{"cut`)}}
	for name, c := range map[string]struct {
		view []transcript.Message
		want []transcript.Rule
	}{
		"sound":              {[]transcript.Message{user, call, a, b}, nil},
		"one result missing": {[]transcript.Message{user, call, b}, []transcript.Rule{"results directly after their calls, one each"}},
		"one result twice":   {[]transcript.Message{user, call, a, b, a}, []transcript.Rule{"results directly after their calls, one each"}},
		"a call twice":       {[]transcript.Message{user, call, a, b, call, a, b}, []transcript.Rule{ruleRepeated}},
		"a result between":   {[]transcript.Message{user, call, b, user, a}, []transcript.Rule{"results directly after their calls, one each"}},
		"assistant first":    {[]transcript.Message{call, a, b}, []transcript.Rule{"user first"}},
		"assistant last":     {[]transcript.Message{user, {Role: transcript.Assistant, Text: "x"}}, []transcript.Rule{"user or tool last"}},
		"empty":              {[]transcript.Message{user, {Role: transcript.User}}, []transcript.Rule{"no empty message"}},
		"damaged arguments":  {[]transcript.Message{user, bad, {Role: transcript.Tool, CallID: "c"}}, []transcript.Rule{"arguments are a JSON object"}},
		"nothing":            {nil, []transcript.Rule{"user first", "user or tool last"}},
	} {
		if diff := cmp.Diff(c.want, Violations(c.view)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}
