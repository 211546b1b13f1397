package intent

import (
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// A Measure is what a question asks for if it describes a setting whose value it asks for, as "how many redirects are
// followed by default?" does.
type Measure struct {
	Names string             // a pattern of words in the names of such settings
	Units *lazyregexp.Regexp // units of their values
	Text  bool               // the value may be a text, as of an address
	Bound *lazyregexp.Regexp // of a most or least: what its name, its comments or its value must say
	Of    string             // what is counted, in the words of the question; "": all that follows may be
}

var (
	counts = lazyregexp.New(`^\d[\d_]*$|^\d[\d_]* `)
	times  = lazyregexp.New(`(?i)second|minute|hour|day|week|milli|_ms\b|duration|timedelta|\d(?:ms|s|m|h|d)\b`)
	sizes  = lazyregexp.New(`(?i)<<|1024|1_?000|\d{4}|byte|[kmg]i?b\b`)
)

// Beginnings of a question for the most or least of something, as "what is the maximum body size?", and what such a
// value says of itself. The smaller of two values, min(x, 10), is a maximum.
const (
	asksMost  = `(?i)^what(?:'s| is| are) the (?:max(?:imum)?|largest|longest|highest) (?:\w+ ){0,2}?`
	asksLeast = `(?i)^what(?:'s| is| are) the (?:min(?:imum)?|smallest|shortest|lowest) (?:\w+ ){0,2}?`
	ofTime    = `(?:time|duration|delay|interval|timeout|age|wait|period)\b`
	ofSize    = `(?:size|length|depth|width|height|capacity)\b`

	timeNames = `timeout|interval|delay|duration|period|ttl|expir|age|wait|max|min|limit`
	sizeNames = `size|limit|max|min|length|bytes|capacity|depth|memory`
)

var (
	most  = lazyregexp.New(`(?i)max(?:[^(]|$)|limit|largest|longest|\bmost\b|\bcap\b|\bmin\(`)
	least = lazyregexp.New(`(?i:\bmin(?:[^(a-z]|imum|$)|_min(?:[^a-z]|$)|smallest|shortest|\bleast\b|\bmax\()|` +
		`[a-z]Min(?:[^a-z]|imum|$)`)
)

// measures are the ways to ask, and what they ask for. The first that matches counts.
var measures = []struct {
	asks *lazyregexp.Regexp
	Measure
}{
	{lazyregexp.New(`(?i)\bhow many\b|\b(?:default|maximum|minimum|max|min) (?:number|amount|count) of\b|` +
		`\bwie ?viele\b|多少(?:个|次|条)|几个|几次`),
		Measure{Names: `max|limit|count|num|size|total|attempts`, Units: counts}},
	{lazyregexp.New(`(?i)\bhow (?:often|frequently)\b|\bwie (?:oft|häufig)\b|多久.*一次`),
		Measure{Names: `interval|period|freq|every|hz|rate|tick|delay|wait|attempt|retries|max|limit`, Units: times}},
	{lazyregexp.New(`(?i)\bhow (?:long|old|soon)\b|\bwie (?:lange|alt)\b|多久|多长`),
		Measure{Names: `timeout|interval|delay|duration|period|ttl|expir|age|wait|every|length|width|` +
			`seconds|minutes|hours|days`, Units: times}},
	{lazyregexp.New(`(?i)\bhow (?:large|big|much|high|deep|wide|small)\b|\bwie (?:gross|groß|hoch|tief|viel)\b|` +
		`多大|多高|多深`),
		Measure{Names: `size|limit|max|length|bytes|capacity|depth|memory`, Units: sizes}},
	{lazyregexp.New(asksMost + ofTime), Measure{Names: timeNames, Units: times, Bound: most}},
	{lazyregexp.New(asksLeast + ofTime), Measure{Names: timeNames, Units: times, Bound: least}},
	{lazyregexp.New(asksMost + ofSize), Measure{Names: sizeNames, Units: sizes, Bound: most}},
	{lazyregexp.New(asksLeast + ofSize), Measure{Names: sizeNames, Units: sizes, Bound: least}},
	{lazyregexp.New(`(?i)^(?:on )?(?:what|which) \w+ .*\bby default\b|` +
		`^(?:auf )?welche[mnrs]? \w+ .*(?:standardmäßig|voreingestellt)`),
		Measure{Names: `default`, Units: counts, Text: true}},
	{lazyregexp.New(`(?i)\bthe default\b`), Measure{Names: `default|max|limit`, Units: counts, Text: true}},
}

// verb matches where a question goes from what is counted to what happens with it.
var verb = lazyregexp.New(`(?i)\b(?:is|are|does|do|did|can|may|will|would|should|must|gets?|has|have|` +
	`ist|sind|wird|werden|kann|darf|hat|haben)\b`)

// asksOther matches what precedes a measure in a question about something else: how does it know how long to wait?
var asksOther = lazyregexp.New(`(?i)\b(?:how|where|why|who|when|wie|wo|warum|wer|wann)\b`)

// MeasureOf returns what is measured in a question of one line. It reports false for any other question.
func MeasureOf(question string) (Measure, bool) {
	for _, m := range measures {
		at := m.asks.FindStringIndex(question)
		if at == nil || asksOther.MatchString(question[:at[0]]) {
			continue
		}
		rest := question[at[1]:]
		if at[0] == 0 && m.Text { // the whole question matches
			rest = question
		}
		if end := verb.FindStringIndex(rest); end != nil {
			m.Of = strings.TrimSpace(rest[:end[0]])
		}
		return m.Measure, true
	}
	return Measure{}, false
}
