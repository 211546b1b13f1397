package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/comments"
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
	text := q.query()
	if q.more {
		text = q.english(q.asked)
	}
	s := passages.New(line.Truncate(text, maxAsked), words, asks, results)
	return s, others(results, passages.Steps, s.Calls)
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

// Bounds in runes: of what is quoted, and of a question for the documents.
const (
	maxPassage = 400
	maxAsked   = 500
)

// asksWhere matches a question that asks for a place in the code.
var asksWhere = lazyregexp.New(`(?i)^\s*(?:and |so )?(?:where|wo)\b|哪里|哪儿`)

// mayAnswer says of a passage that comes first because no code has much of the question. Of 11 such passages that were
// read, six answer the question; of the code that would come first, two.
const mayAnswer = " may answer this"

// leastScore is the least score of a section that is named.
const leastScore = .15

// Least shares of the question in a section, in its title and the paragraph to quote, and the least gap of a section
// that is clear. Of 48 clear sections for 125 questions about 40 projects, which were read while this was chosen, 36
// say the answer; of those that are only fair about two of five do, and of the others fewer.
const (
	muchProof  = .5
	clearProof = .4
	someProof  = .25
	clearGap   = 1.25
)

// fitOf says how well a section fits a question.
func fitOf(x *passages.Section) (clear, fair bool) {
	ahead := x.Gap >= clearGap
	return ahead && x.Proof >= clearProof, x.Proof >= muchProof || ahead && x.Proof >= someProof
}

// asksCode matches a question for how the code does something, or for a place in it.
var asksCode = lazyregexp.New(`(?i)^\s*(?:and |so )?(?:where\b|how (?:does|do|is|are|did|was|were) \w+\b|` +
	`(?:which|what) (?:functions?|methods?|class|files?|code|types?|modules?|packages?)\b|who\b|wo\b|` +
	`wie (?:funktion\pL+|wird|werden|ist|sind)\b)|哪里|哪儿|怎么|如何`)

// asksReader matches a question of somebody who is about to change the code.
var asksReader = lazyregexp.New(`(?i)\b(?:start|begin) (?:reading|to read|in the (?:code|source))\b|` +
	`\bwhere (?:do|should|would|can|must) (?:i|we|one) (?:start|begin)\b`)

// asksUser matches a question of somebody who uses what the code makes.
var asksUser = lazyregexp.New(`(?i)\b(?:i|i'm|my|me|we|our|us|you|your|ich|wir|man|mein\w*)\b|我`)

// withSections puts what the documents say on the question in front of a report if it is clear, or if the report may
// not answer it, and else beside its first sentences.
func (r *run) withSections(rep *draft) *draft {
	worths, _ := r.worths()
	all := r.passages.Sections(worths)
	if r.q.issue || len(all) == 0 || all[0].Score < leastScore {
		return r.withPassage(rep)
	}
	top := all[0]
	clear, fair := fitOf(top)
	reader := asksReader.MatchString(r.q.asked)
	code := asksCode.MatchString(r.q.text) && !asksUser.MatchString(r.q.text) || reader || r.q.amount
	switch {
	case !rep.Found && !clear && len(r.writer.verdict.nowhere()) > 0:
		return rep
	case clear && (!rep.Found || !code), rep.hedged() && top.Amounts:
		return r.sectionsFirst(rep, all, "")
	case !rep.Found, !code && rep.hedged() && fair,
		howTo.MatchString(r.q.text) && len(r.q.idents) == 0 && !reader:
		return r.sectionsFirst(rep, all, mayAnswer)
	}
	return r.withPassage(rep).addSection(top, r.q.sectionSays(top), clear)
}

// sectionsFirst puts the first section, with what is said of it, and those nearly as good in front of a report.
func (r *run) sectionsFirst(rep *draft, all []*passages.Section, said string) *draft {
	first := &report.Report{}
	for i, x := range all {
		if i > 0 && (x.Score < nextShare*all[0].Score || x.Proof < someProof) {
			continue
		}
		says := r.q.sectionSays(x)
		if i == 0 {
			says.Text = strings.Replace(says.Text, ": “", said+": “", 1)
		} else {
			says.Text = "See also " + says.Text
		}
		first.Summary, first.Places = append(first.Summary, says), append(first.Places, x.Whole)
	}
	if first.Places[0].Confidence = 0; said == "" {
		first.Places[0].Confidence = 1
	}
	trust.Rate("section", first.Places)
	rep.leaveOut(first.Places)
	return r.before(rep, first)
}

// leaveOut removes the places of a report that lie within others.
func (rep *draft) leaveOut(others []report.Place) {
	rep.Places = slices.DeleteFunc(rep.Places, func(p report.Place) bool {
		return slices.ContainsFunc(others, func(o report.Place) bool {
			return p.Path == o.Path && o.Start <= p.Start && p.End <= o.End
		})
	})
}

// addSection puts a section, and what it says, after the first sentence of a report if it is clear, and else after the
// second, unless a passage says the same.
func (rep *draft) addSection(x *passages.Section, says report.Statement, clear bool) *draft {
	if rep.cites(&x.Passage) {
		return rep
	}
	at := 2
	if clear {
		at = 1
	}
	rep.leaveOut([]report.Place{x.Whole})
	x.Whole.Confidence = passageTrust
	rep.Summary = slices.Insert(rep.Summary, min(at, len(rep.Summary)), says)
	rep.Summary = rep.Summary[:min(len(rep.Summary), maxStatements)]
	rep.Places = slices.Insert(rep.Places, min(listedMost-1, len(rep.Places)), x.Whole)
	return rep
}

// nextShare is the least score of another section that is named, against the first.
const nextShare = .7

// sectionSays quotes a section, and its example if the question asks how to do something, or the quote leads to it.
func (q *question) sectionSays(x *passages.Section) report.Statement {
	says := report.Statement{Citations: []string{cite(x.Path, x.Start, x.End)}, Quote: quotable(x.Quote)}
	title := ""
	if x.Title != "" {
		title = ", “" + x.Title + "”"
	}
	says.Text = fmt.Sprintf("%s%s: “%s”", x.Path, title, line.Truncate(x.Text, maxPassage))
	if x.At > 0 && (q.how || x.Leads) {
		says.Text += fmt.Sprintf(" An example: %s.", x.Example.Code(maxPassage))
		says.Citations = append(says.Citations, cite(x.Path, x.At, x.At+x.Example.End-x.Example.Start))
	}
	return says
}

// withPassage adds what a comment says on the question to a report: after the first sentence if that may
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
		trust.Rate("section", places)
		rep = r.before(rep, &report.Report{Summary: []report.Statement{says}, Places: places})
		return r.beside(rep, all[1:], 1)
	}
	switch {
	case !rep.Found && p.Share >= alonePassage && len(r.writer.verdict.nowhere()) == 0:
		says.Text = "No code has the words of the question together. " + says.Text
		return first()
	case r.q.amount && rep.Found && rep.hedged() && p.Amounts:
		return first()
	case rep.Found && rep.hedged() && !r.q.amount && !code:
		says.Text = strings.Replace(says.Text, ": “", mayAnswer+": “", 1)
		return first()
	case rep.Found:
		at := 2
		if rep.hedged() {
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

// passageSays quotes a passage.
func passageSays(p *passages.Passage) report.Statement {
	what := "A text"
	if comments.Is(p.Quote) {
		what = "A comment"
	}
	if p.Symbol != "" {
		what += " at `" + p.Symbol + "`"
	}
	text := fmt.Sprintf("%s in %s: “%s”", what, p.Path, line.Truncate(p.Text, maxPassage))
	return report.Statement{Text: text, Citations: []string{cite(p.Path, p.Start, p.End)}, Quote: quotable(p.Quote)}
}
