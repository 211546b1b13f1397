package providertest

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// A Suite makes the model under test and says what its dialect lacks.
type Suite struct {
	// New returns a model whose service answers the nth request with the nth turn. It registers its clean-up with
	// t.Cleanup.
	New func(t *testing.T, turns ...Turn) providers.Model

	NoReasoning bool              // the dialect shows no reasoning
	NoSignature bool              // the service wants nothing back
	NoClass     []providers.Class // classes of errors that the service does not have
	Plain       bool              // the service withholds no answer, and counts neither cached nor reasoning tokens

	Uncounted bool // the service does not count reasoning tokens

	// Compacting makes a model as New does, whose service compacts; nil: it does not.
	Compacting func(t *testing.T, turns ...Turn) providers.Model

	TextSignature bool // an answer of text alone can have a signature
	Structured    bool // the dialect can send a schema for the answer

	// Choices are the words of each tool choice in a request, in the form of Turn.Wants: "tool_choice\nrequired" in the
	// chat dialect. An empty one means that the request holds none of the others. nil: not checked.
	Choices map[providers.ToolChoice]string
}

// A testCase is one rule of the contract and the turns that test it.
type testCase struct {
	name  string
	rule  string
	turns []Turn
	check func(c *check)
}

// A check is a running case.
type check struct {
	*testing.T
	suite Suite
	model providers.Model
	turns []Turn
}

// limit is how long an answer of a local service may take before it counts as hanging.
const limit = time.Minute

// Run tests the model that s makes against the contract of [providers.Model]. Each failure is followed by the rule that
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
	return slices.Concat(answerCases(s), callCases(), endCases(), errorCases(s), conversationCases(), dataCases(s),
		compactionCases(s), requestCases(s))
}

// request returns a request that uses every field.
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

// ask returns the answer to the next request and ends the case on an error.
func (c *check) ask(req *providers.Request) *providers.Response {
	c.Helper()
	r, err := c.try(c.Context(), req)
	if err != nil {
		c.Fatalf("the answer failed: %v", err)
	}
	return r
}

// try returns the answer to the next request and checks each delta.
func (c *check) try(ctx context.Context, req *providers.Request) (*providers.Response, error) {
	c.Helper()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return providers.Ask(ctx, grammar{c.T, c.model}, req)
}

// fine fails unless the answer to req is "fine".
func (c *check) fine(req *providers.Request) {
	c.Helper()
	c.same("the answer", c.ask(req).Message.Text, "fine")
}

// same fails when got is not want.
func (c *check) same(what string, got, want any) {
	c.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		c.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
