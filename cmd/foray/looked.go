package main

import (
	"cmp"
	"maps"
	"slices"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/locate"
)

// maxLooked is how many places a report of a run without an answer names.
const maxLooked = 10

// looked is the report of a run that came to no answer: the lines that it read, or else the files that its searches hit
// most often. It is nil if there are none.
func looked(r *agent.Result) *codebase.Report {
	text, places := "There is no answer yet; these are the lines that were read.", readPlaces(r.Tools)
	if len(places) == 0 {
		text, places = "There is no answer yet; these are the files that the searches hit most often.", hitPlaces(r.Tools)
	}
	if len(places) == 0 {
		return nil
	}
	return &codebase.Report{
		Found:   true,
		Summary: []codebase.Statement{{Text: text}},
		Places:  places[:min(len(places), maxLooked)],
	}
}

// timedOut reports whether a tool answered with what it had when its time was up.
func timedOut(records []agent.ToolRecord) bool {
	return slices.ContainsFunc(records, func(rec agent.ToolRecord) bool {
		switch v := rec.Value.(type) {
		case *codebase.SearchResult:
			return v.TimedOut
		case *codebase.GlobResult:
			return v.TimedOut
		case *codebase.SymbolResult:
			return v.TimedOut
		case *locate.Result:
			return v.TimedOut
		}
		return false
	})
}

func readPlaces(records []agent.ToolRecord) []codebase.Place {
	var places []codebase.Place
	for _, rec := range records {
		files, ok := rec.Value.(*codebase.FileResult)
		if !ok {
			continue
		}
		for _, f := range files.Items {
			if f.StartLine > 0 {
				places = append(places, codebase.Place{Path: f.Path, Start: f.StartLine, End: f.EndLine, Symbol: f.Symbol, Why: "was read"})
			}
		}
	}
	return places
}

// hitPlaces are the first hits in the files that have the most, ties by path.
func hitPlaces(records []agent.ToolRecord) []codebase.Place {
	hits, first := map[string]int{}, map[string]codebase.Match{}
	for _, rec := range records {
		found, ok := rec.Value.(*codebase.SearchResult)
		if !ok {
			continue
		}
		for _, f := range found.Items {
			hits[f.Path] += f.Hits
			if len(f.Matches) > 0 && (first[f.Path].Line == 0 || f.Matches[0].Line < first[f.Path].Line) {
				first[f.Path] = f.Matches[0]
			}
		}
	}
	var places []codebase.Place
	for _, path := range slices.SortedFunc(maps.Keys(hits), func(a, b string) int { return cmp.Or(hits[b]-hits[a], cmp.Compare(a, b)) }) {
		at := max(1, first[path].Line)
		places = append(places, codebase.Place{Path: path, Start: at, End: at, Symbol: first[path].Symbol, Why: many(hits[path], "hit")})
	}
	return places
}
