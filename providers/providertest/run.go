package providertest

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// A Suite says how to make the model under test, and what its dialect cannot say.
type Suite struct {
	// New returns a model whose service answers the n-th request with the n-th turn. It frees what it starts in
	// t.Cleanup.
	New func(t *testing.T, turns ...Turn) providers.Model

	NoReasoning bool              // the dialect does not show reasoning
	NoSignature bool              // the dialect has nothing that it wants back
	NoClass     []providers.Class // classes that the service cannot answer with

	// Choices are what a request tells the service for a choice, as Turn.Wants has it: in the chat form,
	// "tool_choice\nrequired". An empty one, as that of Auto may be, must show by the others' absence. nil: not looked at.
	Choices map[providers.ToolChoice]string
	// TextSignature says that an answer of text alone can hold a signature too.
	TextSignature bool
	// Structured says that the dialect can be told a schema for the answer's text.
	Structured bool
}

// A testCase is one rule of the contract and the turns that show whether a model keeps it.
type testCase struct {
	name  string
	rule  string
	turns []Turn
	check func(c *check)
}

// A check is a case under way.
type check struct {
	*testing.T
	suite Suite
	model providers.Model
	turns []Turn
}

// limit is how long one answer of a local service may take, before it counts as hung.
const limit = 10 * time.Second

// Run tests the model that s makes against the contract of providers.Model. Each failure is followed by the rule that
// it breaks.
func Run(t *testing.T, s Suite) {
	for _, tc := range cases(s) {
		t.Run(tc.name, func(t *testing.T) {
			running := goleak.IgnoreCurrent()
			t.Cleanup(func() {
				if err := goleak.Find(running); err != nil {
					t.Errorf("a goroutine is left: %v", err)
				}
				if t.Failed() {
					t.Logf("the rule: %s", tc.rule)
				}
			})
			tc.check(&check{T: t, suite: s, model: s.New(t, tc.turns...), turns: tc.turns})
		})
	}
}

// cases returns the cases that apply to s.
func cases(s Suite) []testCase {
	all := append(answerCases(), callCases()...)
	all = append(all, endCases()...)
	all = append(all, errorCases(s)...)
	all = append(all, conversationCases()...)
	all = append(all, opaqueCases(s)...)
	all = append(all, requestCases(s)...)
	return all
}

// request returns a request with all that a request may hold.
func request() *providers.Request {
	schema := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)
	return &providers.Request{
		System:   "You read code.",
		Messages: []transcript.Message{{Role: transcript.User, Text: "What is in a.go? 答えて 🙂"}},
		Tools: []transcript.ToolSchema{
			{Name: "list_dir", Description: "lists a folder", Schema: schema},
			{Name: "read_file", Description: "reads a file", Schema: schema},
		},
		MaxOutput: 1000,
	}
}

// ask returns the answer to the next request; the error ends the case unless it is wanted.
func (c *check) ask(req *providers.Request) *providers.Response {
	c.Helper()
	r, err := c.try(c.Context(), req)
	if err != nil {
		c.Fatalf("the answer failed: %v", err)
	}
	return r
}

// try returns the answer to the next request, after a look at each delta.
func (c *check) try(ctx context.Context, req *providers.Request) (*providers.Response, error) {
	c.Helper()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return providers.Ask(ctx, grammar{c.T, c.model}, req)
}

// same fails when got is not want.
func (c *check) same(what string, got, want any) {
	c.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		c.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
