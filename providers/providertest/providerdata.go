package providertest

import (
	"encoding/json"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// dataCases are about what a service wants back.
func dataCases(s Suite) []testCase {
	if s.NoSignature {
		return nil
	}
	done := says("fine")
	asks := calls(
		Call{ID: "c1", Name: "list_dir", Args: []string{`{"path":"."}`}},
		Call{ID: "c2", Name: "read_file", Args: []string{`{"path":"a.go"}`}},
	)
	asks.Reasoning, asks.Text, asks.Signature = []string{"first a listing"}, []string{"Let me look."}, "signature+/=é<&>1"
	again := calls(Call{ID: "c3", Name: "read_file", Args: []string{`{"path":"b.go"}`}})
	again.Signature = "signature 2"
	first, last := again, done
	first.Wants = []string{asks.Signature}
	last.Wants = []string{asks.Signature, again.Signature}
	foreign := done
	foreign.Bars = []string{asks.Signature, "not for you"}
	edited := done
	edited.Wants, edited.Bars = []string{"a.go", "Let me look."}, []string{asks.Signature}
	all := []testCase{
		{"provider data", "Provider data returns byte for byte with its message, in every later request.",
			[]Turn{asks, first, last}, (*check).proceed},
		{"provider data split", "Provider data is the same however the wire splits it.",
			[]Turn{asks.scattered(1), first, last}, (*check).proceed},
		{"provider data stored", "Provider data survives being stored as JSON.",
			[]Turn{asks, first, last}, (*check).proceedStored},
		{"foreign provider data", "Provider data of another dialect or model is not sent.",
			[]Turn{asks, foreign, foreign}, (*check).foreign},
		{"provider data dropped", "A message without provider data, as after an edit, is sent from its text and calls alone.",
			[]Turn{asks, edited}, (*check).dropped},
	}
	if !s.TextSignature {
		return all
	}
	signed := says("It holds ", "one.")
	signed.Signature = asks.Signature
	return append(all, testCase{"provider data of a text", "Provider data of a text returns with it.",
		[]Turn{signed, first, last}, (*check).proceed})
}

func (c *check) proceedStored() {
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
		c.sendBack(first, &other)
	}
}

// dropped sends the first answer back without its provider data.
func (c *check) dropped() {
	c.sendBack(c.ask(request()).Message, nil)
}

// sendBack sends a message and the results of its calls with other provider data.
func (c *check) sendBack(m transcript.Message, data *transcript.ProviderData) {
	m.ProviderData = data
	req := request()
	req.Messages = append(req.Messages, m, result(m.Calls[0], "a.go", false), result(m.Calls[1], "package a", false))
	c.fine(req)
}
