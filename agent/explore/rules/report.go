package rules

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools/report"
)

// Disclosure is the first line of every answer.
const Disclosure = "heuristic explorer: rules, no language model"

// listedMost is how many places an answer in text lists.
const listedMost = 5

// answer writes the report in its short form.
func (rep *draft) answer() string {
	short := rep.Report
	short.Question, short.Places = "", rep.Places[:min(len(rep.Places), listedMost)]
	text := short.Markdown(report.PrintOptions{Short: "foray explore --long"})
	return strings.TrimSuffix(text, "\n"+report.ListHead+"\n") // no place
}

// A draft is a report in the making.
type draft struct{ report.Report }

func (rep *draft) arguments() map[string]any {
	data, err := json.Marshal(rep)
	var args map[string]any
	if err != nil || json.Unmarshal(data, &args) != nil {
		return map[string]any{} // strings, numbers and lists always encode
	}
	return args
}

var faultPattern = lazyregexp.New(`(?m)\b(summary|places|edges|excerpts|tests|commits)\[(\d+)\]`)

// drop removes the parts that a refusal names, as "places[2]", and reports whether it named any.
func (rep *draft) drop(refusal string) bool {
	bad := make(map[string]bool)
	for _, m := range faultPattern.FindAllStringSubmatch(refusal, -1) {
		bad[m[1]+"["+m[2]+"]"] = true
	}
	rep.Summary = without(rep.Summary, "summary", bad)
	rep.Places = without(rep.Places, "places", bad)
	rep.Edges = without(rep.Edges, "edges", bad)
	rep.Excerpts = without(rep.Excerpts, "excerpts", bad)
	rep.Tests = without(rep.Tests, "tests", bad)
	rep.Commits = without(rep.Commits, "commits", bad)
	if len(rep.Summary) == 0 {
		rep.Found = false
		rep.Summary = []report.Statement{{Text: "No finding could be cited."}}
	}
	return len(bad) > 0
}

func without[T any](all []T, field string, bad map[string]bool) []T {
	var kept []T
	for i, v := range all {
		if !bad[field+"["+strconv.Itoa(i)+"]"] {
			kept = append(kept, v)
		}
	}
	return kept
}

// report makes the report from the evidence so far.
func (r *writer) report() *draft {
	rep := &draft{report.Report{Question: line.Truncate(r.q.asked, 500)}}
	chosen := r.withDecider(r.pick(maxPlaces))
	rep.Found = r.verdict.answered(chosen)
	rep.Edges = r.edges()
	for _, b := range chosen {
		if p, ok := r.prose.place(b); ok {
			rep.Places = append(rep.Places, p)
		}
	}
	if rep.Found {
		first := r.summarize(rep, chosen)
		if first != nil && !r.q.issue { // the files of an issue keep their order
			rep.Places = firstOf(rep.Places, first)
		}
		rep.Places = r.addPlaces(rep.Places)
		r.addConfidence(rep.Places)
		switch {
		case first == nil:
		case !r.verdict.convinces(first) && !r.prose.saysSo(first):
			hedge(rep)
		case rep.Trust() == report.OneOfThese:
			rep.open(lookFirst)
		}
		if missing := r.verdict.nowhere(); len(missing) > 0 && !r.q.long {
			says := "No file contains " + strings.Join(missing, ", ")
			if text := &rep.Summary[0].Text; first != nil && first.ident != "" {
				*text = strings.TrimSuffix(*text, ".") + ". " + says + "."
			} else {
				*text = says + "; " + *text
			}
		}
		rep.Tests = r.prose.testsOf(chosen)
		rep.Commits = r.prose.commits(rep.Places)
	} else {
		rep.Places = rep.Places[:min(len(rep.Places), 3)]
		rep.Edges = nil
		rep.Summary = r.verdict.absent()
	}
	rep.NotCovered = r.verdict.notCovered()
	rep.NextQuestion = r.verdict.nextQuestion(chosen)
	return rep
}

// summarize writes a sentence for each of the best blocks, and one for the first call from or to the first of them. It
// returns the block of the first sentence, or nil.
func (r *writer) summarize(rep *draft, chosen []*block) (first *block) {
	for _, b := range r.withDecider(r.forSummary(chosen)) {
		if len(rep.Summary) == maxStatements-1 {
			break
		}
		s, ok := r.prose.statement(b, len(rep.Summary) == 0)
		if !ok || first != nil && b.beside(first) {
			continue
		}
		rep.Summary = append(rep.Summary, s)
		first = cmp.Or(first, b)
		if e, ok := r.prose.excerpt(b); ok && len(rep.Excerpts) < maxExcerpts {
			rep.Excerpts = append(rep.Excerpts, e)
		}
	}
	of := func(e report.Edge) bool { return first != nil && (e.From == first.Name || e.To == first.Name) }
	if i := slices.IndexFunc(rep.Edges, of); i >= 0 {
		e := rep.Edges[i]
		p, n := splitCitation(e.Citation)
		if text, ok := r.e.line(p, n); ok {
			rep.Summary = append(rep.Summary, report.Statement{
				Text: fmt.Sprintf("`%s` %s `%s`: `%s`", e.From, e.Kind, e.To,
					line.Truncate(strings.TrimSpace(text), maxQuoteRunes)),
				Citations: []string{e.Citation}, Quote: quotable(text),
			})
		}
	}
	if len(rep.Summary) == 0 {
		rep.Found, rep.Summary = false, r.verdict.absent()
	}
	return first
}

// besideShare is how much of the proof of the first place another one needs if it has no word that the first lacks.
const besideShare = .6

// beside reports whether a block is about something else that has a word of the question.
func (b *block) beside(first *block) bool {
	has := slices.Concat(first.inName, first.inDoc, first.inBody)
	more := func(i int) bool { return !slices.Contains(has, i) }
	return b.proof < besideShare*first.proof && !slices.ContainsFunc(slices.Concat(b.inName, b.inDoc, b.inBody), more)
}

// What a sentence says of the first place of an answer: that it is likely right, that it may well be another, and that
// it has little of the question.
const (
	fitsBest  = " fits best"
	lookFirst = " is where to look first"
	closest   = " comes closest, but may not answer this"
)

// openings drops what a sentence says of the first place.
var openings = strings.NewReplacer(fitsBest, "", lookFirst, "", closest, "")

// open says something else of the first place, if the first sentence says anything of it.
func (rep *draft) open(says string) {
	for _, said := range []string{fitsBest, lookFirst} {
		rep.Summary[0].Text = strings.Replace(rep.Summary[0].Text, said, says, 1)
	}
}

// unsureShare is how often the first place of such an answer was right: 3 of 21, by reading the answers to 75 open
// questions about 34 projects; of the others 35 of 54 were.
const unsureShare = .17

// hedge says that an answer may be wrong.
func hedge(rep *draft) {
	rep.open(closest)
	for i := range rep.Places {
		rep.Places[i].Confidence = min(rep.Places[i].Confidence, unsureShare)
	}
}

// firstOf puts the place of a block in front of the others.
func firstOf(places []report.Place, b *block) []report.Place {
	i := slices.IndexFunc(places, func(p report.Place) bool { return p.Path == b.Path && p.Symbol == b.Name })
	if i < 0 {
		return places
	}
	return slices.Insert(slices.Delete(slices.Clone(places), i, i+1), 0, places[i])
}

// declares reports whether b only declares something: a constant, a macro, a type of a few lines.
func (b *block) declares() bool { return kindFactors[b.Kind] > 0 && b.End-b.Start < shortBlock }

// forSummary returns the picked blocks that get a sentence, without those that rank far below the first. Blocks come
// first that contain a name of the question, or have words of it in their name, signature or documentation.
func (r *writer) forSummary(chosen []*block) []*block {
	var first, others []*block
	for i, b := range chosen {
		switch {
		case b.rank < goodShare*chosen[0].rank || i >= summaryBlocks || b.factor < 1 && i > 0:
		case b.declares() && (b.ident == "" || len(strings.Fields(b.Doc)) < leastDoc):
			others = append(others, b)
		case len(b.inName)+len(b.inDoc) > 0 || b.ident+b.uses != "":
			first = append(first, b)
		default:
			others = append(others, b)
		}
	}
	return append(first, others...)
}
