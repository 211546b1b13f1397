package providertest

import (
	"encoding/json"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// dataCases are about what a service wants back.
func dataCases(s Suite) []testCase {
	if s.NoSignature {
		return nil
	}
	done := Turn{Text: []string{"fine"}, Finish: providers.Stop}
	asks := Turn{
		Reasoning: []string{"first a listing"}, Text: []string{"Let me look."}, Signature: "signature+/=é<&>1", Finish: providers.Calls,
		Calls: []Call{
			{ID: "c1", Name: "list_dir", Args: []string{`{"path":"."}`}}, {
				ID: "c2", Name: "read_file", Args: []string{`{"path":"a.go"}`},
			},
		},
	}
	again := Turn{
		Signature: "signature 2", Finish: providers.Calls, Calls: []Call{
			{ID: "c3", Name: "read_file", Args: []string{`{"path":"b.go"}`}},
		},
	}
	first, last := again, done
	first.Wants = []string{asks.Signature}
	last.Wants = []string{asks.Signature, again.Signature}
	foreign := done
	foreign.Bars = []string{asks.Signature, "not for you"}
	split, edited := asks, done
	split.Scatter = 1
	edited.Wants, edited.Bars = []string{"a.go", "Let me look."}, []string{asks.Signature}
	all := []testCase{
		{"provider data", "What a service wants back comes back byte for byte with its message, in every later request.",
			[]Turn{asks, first, last}, (*check).goOn},
		{"provider data split", "What a service wants back is the same however the wire splits it.",
			[]Turn{split, first, last}, (*check).goOn},
		{"provider data stored", "Provider data survives being stored as JSON.",
			[]Turn{asks, first, last}, (*check).goOnStored},
		{"foreign provider data", "Provider data of another dialect or model is not sent.",
			[]Turn{asks, foreign, foreign}, (*check).foreign},
		{"provider data dropped", "A message without provider data, as after an edit, is sent from its text and calls alone.",
			[]Turn{asks, edited}, (*check).dropped},
	}
	if !s.TextSignature {
		return all
	}
	says := Turn{Text: []string{"It holds ", "one."}, Signature: asks.Signature, Finish: providers.Stop}
	return append(all, testCase{"provider data of a text", "What a service wants back with a text comes back with it.",
		[]Turn{says, first, last}, (*check).goOn})
}

func (c *check) goOnStored() {
	c.converse(func(m transcript.Message) transcript.Message {
		raw, err := json.Marshal(m)
		if err != nil {
			c.Fatalf("storing the message: %v", err)
		}
		var back transcript.Message
		if err := json.Unmarshal(raw, &back); err != nil {
			c.Fatalf("reading the message: %v", err)
		}
		return back
	})
}

// foreign sends the first answer back as another dialect's, and as another model's.
func (c *check) foreign() {
	first := c.ask(request()).Message
	if first.ProviderData == nil {
		c.Fatal("the answer has no provider data")
	}
	otherModel := *first.ProviderData
	otherModel.Model = "another"
	for _, other := range []transcript.ProviderData{
		{Dialect: "another", Model: first.ProviderData.Model, Data: []byte("not for you")},
		otherModel,
	} {
		m, req := first, request()
		m.ProviderData = &other
		req.Messages = append(req.Messages, m, result(m.Calls[0], "a.go", false), result(m.Calls[1], "package a", false))
		c.same("the answer", c.ask(req).Message.Text, "fine")
	}
}

// dropped sends the first answer back without its provider data.
func (c *check) dropped() {
	m, req := c.ask(request()).Message, request()
	m.ProviderData = nil
	req.Messages = append(req.Messages, m, result(m.Calls[0], "a.go", false), result(m.Calls[1], "package a", false))
	c.same("the answer", c.ask(req).Message.Text, "fine")
}
