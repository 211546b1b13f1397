package providertest

import (
	"errors"
	"slices"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
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
	inside := Turn{Text: []string{"It ho"}, Class: providers.Transient}
	return []testCase{
		{"error classes", "An error has its class, how long to wait, and the numbers of an overflow.",
			all, (*check).classes},
		{"an error inside", "An error in the middle of an answer arrives with its class, after what had arrived.",
			[]Turn{inside, inside.scattered(3)}, (*check).inside},
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

// conversationCases are about what is sent to the service.
func conversationCases() []testCase {
	done, whole, again := says("fine"), says("fine"), says("fine")
	whole.Wants = []string{
		"You read code.", "What is in a.go? 答えて 🙂", "Let me look.", "list_dir", "read_file", "a.go\nb.go",
		"no such file: none.go", "list_dir", "Only the names, please.",
	}
	again.Wants = []string{`{"path": "a.g`, "must be an object"}
	broken := Call{ID: "c1", Name: "read_file", Args: []string{`{"path": "a.g`}}
	return []testCase{
		{"conversation", "The request holds the whole conversation, in order: prompt, calls, results, failures.",
			[]Turn{whole}, func(c *check) { c.fine(conversation()) }},
		{"bad arguments again", "A call whose arguments did not parse can be sent again, with what the model wrote.",
			[]Turn{calls(broken), again}, (*check).proceed},
		{"no tools", "A request without tools is answered, whatever its tool choice.",
			[]Turn{done, done}, (*check).noTools},
	}
}

// proceed runs the turns as one conversation, as the loop does.
func (c *check) proceed() { c.converse(func(m transcript.Message) transcript.Message { return m }) }

// converse runs the turns as one conversation whose messages of the model go through a function.
func (c *check) converse(through func(transcript.Message) transcript.Message) {
	req := request()
	for _, turn := range c.turns {
		r := c.ask(req)
		data := r.Message.ProviderData
		if did := turn.Compaction != ""; did != (data != nil && data.Compacts) || did != (r.Usage.Compacted > 0) {
			c.Errorf("the service compacted %q, the answer has %+v, usage %+v", turn.Compaction, data, r.Usage)
		}
		m := through(r.Message)
		if turn.Signature != "" && m.ProviderData == nil {
			c.Fatal("the answer has no provider data")
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

func (c *check) noTools() {
	for _, choice := range []providers.ToolChoice{providers.None, providers.Required} {
		c.choose(choice, false)
	}
}
