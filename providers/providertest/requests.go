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
	done := Turn{Text: []string{"fine"}, Finish: providers.Stop}
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
			testCase{"choice with tools", "The choice of tools is told, and no other.", with, (*check).choose},
			testCase{"choice without tools", "No choice is told without tools: services refuse that.",
				[]Turn{without, without, without}, (*check).chooseNothing},
		)
	}
	if s.Structured {
		typed := Turn{Text: []string{`{"wo`, `rd":"fine"}`}, Finish: providers.Stop, Wants: []string{schemaMark}}
		all = append(all, testCase{"structured output", "A schema for the answer is told; the answer is text that follows it.",
			[]Turn{typed}, (*check).typed})
	}
	return all
}

func (c *check) choose() {
	for _, choice := range choices {
		req := request()
		req.Choice = choice
		c.same("the answer", c.ask(req).Message.Text, "fine")
	}
}

func (c *check) chooseNothing() {
	for _, choice := range choices {
		req := request()
		req.Tools, req.Choice = nil, choice
		c.same("the answer", c.ask(req).Message.Text, "fine")
	}
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
