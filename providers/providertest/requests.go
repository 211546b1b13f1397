package providertest

import (
	"encoding/json"
	"slices"

	"github.com/forayhq/foray/providers"
)

// choices are all tool choices.
var choices = []providers.ToolChoice{providers.Auto, providers.Required, providers.None}

// schemaMark is a text in the schema of the case for structured output.
const schemaMark = "one word, 一語"

// requestCases are about the parts of a request other than its messages.
func requestCases(s Suite) []testCase {
	done := says("fine")
	var all []testCase
	if s.Choices != nil {
		var with []Turn
		without := done
		for _, choice := range choices {
			said := done
			for _, other := range choices {
				words := s.Choices[other]
				switch {
				case words == "":
				case other == choice:
					said.Wants = append(said.Wants, words)
				default:
					said.Bars = append(said.Bars, words)
				}
				if words != "" && !slices.Contains(without.Bars, words) {
					without.Bars = append(without.Bars, words)
				}
			}
			with = append(with, said)
		}
		all = append(all,
			testCase{"choice with tools", "The request holds its tool choice, and no other.", with,
				func(c *check) { c.chooseAll(true) }},
			testCase{"choice without tools", "A request without tools holds no choice: services refuse that.",
				[]Turn{without, without, without}, func(c *check) { c.chooseAll(false) }},
		)
	}
	if s.Structured {
		typed := says(`{"wo`, `rd":"fine"}`)
		typed.Wants = []string{schemaMark}
		all = append(all, testCase{"structured output", "The request holds its schema; the answer is text that follows it.",
			[]Turn{typed}, (*check).typed})
	}
	return all
}

func (c *check) chooseAll(tools bool) {
	for _, choice := range choices {
		c.choose(choice, tools)
	}
}

// choose sends a request with a tool choice, and with or without tools.
func (c *check) choose(choice providers.ToolChoice, tools bool) {
	req := request()
	if req.Choice = choice; !tools {
		req.Tools = nil
	}
	c.fine(req)
}

func (c *check) typed() {
	req := request()
	req.Tools = nil
	req.Schema = json.RawMessage(`{"type":"object","properties":{"word":{"type":"string","description":"` + schemaMark +
		`"}},"required":["word"],"additionalProperties":false}`)
	var got struct{ Word string }
	if err := json.Unmarshal([]byte(c.ask(req).Message.Text), &got); err != nil {
		c.Errorf("the answer is not JSON: %v", err)
	}
	c.same("the word", got.Word, "fine")
}
