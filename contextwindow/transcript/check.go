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

// Rules names whose rules messages are held to: one column of the table that stands with Check.
type Rules string

// The columns of the table, and all of them at once.
const (
	OpenAI      Rules = "openai"    // OpenAI-compatible endpoints
	Gemini      Rules = "gemini"    // Gemini
	Anthropic   Rules = "anthropic" // Anthropic-style endpoints
	AnyProvider Rules = "every"     // whatever one of them asks for
)

// A Rule is one row of the table that stands with Check, or what every provider takes for granted.
type Rule string

// The rules, under the names by which reports show them.
const (
	RuleRoles        Rule = "user, assistant or tool, and only the assistant calls"
	RuleResults      Rule = "results right behind their calls, one each"
	RuleFirst        Rule = "user first"
	RuleNeighbours   Rule = "neighbours of one role can be merged"
	RuleLast         Rule = "user or tool last"
	RuleText         Rule = "no empty message"
	RuleProviderData Rule = "opaque parts on assistant messages"
	RuleArguments    Rule = "arguments are a JSON object"
	RuleIDs          Rule = "ids of calls are UTF-8, not empty, and unique in their message"
)

// columns holds what the columns of the table ask for beyond what all of them do.
var columns = [...]struct {
	rules     Rules
	userFirst bool // first: user
	inOrder   bool // results: paired with calls by their place, not by an id
	thinking  bool // neighbours and opaque parts: what is merged in the current loop must not get text before its thinking
}{
	{rules: OpenAI},
	{rules: Gemini, userFirst: true, inOrder: true},
	{rules: Anthropic, userFirst: true, thinking: true},
	{rules: AnyProvider, userFirst: true, inOrder: true, thinking: true},
}

// A Violation is one place where messages break a rule.
type Violation struct {
	Message int    // index of the message, from 0
	Rule    Rule   // that it breaks
	Detail  string // what is wrong there
}

// An InvalidError lists where messages break rules, in the order of the messages. There is at least one place.
type InvalidError struct {
	Rules      Rules
	Violations []Violation
}

// shownViolations is how many violations an InvalidError spells out.
const shownViolations = 10

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

// Check reports where messages, as a request would carry them behind its system prompt, break the rules of a provider:
// nil, an InvalidError that lists every place, or an error if there are no such rules. It takes time in proportion to the
// messages, and allocates nothing if they are valid and each round's results are in the order of its calls, as in a
// window's view. The rules (compaction, validity by provider), with what a dialect can still put right marked by a star:
//
//	                         OpenAI-compatible      Gemini                     Anthropic-style
//	results                  one message a call,    as many as calls,          all right behind
//	                         right behind           right behind, in order
//	first                    any                    user                       user
//	neighbours of one role   allowed                merged*                    merged*, unless thinking of the
//	                                                                           current loop would not stand first
//	last                     user or tool           user or tool               user or tool
//	empty text               fixed word in a        left out of a result*      left out of a result*
//	                         result*
//	opaque parts             on the assistant       on the assistant           on the assistant
//
// A message of the user or the assistant says something everywhere, if only by calls or an opaque part. Everywhere, too,
// arguments are left out or a JSON object, and the ids of one message's calls differ. The current loop is what stands
// behind the user's last message. The table's last row, on the choice of tools, is about requests and not looked at here.
func Check(ms []Message, r Rules) error {
	at := 0
	for at < len(columns) && columns[at].rules != r {
		at++
	}
	if at == len(columns) {
		return fmt.Errorf("checking messages: there are no rules %q", r)
	}
	c := checking{inOrder: columns[at].inOrder, merged: -1}
	c.all(ms)
	if c.merged >= 0 && columns[at].thinking {
		c.addf(c.merged, RuleNeighbours, "merged with the assistant's message before, its opaque part would not stand first")
	}
	if columns[at].userFirst && (len(ms) == 0 || ms[0].Role != User) {
		c.addf(0, RuleFirst, "nothing of the user stands there")
	}
	if len(ms) == 0 || ms[len(ms)-1].Role != User && ms[len(ms)-1].Role != Tool {
		c.addf(max(len(ms)-1, 0), RuleLast, "there is nothing to answer")
	}
	if len(c.found) == 0 {
		return nil
	}
	slices.SortStableFunc(c.found, func(a, b Violation) int { return cmp.Compare(a.Message, b.Message) })
	return &InvalidError{Rules: r, Violations: c.found}
}

// A checking is one pass of Check.
type checking struct {
	inOrder bool
	merged  int // first message of the current loop that has an opaque part and follows one of the assistant; -1: none
	found   []Violation
}

func (c *checking) addf(message int, rule Rule, format string, args ...any) {
	c.found = append(c.found, Violation{message, rule, fmt.Sprintf(format, args...)})
}

// all checks messages in groups: one that is no result, and the results behind it.
func (c *checking) all(ms []Message) {
	for i := 0; i < len(ms); {
		results := i // of a result that nothing stands before, the group begins with itself
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

// head checks a message that is no result by itself.
func (c *checking) head(i int, m *Message) {
	if m.Role != User && m.Role != Assistant {
		c.addf(i, RuleRoles, "the role is %q", m.Role)
	}
	if m.Role != Assistant {
		c.foreign(i, m)
	}
	if len(m.Calls) == 0 && m.ProviderData == nil && strings.TrimSpace(m.Text) == "" {
		c.addf(i, RuleText, "it says nothing")
	}
	for j := range m.Calls {
		if call := &m.Calls[j]; !validArguments(call.Args) {
			c.addf(i, RuleArguments, "those of call %q are not", call.ID)
		}
	}
	c.ids(i, m.Calls)
}

// foreign checks that a message that is not the assistant's has nothing that only those have.
func (c *checking) foreign(i int, m *Message) {
	if len(m.Calls) > 0 {
		c.addf(i, RuleRoles, "a message of role %q calls", m.Role)
	}
	if m.ProviderData != nil {
		c.addf(i, RuleProviderData, "a message of role %q has one", m.Role)
	}
}

// loop remembers what cannot be merged with its neighbour in the loop that the user's last message began.
func (c *checking) loop(i int, ms []Message) {
	switch {
	case ms[i].Role == User:
		c.merged = -1
	case c.merged < 0 && i > 0 && ms[i].ProviderData != nil && ms[i].Role == Assistant && ms[i-1].Role == Assistant:
		c.merged = i
	}
}

// validArguments reports whether arguments are left out or a JSON object.
func validArguments(args json.RawMessage) bool {
	return len(args) == 0 || isObject(args)
}

func isObject(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && text[0] == '{' && json.Valid(text)
}

// comparedCalls is up to how many calls of a message are compared with each other; for more, a set is cheaper.
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
			c.addf(i, RuleIDs, "call %d has the id %q", j, id)
		}
	}
}

// pairs checks that results, the first of which is message at, answer the calls of the message before them.
func (c *checking) pairs(calls []ToolCall, results []Message, at int) {
	straight := len(calls) == len(results)
	for j := 0; straight && j < len(calls); j++ {
		straight = calls[j].ID == results[j].CallID
	}
	if !straight {
		c.count(calls, results, at)
	}
}

// count checks results that are not, one by one, those of the calls.
func (c *checking) count(calls []ToolCall, results []Message, at int) {
	before := len(c.found)
	awaited := make(map[string]int, len(calls))
	for j := range calls {
		awaited[calls[j].ID]++
	}
	for j := range results {
		id := results[j].CallID
		if awaited[id]--; awaited[id] < 0 {
			c.addf(at+j, RuleResults, "call %q does not stand before it, or has its result", id)
		}
	}
	for j := range calls {
		if id := calls[j].ID; awaited[id] > 0 {
			awaited[id]--
			c.addf(at-1, RuleResults, "call %q has no result", id)
		}
	}
	if c.inOrder && len(c.found) == before {
		c.addf(at, RuleResults, "they are not in the order of the calls")
	}
}
