package answers

import (
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/tools/report"
)

// A metric is a figure of a report. Its value for a question is from 0 to 1.
type metric string

// The metrics. A question lacks those that do not concern its family.
const (
	hit1       metric = "hit@1"
	past1      metric = "past_definition@1" // places of the definition itself are passed over
	hit3       metric = "hit@3"
	hit5       metric = "hit@5"
	hit10      metric = "hit@10"
	file5      metric = "file@5"
	mrr        metric = "mrr"            // 1 ÷ rank of the first hit
	first      metric = "first_sentence" // cites the gold
	sentence   metric = "any_sentence"   // cites the gold
	deciding   metric = "deciding"       // a sentence cites the deciding line and holds the message or value
	recall10   metric = "recall@10"      // gold functions among ten places, of at most ten
	precision  metric = "precision@10"   // places past the definition that hit, or hold a line that uses the name
	section    metric = "tests_section"  // hits
	says       metric = "says"           // what the answer must hold
	testFirst  metric = "test_first"     // the first place is in a test or example
	saidAbsent metric = "absent"         // nothing was found, and there is nothing
)

// metrics are in the order of the report's columns.
var metrics = []metric{
	hit1, past1, hit3, hit5, hit10, file5, mrr, first, sentence, deciding, recall10, precision, section, says, testFirst,
	saidAbsent,
}

// depth is how many places of an answer are looked at.
const depth = 10

// A score is what one answer is worth.
type score struct {
	*Question
	reply
	mode   string
	failed bool // there was no answer
	found  bool
	values map[metric]float64
	sure   []estimate
}

// An estimate is the confidence of a place, and what came true.
type estimate struct {
	rank       int
	confidence float64
	place      bool // it hits
	file       bool // its file has gold
}

// scoreOf compares an answer with the gold. A nil answer is a failure.
func scoreOf(q *Question, answer *report.Report) *score {
	s := &score{Question: q, failed: answer == nil, values: make(map[metric]float64)}
	if answer == nil {
		answer = &report.Report{}
	}
	s.found = answer.Found
	if q.Family == absent {
		s.set(saidAbsent, !s.failed && !s.found)
		return s
	}
	var places []span
	var statements []report.Statement
	if s.found {
		statements = answer.Summary
		for _, p := range answer.Places {
			places = append(places, spanOf(p))
		}
	}
	s.scorePlaces(places)
	s.scoreStatements(statements)
	switch q.Family {
	case "callers", "tests":
		s.scoreUses(places[:min(depth, len(places))], answer.Tests)
	case "overview":
		s.scoreWords(answer.Summary)
	}
	if q.Family != "tests" && len(places) > 0 {
		s.set(testFirst, tests.MatchString(places[0].path))
	}
	for i, p := range places[:min(depth, len(places))] {
		if sure := answer.Places[i].Confidence; sure > 0 {
			s.sure = append(s.sure, estimate{i + 1, sure, q.right(p), q.inGold(p.path)})
		}
	}
	return s
}

func (s *score) set(m metric, held bool) {
	s.values[m] = 0
	if held {
		s.values[m] = 1
	}
}

func (s *score) scorePlaces(places []span) {
	for m, k := range map[metric]int{hit1: 1, hit3: 3, hit5: 5, hit10: 10} {
		s.set(m, slices.ContainsFunc(places[:min(k, len(places))], s.right))
	}
	s.set(file5, slices.ContainsFunc(places[:min(5, len(places))], func(p span) bool { return s.inGold(p.path) }))
	s.values[mrr] = 0
	if i := slices.IndexFunc(places, s.right); i >= 0 {
		s.values[mrr] = 1 / float64(i+1)
	}
}

func (s *score) scoreStatements(statements []report.Statement) {
	hits := func(statement report.Statement) bool {
		return slices.ContainsFunc(statement.Citations, func(c string) bool { return s.right(cited(c)) })
	}
	s.set(first, len(statements) > 0 && hits(statements[0]))
	s.set(sentence, slices.ContainsFunc(statements, hits))
	if s.Family == "behaviour" {
		s.set(deciding, slices.ContainsFunc(statements, s.decides))
	}
}

// decides reports whether a sentence cites the deciding line and holds the message or value.
func (s *score) decides(statement report.Statement) bool {
	if !strings.Contains(strings.ToLower(statement.Text+" "+statement.Quote), strings.ToLower(s.Notes.Value)) {
		return false
	}
	return slices.ContainsFunc(statement.Citations, func(c string) bool {
		at := cited(c)
		return slices.ContainsFunc(s.Gold, func(g gold) bool { return at.path == g.Path && at.holds(g.Line) })
	})
}

// scoreUses scores the places of what uses a name.
func (s *score) scoreUses(places []span, inTests []report.Place) {
	reached := 0
	for _, g := range s.Gold {
		if slices.ContainsFunc(places, func(p span) bool { return s.hit(p, g) }) {
			reached++
		}
	}
	s.values[recall10] = float64(reached) / float64(min(len(s.Gold), depth))
	past := slices.DeleteFunc(slices.Clone(places), s.isDefinition)
	s.set(past1, len(past) > 0 && s.right(past[0]))
	used := 0
	for _, p := range past {
		if s.right(p) || s.uses(p) {
			used++
		}
	}
	s.values[precision] = float64(used) / float64(max(len(past), 1))
	if s.Family == "tests" {
		s.set(section, slices.ContainsFunc(inTests, func(p report.Place) bool { return s.right(spanOf(p)) }))
	}
}

var notWords = regexp.MustCompile(`[^\pL\pN_]+`)

// scoreWords looks for the words that an overview must hold.
func (s *score) scoreWords(statements []report.Statement) {
	var b strings.Builder
	for i, statement := range statements {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(statement.Text + " " + statement.Quote)
	}
	text := strings.ToLower(b.String())
	plain := func(text string) string { return notWords.ReplaceAllString(text, " ") }
	switch {
	case len(s.Notes.SaysAny) > 0:
		s.set(says, slices.ContainsFunc(s.Notes.SaysAny, func(word string) bool {
			return strings.Contains(text, strings.ToLower(word))
		}))
	case s.Notes.Says != "":
		s.set(says, strings.Contains(plain(text), plain(strings.ToLower(s.Notes.Says))))
	}
}
