package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/intent"
	"github.com/forayhq/foray/agent/explore/rules/internal/pages"
	"github.com/forayhq/foray/agent/explore/rules/internal/passages"
	"github.com/forayhq/foray/agent/explore/rules/internal/trust"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/report"
)

// passagesOf returns the search for what documents and comments say on a question, and the results without its own: the
// lines that it finds are no sign that a file is about the question.
func passagesOf(q *question, results []rulemodel.Result) (*passages.Search, []rulemodel.Result) {
	words := make([]passages.Word, len(q.words))
	for i, w := range q.words {
		words[i] = passages.Word{Pattern: w.pattern, Re: w.re}
	}
	_, amount := intent.MeasureOf(q.text)
	s := passages.New(words, amount, results)
	call, _ := s.Call()
	return s, slices.DeleteFunc(slices.Clone(results), func(x rulemodel.Result) bool { return x.Key() == call.Key() })
}

// Least shares of the question in a passage. Of the passages for 24 questions about seven projects, most of which use
// other words than the code, 10 of 11 from these on were on the subject, and one of 9 below.
const (
	besidePassage = .4  // to be quoted beside an answer
	firstPassage  = .55 // to come before an answer that may be wrong, or to be one
	firstLead     = .15 // and so much more than the place in code with most of the question
	passageWords  = 3   // least words of the question, unless it has fewer

	maxPassage = 400 // runes
)

// withPassage puts what a document or a comment says on the question into a report: in front of an answer that may be
// wrong, or else after the first sentence.
func (r *run) withPassage(rep *draft) *draft {
	worths, _ := r.worths()
	p := r.passages.Best(worths, min(passageWords, len(r.q.words)))
	if r.q.issue || p == nil || p.Share < besidePassage {
		return rep
	}
	leads := p.Share >= firstPassage && p.Share >= r.writer.verdict.coverage()+firstLead
	switch {
	case leads && (rep.hedged() || !rep.Found && len(r.writer.verdict.nowhere()) == 0):
		first := &report.Report{Summary: []report.Statement{passageSays(p)}, Places: []report.Place{p.Place}}
		trust.Rate("near docs", first.Places)
		return r.before(rep, first)
	case rep.Found && !rep.quotes(p):
		p.Confidence = passageTrust
		rep.Summary = slices.Insert(rep.Summary, min(1, len(rep.Summary)), passageSays(p))
		rep.Places = slices.Insert(rep.Places, min(listedMost, len(rep.Places)), p.Place)
	}
	return rep
}

// passageTrust is the confidence of the place of a passage beside an answer.
const passageTrust = .05

// hedged reports whether the first sentence says that it may be wrong.
func (rep *draft) hedged() bool {
	return len(rep.Summary) > 0 && strings.Contains(rep.Summary[0].Text, closest)
}

// quotes reports whether the report cites lines of a passage, or already quotes a section of a document.
func (rep *draft) quotes(p *passages.Passage) bool {
	return slices.ContainsFunc(rep.Summary, func(s report.Statement) bool {
		return strings.HasPrefix(s.Text, pages.Says) || slices.ContainsFunc(s.Citations, func(text string) bool {
			c, err := report.ParseCitation(text)
			return err == nil && c.Path == p.Path && c.Start <= p.End && p.Start <= c.End
		})
	})
}

// passageSays quotes a passage.
func passageSays(p *passages.Passage) report.Statement {
	text := "“" + line.Truncate(p.Text, maxPassage) + "”"
	switch {
	case p.IsDocument():
		text = pages.Says + p.Path + ": " + text
	case p.Symbol != "":
		text = fmt.Sprintf("A comment at `%s` in %s: %s", p.Symbol, p.Path, text)
	default:
		text = fmt.Sprintf("A comment in %s: %s", p.Path, text)
	}
	return report.Statement{Text: text, Citations: []string{cite(p.Path, p.Start, p.End)}, Quote: quotable(p.Quote)}
}
