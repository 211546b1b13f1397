package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/comments"
	"github.com/forayhq/foray/agent/explore/rules/internal/pages"
	"github.com/forayhq/foray/agent/explore/rules/internal/passages"
	"github.com/forayhq/foray/agent/explore/rules/internal/trust"
	"github.com/forayhq/foray/internal/lazyregexp"
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
	var asks *lazyregexp.Regexp
	switch {
	case q.amount && q.measure.Needs != nil:
		asks = passages.Time
	case q.amount:
		asks = passages.Number
	}
	s := passages.New(words, asks, results)
	return s, others(results, 1, func(int) []rulemodel.Call { return s.Calls() })
}

// Least shares of the question in a passage, and least words of it. Of 16 passages beside the answers to 52 questions
// about 14 projects, which were read while this was chosen, 8 answer the question, 3 are on its subject and 5 are not;
// of 7 with a smaller share none answers. Alone a passage needs more: no code has the words of the question together.
const (
	besidePassage = .5
	alonePassage  = .55
	secondPassage = .6
	passageWords  = 3 // half of the question's words, but not fewer than this, unless it has fewer
)

const maxPassage = 400 // runes

// betterShare is the least share of a passage that comes before a section whose title fits.
const betterShare = .7

// asksWhere matches a question that asks for a place in the code.
var asksWhere = lazyregexp.New(`(?i)^\s*(?:and |so )?(?:where|wo)\b|哪里|哪儿`)

// mayAnswer says of a passage that comes first because no code has much of the question. Of 11 such passages that were
// read, six answer the question; of the code that would come first, two.
const mayAnswer = " may answer this"

// withPassage adds what a document or a comment says on the question to a report: after the first sentence if that may
// be wrong, else after the second; before it if it says the amount that is asked for, or if no code has much of the
// question. If no code answers the question, the passage may.
func (r *run) withPassage(rep *draft) *draft {
	code := r.q.how || asksWhere.MatchString(r.q.text)
	all := r.passagesFor(rep, code || r.q.amount)
	if r.q.issue || len(all) == 0 {
		return rep
	}
	p := all[0]
	says := passageSays(p)
	first := func() *draft {
		places := []report.Place{p.Place}
		trust.Rate("near docs", places)
		rep = r.before(rep, &report.Report{Summary: []report.Statement{says}, Places: places})
		return r.beside(rep, all[1:], 1)
	}
	switch {
	case !rep.Found && p.Share >= alonePassage && len(r.writer.verdict.nowhere()) == 0:
		says.Text = "No code has the words of the question together. " + says.Text
		return first()
	case r.q.amount && rep.Found && rep.hedged() && p.Amounts:
		return first()
	case rep.Found && rep.hedged() && !r.q.amount && !code && !rep.quotesDocuments():
		says.Text = strings.Replace(says.Text, ": “", mayAnswer+": “", 1)
		return first()
	case rep.Found && (!rep.quotesDocuments() || p.Share >= betterShare && !code):
		at := 2
		if rep.hedged() || rep.quotesDocuments() {
			at = 1
		}
		return r.beside(rep, all, at)
	}
	return rep
}

// passagesFor returns the passage with most of the question that a report does not cite, and the next one if it has
// much of it, too: what happens, and why, is often said in parts.
func (r *run) passagesFor(rep *draft, one bool) (all []*passages.Passage) {
	worths, _ := r.worths()
	n := len(r.q.words)
	least := besidePassage
	for _, p := range r.passages.Best(worths, min(n, max(passageWords, (n+1)/2)), rep.cites) {
		if p.Share < least || one && len(all) > 0 || len(all) == 2 {
			break
		}
		all, least = append(all, p), secondPassage
	}
	return all
}

// beside inserts passages into a report, as sentences from an index on.
func (r *run) beside(rep *draft, all []*passages.Passage, at int) *draft {
	for i, p := range all {
		p.Confidence = passageTrust
		rep.Summary = slices.Insert(rep.Summary, min(at+i, len(rep.Summary)), passageSays(p))
		rep.Places = slices.Insert(rep.Places, min(listedMost+i, len(rep.Places)), p.Place)
	}
	rep.Summary = rep.Summary[:min(len(rep.Summary), maxStatements)]
	return rep
}

// passageTrust is the confidence of the place of a passage beside an answer.
const passageTrust = .05

// hedged reports whether the first sentence says that it may be wrong.
func (rep *draft) hedged() bool {
	return len(rep.Summary) > 0 && strings.Contains(rep.Summary[0].Text, closest)
}

// cites reports whether the report cites lines of a passage.
func (rep *draft) cites(p *passages.Passage) bool {
	return slices.ContainsFunc(rep.Summary, func(s report.Statement) bool {
		return slices.ContainsFunc(s.Citations, func(text string) bool {
			c, err := report.ParseCitation(text)
			return err == nil && c.Path == p.Path && c.Start <= p.End && p.Start <= c.End
		})
	})
}

// quotesDocuments reports whether the report quotes a section of a document.
func (rep *draft) quotesDocuments() bool {
	return slices.ContainsFunc(rep.Summary, func(s report.Statement) bool {
		return strings.HasPrefix(s.Text, pages.Says)
	})
}

// passageSays quotes a passage.
func passageSays(p *passages.Passage) report.Statement {
	what, text := "A text", "“"+line.Truncate(p.Text, maxPassage)+"”"
	if comments.Is(p.Quote) {
		what = "A comment"
	}
	switch {
	case p.IsDocument():
		text = pages.Says + p.Path + ": " + text
	case p.Symbol != "":
		text = fmt.Sprintf("%s at `%s` in %s: %s", what, p.Symbol, p.Path, text)
	default:
		text = fmt.Sprintf("%s in %s: %s", what, p.Path, text)
	}
	return report.Statement{Text: text, Citations: []string{cite(p.Path, p.Start, p.End)}, Quote: quotable(p.Quote)}
}
