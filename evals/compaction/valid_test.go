package compaction

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow"
)

func TestViolations(t *testing.T) {
	user := contextwindow.Message{Role: contextwindow.User, Text: "go"}
	call := contextwindow.Message{Role: contextwindow.Assistant, Calls: []contextwindow.ToolCall{{ID: "a", Name: "f"}, {ID: "b", Name: "f", Args: []byte(`{}`)}}}
	a := contextwindow.Message{Role: contextwindow.Tool, CallID: "a"}
	b := contextwindow.Message{Role: contextwindow.Tool, CallID: "b", Text: "B"}
	bad := call
	bad.Calls = []contextwindow.ToolCall{{ID: "c", Name: "f", Args: []byte(`{"cut`)}}
	for name, c := range map[string]struct {
		view []contextwindow.Message
		want []string
	}{
		"sound":              {[]contextwindow.Message{user, call, b, a}, nil},
		"one result missing": {[]contextwindow.Message{user, call, b}, []string{rules[0].name}},
		"one result twice":   {[]contextwindow.Message{user, call, b, a, a}, []string{rules[0].name}},
		"a call twice":       {[]contextwindow.Message{user, call, b, a, call, b, a}, []string{rules[0].name}},
		"a result between":   {[]contextwindow.Message{user, call, b, user, a}, []string{rules[0].name}},
		"assistant first":    {[]contextwindow.Message{call, b, a}, []string{rules[1].name}},
		"assistant last":     {[]contextwindow.Message{user, {Role: contextwindow.Assistant, Text: "x"}}, []string{rules[2].name}},
		"empty":              {[]contextwindow.Message{user, {Role: contextwindow.User}}, []string{rules[3].name}},
		"damaged arguments":  {[]contextwindow.Message{user, bad, {Role: contextwindow.Tool, CallID: "c"}}, []string{rules[4].name}},
		"nothing":            {nil, []string{rules[1].name, rules[2].name}},
	} {
		if diff := cmp.Diff(c.want, Violations(c.view)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}
