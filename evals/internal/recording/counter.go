package recording

import (
	"unicode/utf8"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// A Counter counts tokens for a whole run: which trajectories are played, what is over budget, what a request costs,
// and when baselines compact.
type Counter struct {
	Name string
	// text measures a text in quarters of a token, so that sums of small parts stay exact.
	text func(string) int
	// Framing of a message, a result and a call, in quarters of a token.
	message, result, call int
}

// Counters returns the counters, the default first: chars4 counts four characters as a token and nothing for framing,
// as published figures of other agents do; foray is the estimate that windows use.
func Counters() []Counter {
	return []Counter{
		{Name: "chars4", text: utf8.RuneCountInString},
		{Name: "foray", text: func(s string) int { return 4 * toollimit.Tokens(s) }, message: 16, result: 32, call: 48},
	}
}

// Framing returns what a message takes besides its texts, in quarters of a token.
func (c *Counter) Framing(m *transcript.Message) int {
	n := c.message + c.call*len(m.Calls)
	if m.Role == transcript.Tool {
		n += c.result
	}
	return n
}

// Unit returns the tokens of a unit.
func (c *Counter) Unit(u Unit) int {
	n := 0
	for i := range u {
		n += c.Framing(&u[i]) + c.text(u[i].Text)
		for _, call := range u[i].Calls {
			n += c.text(call.Name) + c.text(string(call.Args))
		}
	}
	return Tokens(n)
}

// Tokens converts quarters of a token to tokens, rounding up.
func Tokens(quarters int) int { return (quarters + 3) / 4 }

// Quarters returns the size of a text, in quarters of a token.
func (c *Counter) Quarters(text string) int { return c.text(text) }
