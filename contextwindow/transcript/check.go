package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Rules names a provider's rules for messages: a column of the table at [Check].
type Rules string

// The providers' rules, and all of them at once.
const (
	OpenAI      Rules = "openai"    // OpenAI-compatible endpoints
	Gemini      Rules = "gemini"    // Gemini
	Anthropic   Rules = "anthropic" // Anthropic-style endpoints
	AnyProvider Rules = "every"     // whatever any of them requires
)

// A Rule is a row of the table at [Check], or a rule of all providers, in words: "user first".
type Rule string

const (
	ruleRoles        Rule = "user, assistant or tool, and only the assistant calls"
	ruleResults      Rule = "results directly after their calls, one each"
	ruleFirst        Rule = "user first"
	ruleNeighbours   Rule = "neighbours of one role can be merged"
	ruleLast         Rule = "user or tool last"
	ruleText         Rule = "no empty message"
	ruleProviderData Rule = "provider data on assistant messages"
	ruleImages       Rule = "no pictures on assistant messages"
	ruleArguments    Rule = "arguments are a JSON object"
	ruleIDs          Rule = "ids of calls are UTF-8, not empty, and unique in their message"
)

// columns holds what the columns of the table require beyond the rules of all providers.
var columns = [...]struct {
	rules     Rules
	userFirst bool
	inOrder   bool // results are paired with calls by position instead of id
	thinking  bool // merging in the current loop must not put text before provider data
}{
	{rules: OpenAI},
	{rules: Gemini, userFirst: true, inOrder: true},
	{rules: Anthropic, userFirst: true, thinking: true},
	{rules: AnyProvider, userFirst: true, inOrder: true, thinking: true},
}

// A Violation is one place where messages break a rule.
type Violation struct {
	Message int // index of the message, from 0
	Rule    Rule
	Detail  string // what is wrong there
}

// An InvalidError lists where messages break rules, at least one place, in the order of the messages.
type InvalidError struct {
	Rules      Rules
	Violations []Violation
}

const shownViolations = 10 // that an error spells out

// Error names the first ten violations, each with the index of its message.
func (e *InvalidError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "messages break the rules %q", e.Rules)
	for i, v := range e.Violations {
		if i == shownViolations {
			fmt.Fprintf(&b, "; and %d more", len(e.Violations)-i)
			break
		}
		fmt.Fprintf(&b, "; message %d: %s: %s", v.Message, v.Rule, v.Detail)
	}
	return b.String()
}

// Check reports where messages, as a request carries them after its system prompt, break the rules of a provider. It
// returns nil, an [*InvalidError] that lists every place, or an error for unknown rules. It takes linear time. For
// valid messages whose results are in the order of their calls, as in a window's view, it allocates nothing.
//
// A star marks what a provider's client can still fix:
//
//	                         OpenAI-compatible      Gemini                   Anthropic-style
//	results                  one message a call,    as many as calls,        all directly after
//	                         directly after         directly after, in order
//	first                    any                    user                     user
//	neighbours of one role   allowed                merged*                  merged*, unless provider data of
//	                                                                         the current loop would not come first
//	last                     user or tool           user or tool             user or tool
//	empty result             replaced*              omitted*                 omitted*
//	provider data            on the assistant       on the assistant         on the assistant
//	pictures                 on the others          on the others            on the others
//
// For all providers, a user or assistant message has text, pictures, calls or provider data; arguments are omitted or a
// JSON object; and the ids of one message's calls differ. The current loop is what follows the last user message.
func Check(ms []Message, r Rules) error {
	at := 0
	for at < len(columns) && columns[at].rules != r {
		at++
	}
	if at == len(columns) {
		return fmt.Errorf("check messages: unknown rules %q", r)
	}
	c := checking{inOrder: columns[at].inOrder, merged: -1}
	c.all(ms)
	if c.merged >= 0 && columns[at].thinking {
		c.addf(c.merged, ruleNeighbours,
			"merged with the assistant message before it, its provider data would not come first")
	}
	if columns[at].userFirst && (len(ms) == 0 || ms[0].Role != User) {
		c.addf(0, ruleFirst, "no user message at the start")
	}
	if len(ms) == 0 || ms[len(ms)-1].Role != User && ms[len(ms)-1].Role != Tool {
		c.addf(max(len(ms)-1, 0), ruleLast, "nothing to answer")
	}
	if len(c.found) == 0 {
		return nil
	}
	slices.SortStableFunc(c.found, func(a, b Violation) int { return cmp.Compare(a.Message, b.Message) })
	return &InvalidError{Rules: r, Violations: c.found}
}

type checking struct {
	inOrder bool
	merged  int // first message of the current loop with provider data after another assistant message; -1 for none
	found   []Violation
}

func (c *checking) addf(message int, rule Rule, format string, args ...any) {
	c.found = append(c.found, Violation{message, rule, fmt.Sprintf(format, args...)})
}

// all checks messages in groups: one that is not a result, and the results after it.
func (c *checking) all(ms []Message) {
	for i := 0; i < len(ms); {
		results := i // a result without a head begins its own group
		if ms[i].Role != Tool {
			c.head(i, &ms[i])
			c.loop(i, ms)
			results++
		}
		end := results
		for end < len(ms) && ms[end].Role == Tool {
			c.foreign(end, &ms[end])
			end++
		}
		var calls []ToolCall
		if ms[i].Role == Assistant {
			calls = ms[i].Calls
		}
		c.pairs(calls, ms[results:end], results)
		i = end
	}
}

// head checks a message that is not a result.
func (c *checking) head(i int, m *Message) {
	if m.Role != User && m.Role != Assistant {
		c.addf(i, ruleRoles, "the role is %q", m.Role)
	}
	if m.Role != Assistant {
		c.foreign(i, m)
	}
	if m.Role == Assistant && len(m.Images) > 0 {
		c.addf(i, ruleImages, "it has %d", len(m.Images))
	}
	if m.empty() {
		c.addf(i, ruleText, "it is empty")
	}
	for j := range m.Calls {
		if call := &m.Calls[j]; !validArguments(call.Args) {
			c.addf(i, ruleArguments, "those of call %q are not", call.ID)
		}
	}
	c.ids(i, m.Calls)
}

// foreign checks that a user or tool message has neither calls nor provider data.
func (c *checking) foreign(i int, m *Message) {
	if len(m.Calls) > 0 {
		c.addf(i, ruleRoles, "a message of role %q has calls", m.Role)
	}
	if m.ProviderData != nil {
		c.addf(i, ruleProviderData, "a message of role %q has some", m.Role)
	}
}

// loop remembers what cannot be merged with its neighbour in the loop that the last user message began.
func (c *checking) loop(i int, ms []Message) {
	switch {
	case ms[i].Role == User:
		c.merged = -1
	case c.merged < 0 && i > 0 && ms[i].ProviderData != nil && ms[i].Role == Assistant && ms[i-1].Role == Assistant:
		c.merged = i
	}
}

func validArguments(args json.RawMessage) bool { return len(args) == 0 || isObject(args) }

func isObject(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && text[0] == '{' && json.Valid(text)
}

// comparedCalls is the number of calls up to which comparing all pairs is cheaper than a set.
const comparedCalls = 32

func (c *checking) ids(i int, calls []ToolCall) {
	var seen map[string]bool
	if len(calls) > comparedCalls {
		seen = make(map[string]bool, len(calls))
	}
	for j := range calls {
		id := calls[j].ID
		taken := seen[id]
		if seen != nil {
			seen[id] = true
		} else {
			taken = slices.ContainsFunc(calls[:j], func(other ToolCall) bool { return other.ID == id })
		}
		if taken || id == "" || !utf8.ValidString(id) {
			c.addf(i, ruleIDs, "call %d has the id %q", j, id)
		}
	}
}

// pairs checks that results, which begin at message at, answer the calls of the message before them.
func (c *checking) pairs(calls []ToolCall, results []Message, at int) {
	if !slices.EqualFunc(calls, results, func(c ToolCall, r Message) bool { return c.ID == r.CallID }) {
		c.count(calls, results, at)
	}
}

// count checks results that do not match the calls one by one.
func (c *checking) count(calls []ToolCall, results []Message, at int) {
	before := len(c.found)
	awaited := make(map[string]int, len(calls))
	for j := range calls {
		awaited[calls[j].ID]++
	}
	for j := range results {
		id := results[j].CallID
		if awaited[id]--; awaited[id] < 0 {
			c.addf(at+j, ruleResults, "call %q does not precede it, or already has a result", id)
		}
	}
	for j := range calls {
		if id := calls[j].ID; awaited[id] > 0 {
			awaited[id]--
			c.addf(at-1, ruleResults, "call %q has no result", id)
		}
	}
	if c.inOrder && len(c.found) == before {
		c.addf(at, ruleResults, "not in the order of the calls")
	}
}
