package providertest

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
)

// errorCases are about errors of the service.
func errorCases(s Suite) []testCase {
	wait := 7 * time.Second
	all := []Turn{
		{Class: providers.Auth},
		{Class: providers.Invalid},
		{Class: providers.Overflow, Limit: 8192, Tokens: 9021},
		{Class: providers.Rate, Wait: wait},
		{Class: providers.Transient, Wait: wait},
		{Class: providers.Refused},
		{Class: providers.Malformed},
	}
	all = slices.DeleteFunc(all, func(t Turn) bool { return slices.Contains(s.NoClass, t.Class) })
	return []testCase{
		{"error classes", "An error says what can be done about it: its class, how long to wait, and the numbers of an overflow.",
			all, (*check).classes},
		{"an error inside", "An error in the middle of an answer is told with its class, after what had come.",
			[]Turn{
				{Text: []string{"It ho"}, Class: providers.Transient},
				{Text: []string{"It ho"}, Class: providers.Transient, Scatter: 3},
			}, (*check).inside},
	}
}

func (c *check) classes() {
	for _, turn := range c.turns {
		r, err := c.try(c.Context(), request())
		var e *providers.Error
		if !errors.As(err, &e) {
			c.Errorf("class %s: the error is %v", turn.Class, err)
			continue
		}
		got := Turn{Class: e.Class, Wait: e.RetryAfter, Limit: e.Limit, Tokens: e.Tokens}
		c.same("class, wait, limit and tokens of "+e.Error(), got, turn)
		c.same("the text", r.Message.Text, "")
	}
}

func (c *check) inside() {
	for range c.turns {
		r, err := c.try(c.Context(), request())
		c.same("the class", providers.ClassOf(err), providers.Transient)
		c.same("what came before", r.Message.Text, "It ho")
	}
}

// conversationCases are about what goes to the service.
func conversationCases(s Suite) []testCase {
	done := Turn{Text: []string{"fine"}, Finish: providers.Stop}
	asks := Turn{
		Reasoning: []string{"first a listing"}, Text: []string{"Let me look."}, Signature: "signature+/=é<&>1", Finish: providers.Calls,
		Calls: []Call{{ID: "c1", Name: "list_dir", Args: []string{`{"path":"."}`}}, {ID: "c2", Name: "read_file", Args: []string{`{"path":"a.go"}`}}},
	}
	again := Turn{Signature: "signature 2", Finish: providers.Calls, Calls: []Call{{ID: "c3", Name: "read_file", Args: []string{`{"path":"b.go"}`}}}}
	told := done
	told.Wants = []string{
		"You read code.", "What is in a.go? 答えて 🙂", "Let me look.", "list_dir", "read_file", "a.go\nb.go",
		"no such file: none.go", "list_dir", "Only the names, please.",
	}
	all := []testCase{
		{"conversation", "The service is told the whole conversation, in order: prompt, calls, results, failures.",
			[]Turn{told}, (*check).tell},
		{"bad arguments again", "A call whose arguments did not parse can be sent again, and what the model wrote is told.",
			[]Turn{{Calls: []Call{{ID: "c1", Name: "read_file", Args: []string{`{"path": "a.g`}}}, Finish: providers.Calls}, {Text: []string{"fine"}, Finish: providers.Stop, Wants: []string{`{"path": "a.g`, "must be an object"}}},
			(*check).goOn},
		{"no tools", "A request without tools is answered, whatever it says about the choice.",
			[]Turn{done, done}, (*check).noTools},
	}
	if s.NoSignature {
		return all
	}
	first, last := again, done
	first.Wants = []string{asks.Signature}
	last.Wants = []string{asks.Signature, again.Signature}
	foreign := done
	foreign.Bars = []string{asks.Signature, "not for you"}
	return append(all,
		testCase{"opaque parts", "What a service wants back comes back byte for byte with its message, in every later request.",
			[]Turn{asks, first, last}, (*check).goOn},
		testCase{"opaque parts stored", "An opaque part survives being stored as JSON.",
			[]Turn{asks, first, last}, (*check).goOnStored},
		testCase{"foreign opaque parts", "An opaque part of another dialect or model is not sent.",
			[]Turn{asks, foreign, foreign}, (*check).foreign},
	)
}

func (c *check) tell() {
	c.same("the answer", c.ask(conversation()).Message.Text, "fine")
}

// goOn runs the turns as one conversation, the way the loop does.
func (c *check) goOn() {
	c.converse(func(m contextwindow.Message) contextwindow.Message { return m })
}

func (c *check) goOnStored() {
	c.converse(func(m contextwindow.Message) contextwindow.Message {
		raw, err := json.Marshal(m)
		if err != nil {
			c.Fatalf("storing the message: %v", err)
		}
		var back contextwindow.Message
		if err := json.Unmarshal(raw, &back); err != nil {
			c.Fatalf("reading the message: %v", err)
		}
		return back
	})
}

func (c *check) converse(through func(contextwindow.Message) contextwindow.Message) {
	req := request()
	for _, turn := range c.turns {
		m := through(c.ask(req).Message)
		if turn.Signature != "" && m.Opaque == nil {
			c.Fatal("the answer has no opaque part")
		}
		req.Messages = append(req.Messages, m)
		for _, call := range m.Calls {
			text := "package a"
			if _, bad := providers.Unparsed(call.Args); bad {
				text = "must be an object"
			}
			req.Messages = append(req.Messages, result(call, text, text != "package a"))
		}
	}
}

// foreign sends the first answer back as that of another dialect, and as that of another model.
func (c *check) foreign() {
	first := c.ask(request()).Message
	if first.Opaque == nil {
		c.Fatal("the answer has no opaque part")
	}
	otherModel := *first.Opaque
	otherModel.Model = "another"
	for _, other := range []contextwindow.Opaque{
		{Dialect: "another", Model: first.Opaque.Model, Data: []byte("not for you")},
		otherModel,
	} {
		m, req := first, request()
		m.Opaque = &other
		req.Messages = append(req.Messages, m, result(m.Calls[0], "a.go", false), result(m.Calls[1], "package a", false))
		c.same("the answer", c.ask(req).Message.Text, "fine")
	}
}

func (c *check) noTools() {
	for _, choice := range []providers.ToolChoice{providers.None, providers.Required} {
		req := request()
		req.Tools, req.Choice = nil, choice
		c.same("the answer", c.ask(req).Message.Text, "fine")
	}
}
