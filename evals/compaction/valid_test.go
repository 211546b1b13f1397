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
		want []contextwindow.Rule
	}{
		"sound":              {[]contextwindow.Message{user, call, a, b}, nil},
		"one result missing": {[]contextwindow.Message{user, call, b}, []contextwindow.Rule{contextwindow.RuleResults}},
		"one result twice":   {[]contextwindow.Message{user, call, a, b, a}, []contextwindow.Rule{contextwindow.RuleResults}},
		"a call twice":       {[]contextwindow.Message{user, call, a, b, call, a, b}, []contextwindow.Rule{ruleRepeated}},
		"a result between":   {[]contextwindow.Message{user, call, b, user, a}, []contextwindow.Rule{contextwindow.RuleResults}},
		"assistant first":    {[]contextwindow.Message{call, a, b}, []contextwindow.Rule{contextwindow.RuleFirst}},
		"assistant last":     {[]contextwindow.Message{user, {Role: contextwindow.Assistant, Text: "x"}}, []contextwindow.Rule{contextwindow.RuleLast}},
		"empty":              {[]contextwindow.Message{user, {Role: contextwindow.User}}, []contextwindow.Rule{contextwindow.RuleText}},
		"damaged arguments":  {[]contextwindow.Message{user, bad, {Role: contextwindow.Tool, CallID: "c"}}, []contextwindow.Rule{contextwindow.RuleArguments}},
		"nothing":            {nil, []contextwindow.Rule{contextwindow.RuleFirst, contextwindow.RuleLast}},
	} {
		if diff := cmp.Diff(c.want, Violations(c.view)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}
