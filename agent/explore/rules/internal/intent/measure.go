package intent

import (
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// A Measure is what a question asks for if it describes a setting whose value it asks for, as "how many redirects are
// followed by default?" does.
type Measure struct {
	Names   string             // a pattern of words in the names of such settings
	Units   *lazyregexp.Regexp // units of their values
	Text    bool               // the value may be a text, as of an address
	Bound   *lazyregexp.Regexp // of a most or least: what its name, its comments or its value must say
	Needs   *lazyregexp.Regexp // what the words of its name, its comments or its value must say
	Other   *lazyregexp.Regexp // what the words of its name or its value say of another measure
	Against *lazyregexp.Regexp // what the words of its name must not say, of a question with "at most" or "at least"
	Count   bool               // it asks how many there are
	Of      string             // what is counted, in the words of the question; "": all that follows may be
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

	ages      = `\bages?(?:\b|_)|_ages?(?:\b|_)|max_?age|(?-i:[a-z]Age)` // and no message
	timeNames = `timeout|interval|delay|duration|period|ttl|expir|wait|max|min|limit|` + ages
	durations = `timeout|interval|delay|duration|period|ttl|expir|wait|every|seconds|minutes|hours|days|within|` +
		`lifetime|` + ages
	sizeNames = `size|limit|max|min|length|bytes|capacity|depth|memory`
)

var (
	most  = lazyregexp.New(`(?i)max(?:[^(]|$)|limit|largest|longest|\bmost\b|\bcap\b|\bmin\(`)
	least = lazyregexp.New(`(?i:\bmin(?:[^(a-z]|imum|$)|_min(?:[^a-z]|$)|smallest|shortest|\bleast\b|\bmax\()|` +
		`[a-z]Min(?:[^a-z]|imum|$)`)
)

// Words of names, and units of values, of a length of time, of a size and of a number of tries.
const (
	timeUnits = `nano(?:s|second)|micro(?:s|second)|milli|\bm?secs?\b|\bms\b|second|minute|hour|\bdays?\b|week|` +
		`\bmonths?\b|\byears?\b|duration|timedelta|\btime\.`
	timeWords = timeUnits + `|\b\d[\d_.]*(?:ms|[smhd])\b|\btimer?\b|timeout|interval|\bdelay|period|\bttl|expir|` +
		`\b(?:max)?ages?\b|\bwait|every|backoff|sleep|\bpoll|refresh|\blife|\blived?\b|alive|deadline|\bgrace|linger|` +
		`\blease|heart_?beat|cool_?down|debounce|throttle|\bstale|\bidle|retention|frequency|\btick|cron|schedule|` +
		`\bpause|\bskew|leeway|latency|\bhold`
	tryWords  = `attempt|retr(?:y|ies)|\btr(?:y|ies)\b|\btimes\b|\brate|\bfreq|\bhz\b|\bper\b`
	sizeWords = `length|\blen\b|size|\blines?\b|\bbytes?\b|width|height|depth|\bports?\b|\bchar(?:acter)?s?\b`
)

// ofOther are words and units of a length of time in the value of something else.
const ofOther = timeUnits + `|\b\d[\d_.]*(?:ms|[sh])\b|timeout|interval|\bdelay|\bttl\b|backoff`

var (
	ofTimes   = lazyregexp.New(`(?i)` + timeWords)
	ofTries   = lazyregexp.New(`(?i)` + timeWords + `|` + tryWords)
	notTimes  = lazyregexp.New(`(?i)` + sizeWords)
	notSizes  = lazyregexp.New(`(?i)` + ofOther)
	notCounts = lazyregexp.New(`(?i)` + ofOther + `|\bages?\b|\bperiod|\b\d[\d.]*(?:r?em|px|pt|%)|\bbytes?\b|` +
		`1024 ?\*|\* ?1024|<< ?[12]0`)
)

// A question for the most is not answered by the least, and the other way round.
var (
	atMost  = lazyregexp.New(`(?i)\bat most\b|\bmaximal\b|\bhöchstens\b|最多|至多`)
	atLeast = lazyregexp.New(`(?i)\bat least\b|\bmindestens\b|至少|最少`)
	ofLeast = lazyregexp.New(`(?i)\bmin(?:imum|imal)?\b`)
	ofMost  = lazyregexp.New(`(?i)\bmax(?:imum|imal)?\b`)
)

// measures are the ways to ask, and what they ask for. The first that matches counts.
var measures = []struct {
	asks *lazyregexp.Regexp
	Measure
}{
	{lazyregexp.New(`(?i)\b(?:how many|wie ?viele) (?:(?:milli|micro)?seconds|sekunden|minute[sn]|hours|stunden|days|` +
		`tagen?|weeks)\b|多少(?:毫?秒|分钟|小时|天)`),
		Measure{Names: durations, Units: times, Needs: ofTimes, Other: notTimes}},
	{lazyregexp.New(`(?i)\bhow many\b.* (?:per|an?|each|every) (?:second|minute|hour|day)\b`),
		Measure{Names: `max|limit|count|num|rate|per`, Units: counts, Count: true}},
	{lazyregexp.New(`(?i)\bhow many (?:\w+ )?(?:\w*bytes|[kmg]i?b)\b`),
		Measure{Names: sizeNames, Units: sizes, Other: notSizes}},
	{lazyregexp.New(`(?i)\bhow many\b|\b(?:default|maximum|minimum|max|min) (?:number|amount|count) of\b|` +
		`\bwie ?viele\b|多少(?:个|次|条)|几个|几次`),
		Measure{Names: `max|limit|count|num|size|total|attempts`, Units: counts, Other: notCounts, Count: true}},
	{lazyregexp.New(`(?i)\bhow (?:often|frequently)\b|\bwie (?:oft|häufig)\b|多久.*一次`),
		Measure{Names: `interval|period|freq|every|hz|rate|tick|delay|wait|attempt|retries|max|limit`, Units: times,
			Needs: ofTries, Other: notTimes}},
	{lazyregexp.New(`(?i)\bhow long (?:\w+ ){1,6}be\b|\bwie lang (?:\w+ ){1,6}sein\b`),
		Measure{Names: durations + `|` + sizeNames, Units: times}},
	{lazyregexp.New(`(?i)\bhow (?:long|old|soon)\b|\bwie (?:lange|alt)\b|多久|多长`),
		Measure{Names: durations, Units: times, Needs: ofTimes, Other: notTimes}},
	{lazyregexp.New(`(?i)\bhow (?:large|big|much|high|deep|wide|small)\b|\bwie (?:gross|groß|hoch|tief|viel)\b|` +
		`多大|多高|多深`),
		Measure{Names: `size|limit|max|length|bytes|capacity|depth|memory`, Units: sizes, Other: notSizes}},
	{lazyregexp.New(asksMost + ofTime),
		Measure{Names: timeNames, Units: times, Bound: most, Needs: ofTimes, Other: notTimes}},
	{lazyregexp.New(asksLeast + ofTime),
		Measure{Names: timeNames, Units: times, Bound: least, Needs: ofTimes, Other: notTimes}},
	{lazyregexp.New(asksMost + ofSize), Measure{Names: sizeNames, Units: sizes, Bound: most, Other: notSizes}},
	{lazyregexp.New(asksLeast + ofSize), Measure{Names: sizeNames, Units: sizes, Bound: least, Other: notSizes}},
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

// asksWhether matches a question that is answered with yes or no.
var asksWhether = lazyregexp.New(`(?i)^(?:can|could|does|do|did|will|would|should|may)\b`)

// MeasureOf returns what is measured in a question of one line. It reports false for any other question.
func MeasureOf(question string) (Measure, bool) {
	question = ByDefault(question)
	for _, m := range measures {
		at := m.asks.FindStringIndex(question)
		if at == nil || asksOther.MatchString(question[:at[0]]) || m.Text && asksWhether.MatchString(question) {
			continue
		}
		rest := question[at[1]:]
		if at[0] == 0 && m.Text { // the whole question matches
			rest = question
		}
		switch {
		case atMost.MatchString(question):
			m.Against = ofLeast
		case atLeast.MatchString(question):
			m.Against = ofMost
		}
		if end := verb.FindStringIndex(rest); end != nil {
			m.Of = strings.TrimSpace(rest[:end[0]])
		}
		return m.Measure, true
	}
	return Measure{}, false
}
