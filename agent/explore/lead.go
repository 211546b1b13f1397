package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/locate"
	"github.com/forayhq/foray/tools/report"
)

// isExact reports whether exact tools answered: the question's intent was recognised, and its report is that of a
// definition, callers, a message, a section of a document and so on, and no ranking. Only open questions are ranked; a
// short question may be both ranked and answered by a section.
func isExact(found *Result, records []agent.ToolRecord) bool {
	ranked := slices.ContainsFunc(records, func(rec agent.ToolRecord) bool {
		_, ok := rec.Value.(*locate.Result)
		return ok
	})
	if !ranked || found.Report == nil || len(found.Report.Places) == 0 {
		return !ranked && found.Report != nil
	}
	first := found.Report.Places[0]
	return slices.ContainsFunc(records, func(rec agent.ToolRecord) bool {
		r, ok := rec.Value.(*codebase.SymbolResult)
		return ok && slices.ContainsFunc(r.Items, func(s codebase.Symbol) bool {
			return s.Kind == "heading" && s.Path == first.Path && s.Start == first.Start
		})
	})
}

// Bounds of an exact answer. Its sentences say most, so that a local model need not read much code for it.
const (
	maxLead       = 8   // sentences
	maxLeadRunes  = 300 // of a sentence
	exactShare    = .5  // of the room of an open question
	exactExcerpts = 6
	maxAfter      = 3 // definitions of the question's names after the places of the answer
)

// exactShares are the shares of that room that the first excerpts may take; later ones may take the last.
var exactShares = []float64{.5, .2, .1}

// lead returns the sentences of an exact answer as the model reads them first, with their citations.
func (e *evidence) lead() string {
	if !e.exact {
		return ""
	}
	var b strings.Builder
	b.WriteString("Found by exact search:\n")
	summary := e.found.Report.Summary
	for _, s := range summary[:min(len(summary), maxLead)] {
		b.WriteString("- ")
		if s.Topic != "" {
			b.WriteString(s.Topic + ": ")
		}
		b.WriteString(line.Truncate(line.Flat(s.Text), maxLeadRunes))
		for _, c := range s.Citations {
			fmt.Fprintf(&b, " [%s]", c)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// exactOrder returns the places of an exact answer in its order, then the definitions of the names in the question.
func exactOrder(found *report.Report, records []agent.ToolRecord) (places []report.Place) {
	if !found.Found {
		return nil // what is merely near would be believed
	}
	places = slices.Clone(found.Places)
	for _, p := range exactPlaces(records) {
		known := slices.ContainsFunc(places, func(o report.Place) bool { return o.Path == p.Path && o.Start == p.Start })
		if !known && !isTest(p.Path) && len(places) < len(found.Places)+maxAfter {
			places = append(places, p)
		}
	}
	return places
}

// deciding returns the lines of a place that the sentences of a report cite, in their order.
func deciding(r *report.Report, p report.Place) (lines []int) {
	for _, s := range r.Summary {
		for _, text := range s.Citations {
			c, err := report.ParseCitation(text)
			if err == nil && c.Path == p.Path && p.Start <= c.Start && c.Start <= p.End {
				lines = append(lines, c.Start)
			}
		}
	}
	return lines
}

// example returns the citation to imitate: the first of the answer, else that of the first excerpt.
func (e *evidence) example() string {
	if e.exact && len(e.found.Report.Summary) > 0 && len(e.found.Report.Summary[0].Citations) > 0 {
		return e.found.Report.Summary[0].Citations[0]
	}
	return e.excerpts[0].Citation().String()
}

// absent reports whether exact tools searched every file and found nothing.
func (e *evidence) absent() bool { return e.exact && !e.found.Found && e.found.Partial == "" }
