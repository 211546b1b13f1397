package providertest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// endCases are about answers that end early.
func endCases() []testCase {
	whole := says("fine")
	hanging := Turn{Text: []string{"It ho"}, Fault: Hang}
	cut := Call{ID: "a", Name: "read_file", Args: []string{`{"path":`, `"a.go"}`}}
	return []testCase{
		{"cut off", "An answer that breaks off is an error of class Network, after what had arrived; never a short answer.",
			[]Turn{{Text: []string{"It ho"}, Fault: CutOff}, {Fault: CutOff}}, (*check).cutOff},
		{"cut off in a call", "A call that breaks off is not delivered.",
			[]Turn{{Calls: []Call{{ID: "w", Name: "list_dir"}, cut}, Fault: CutCall}}, (*check).cutOff},
		{"cancelled before", "A context that has ended is an error of class Cancelled.",
			[]Turn{whole}, (*check).cancelledBefore},
		{"cancelled in the middle", "Cancelling the context ends the stream at once, with class Cancelled, after what had arrived.",
			[]Turn{hanging}, (*check).cancelledInside},
		{"deadline", "The caller's deadline ends the context: class Cancelled.",
			[]Turn{hanging}, (*check).deadline},
		{"breaking off", "Breaking off ends the request and frees its resources; the model stays usable.",
			[]Turn{{Text: []string{"one", "two"}, Fault: Hang}, says("one", "two"), whole}, (*check).breakingOff},
		{"not started", "A stream that is never iterated sends nothing and holds no resources.",
			[]Turn{whole}, (*check).notStarted},
		{"request", "The request is not modified.", []Turn{whole, whole}, (*check).untouched},
		{"concurrent use", "A model is safe for concurrent use, even with the same request.",
			slices.Repeat([]Turn{whole}, 8), (*check).concurrent},
		{"info", "Info names provider and model, and never changes.", []Turn{whole}, (*check).info},
	}
}

func (c *check) cutOff() {
	for _, turn := range c.turns {
		r, err := c.try(c.Context(), request())
		c.same("the class", providers.ClassOf(err), providers.Network)
		want := expected(turn, c.suite)
		c.same("what came before", r.Message.Text, want.Message.Text)
		for _, call := range r.Message.Calls {
			if call.Name == "read_file" {
				c.Errorf("the broken call was delivered: %s", call.Args)
			}
		}
	}
}

func (c *check) cancelledBefore() {
	ctx, cancel := context.WithCancel(c.Context())
	cancel()
	r, err := c.try(ctx, request())
	c.same("the class", providers.ClassOf(err), providers.Cancelled)
	if !errors.Is(err, context.Canceled) {
		c.Errorf("the error %v does not say context.Canceled", err)
	}
	c.same("the text", r.Message.Text, "")
}

func (c *check) cancelledInside() {
	ctx, cancel := context.WithTimeout(c.Context(), limit)
	defer cancel()
	var text string
	var last error
	for d, err := range (grammar{c.T, c.model}).Stream(ctx, request()) {
		text, last = text+d.Text, err
		if text == "It ho" {
			cancel()
		}
	}
	c.same("what came before", text, "It ho")
	c.same("the class", providers.ClassOf(last), providers.Cancelled)
	if !errors.Is(last, context.Canceled) {
		c.Errorf("the stream went on until %v", last)
	}
}

func (c *check) deadline() {
	ctx, cancel := context.WithTimeout(c.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := c.try(ctx, request())
	c.same("the class", providers.ClassOf(err), providers.Cancelled)
	if !errors.Is(err, context.DeadlineExceeded) {
		c.Errorf("the error %v does not say context.DeadlineExceeded", err)
	}
}

func (c *check) breakingOff() {
	for range 2 {
		seen := 0
		for d, err := range c.model.Stream(c.Context(), request()) {
			if err != nil || d.Text == "" {
				c.Fatalf("the first pair is %+v, %v", d, err)
			}
			seen++
			break
		}
		c.same("pairs seen", seen, 1)
	}
	c.fine(request())
}

func (c *check) notStarted() {
	c.model.Stream(c.Context(), request())
	c.fine(request())
}

func (c *check) untouched() {
	req, same := conversation(), conversation()
	for _, choice := range []providers.ToolChoice{providers.None, providers.Required} {
		req.Choice, same.Choice = choice, choice
		c.ask(req)
		c.same("the request afterwards", req, same)
	}
}

func (c *check) concurrent() {
	req := conversation()
	var wg sync.WaitGroup
	for range len(c.turns) {
		wg.Go(func() {
			r, err := c.try(c.Context(), req)
			if err != nil || r.Message.Text != "fine" {
				c.Errorf("answer %q, error %v", r.Message.Text, err)
			}
		})
	}
	wg.Wait()
}

func (c *check) info() {
	before := c.model.Info()
	if before.Provider == "" || before.Name == "" {
		c.Errorf("info %+v", before)
	}
	c.ask(request())
	c.same("info after an answer", c.model.Info(), before)
}

// conversation returns a request in the middle of a run, with calls, results of every kind, and a message of the user.
func conversation() *providers.Request {
	req := request()
	calls := []transcript.ToolCall{
		{ID: "c1", Name: "list_dir", Args: json.RawMessage(`{"path": "."}`)},
		{ID: "c2", Name: "read_file", Args: json.RawMessage(`{"path":"none.go"}`)},
	}
	more := transcript.ToolCall{ID: "c3", Name: "list_dir", Args: json.RawMessage(`{"path":"empty"}`)}
	req.Messages = append(req.Messages,
		transcript.Message{Role: transcript.Assistant, Text: "Let me look.", Calls: calls},
		result(calls[0], "a.go\nb.go", false),
		result(calls[1], "no such file: none.go", true),
		transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{more}},
		result(more, "", false),
		transcript.Message{Role: transcript.User, Text: "Only the names, please."},
	)
	return req
}
