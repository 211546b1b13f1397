package files

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/agent/explore/rules/internal/overview"
	"github.com/forayhq/foray/internal/documents"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/testfile"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
)

// directory returns the directory that is meant, with the paths of its files; "" without one.
func (s *Search) directory() (dir string, all []string) {
	r, _ := lookup.Decode[codebase.GlobResult](s.results, s.directoryCall())
	in := make(map[string][]string)
	for _, p := range r.Items {
		for _, named := range s.paths() {
			if at := strings.Index("/"+p, "/"+named+"/"); at >= 0 {
				in[p[:at+len(named)]] = append(in[p[:at+len(named)]], p)
				break
			}
		}
	}
	var found []string
	for d := range in {
		found = append(found, d)
	}
	slices.SortFunc(found, func(a, b string) int {
		return cmp.Or(cmp.Compare(s.apart(a), s.apart(b)), cmp.Compare(aside(a+"/"), aside(b+"/")),
			cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(a, b))
	})
	if len(found) == 0 {
		return "", nil
	}
	return found[0], in[found[0]]
}

// shown returns the files of a directory that are read: those that may describe it first, then those directly in it, then
// those below.
func shown(dir string, all []string) []string {
	order := func(p string) int {
		switch below := strings.TrimPrefix(p, dir+"/"); {
		case strings.Contains(below, "/"):
			return 3
		case mayDescribe(dir, p):
			return 0
		case testfile.Is(p):
			return 2
		}
		return 1
	}
	first := slices.Clone(all)
	slices.SortStableFunc(first, func(a, b string) int { return cmp.Compare(order(a), order(b)) })
	return first[:min(len(first), maxPlaces)]
}

// mayDescribe reports whether a file is one that usually says what its directory is for: a README, doc.go, and in other
// languages those of [overview.Describes]; in Go also the one with the name of the directory.
func mayDescribe(dir, p string) bool {
	name, _, _ := strings.Cut(path.Base(p), ".")
	switch {
	case path.Dir(p) != dir:
		return false
	case strings.EqualFold(name, "readme"), path.Base(p) == "doc.go":
		return true
	case path.Ext(p) == ".go":
		return name == path.Base(dir)
	}
	return overview.Describes(p)
}

// directoryReport says what a directory is for, which files it holds, and what they say of themselves.
func (s *Search) directoryReport(dir string, all []string) *report.Report {
	rep := &report.Report{Found: true, NotCovered: []string{}}
	texts := make(map[string]*codebase.FileText)
	read := s.read(headsCall(shown(dir, all)))
	for i := range read {
		texts[read[i].Path] = &read[i]
	}
	outlined, _ := lookup.Decode[codebase.OutlineResult](s.results, outlineCall(dir, directoryDepth))
	cited := "" // a line of a file that is there
	for _, p := range shown(dir, all) {
		text := texts[p]
		if text == nil || len(text.Lines) == 0 {
			continue // empty, or no text
		}
		place := report.Place{Path: p, Start: 1, End: 1, Why: s.why(text, outlined.Items)}
		at, sentence := s.says(text, nil)
		if sentence != "" {
			place.Start, place.End = at, at
		}
		if sentence != "" && !documents.Is(p) {
			place.Why = "“" + line.Truncate(sentence, maxDoc) + "”"
		}
		if sentence != "" && len(rep.Summary) == 0 && len(all) > 1 && describes(dir, p, sentence) {
			rep.Summary = append(rep.Summary, report.Statement{
				Text:      fmt.Sprintf("`%s`: “%s”", dir, line.Truncate(sentence, maxQuote)),
				Citations: []string{lookup.Cite(p, at, at)}, Quote: quotable(text, at)})
			rep.Excerpts = []report.Excerpt{{Path: p, Start: at, End: min(text.EndLine, at+excerptLines-1)}}
			rep.Places = slices.Insert(rep.Places, 0, place)
		} else {
			rep.Places = append(rep.Places, place)
		}
		cited = cmp.Or(cited, lookup.Cite(p, text.StartLine, text.StartLine))
	}
	if len(rep.Places) == 0 {
		return nil
	}
	said := report.Statement{Text: holds(dir, all), Citations: []string{cited}}
	if len(rep.Summary) == 0 {
		ofFiles(&said, rep.Places)
	}
	rep.Summary = append(rep.Summary, said)
	s.mentions(rep, dir, true)
	if r, _ := lookup.Decode[codebase.GlobResult](s.results, s.directoryCall()); r.Truncated {
		rep.NotCovered = append(rep.NotCovered, line.Count(r.Total-r.Returned, "file")+" beyond those counted")
	}
	rep.Places[0].Confidence = 1
	rep.NextQuestion = fmt.Sprintf("What does %s do?", rep.Places[len(rep.Places)-1].Path)
	return rep
}

// ofFiles adds what the first files of a directory say of themselves, or else what they define, to what it holds.
func ofFiles(said *report.Statement, all []report.Place) {
	added := 0
	for _, about := range []string{"“", "defines "} {
		for _, p := range all {
			if !strings.HasPrefix(p.Why, about) || testfile.Is(p.Path) || added == maxWhy {
				continue
			}
			added++
			said.Text += fmt.Sprintf(" `%s` %s", path.Base(p.Path), strings.Replace(p.Why, "“", "says “", 1))
			if !strings.HasSuffix(said.Text, "”") {
				said.Text += "."
			}
			if cite := p.Citation().String(); !slices.Contains(said.Citations, cite) {
				said.Citations = append(said.Citations, cite)
			}
		}
	}
}

// describes reports whether the sentence of a file says what its directory is for: of one that usually does, or of the
// file of a Go package that documents it, which can be any.
func describes(dir, p, sentence string) bool {
	if path.Ext(p) == ".go" && path.Dir(p) == dir {
		return strings.HasPrefix(sentence, "Package ") || strings.HasPrefix(sentence, "Command ")
	}
	return mayDescribe(dir, p)
}

// why says what a file defines.
func (s *Search) why(text *codebase.FileText, outlined []codebase.Symbol) string {
	if text == nil {
		return "in the directory"
	}
	var own []codebase.Symbol
	for _, d := range outlined {
		if d.Path == text.Path {
			own = append(own, d)
		}
	}
	if sections := documents.Sections(text.Path, []byte(strings.Join(text.Lines, "\n"))); len(sections) > 0 {
		return "“" + line.Truncate(sections[0].Title, maxDoc) + "”"
	}
	named := s.definitions(own, text.Path)
	for len(named) > 1 && named[0].Kind == "module" { // around the others
		named = named[1:]
	}
	if len(named) == 0 {
		return "in the directory"
	}
	var names []string
	for _, d := range named[:min(len(named), maxWhy)] {
		names = append(names, d.Name)
	}
	return "defines " + strings.Join(names, ", ")
}

// holds is the sentence that names the files and directories of a directory.
func holds(dir string, all []string) string {
	var direct []string
	below := make(map[string]int)
	for _, p := range all {
		if sub, _, deeper := strings.Cut(strings.TrimPrefix(p, dir+"/"), "/"); deeper {
			below[sub]++
		} else {
			direct = append(direct, p)
		}
	}
	var parts []string
	if len(direct) > 0 {
		var names []string
		for _, p := range direct[:min(len(direct), maxNamed)] {
			names = append(names, path.Base(p))
		}
		part := line.Count(len(direct), "file") + ": " + strings.Join(names, ", ")
		if n := len(direct) - len(names); n > 0 {
			part += fmt.Sprintf(" and %d more", n)
		}
		parts = append(parts, part)
	}
	if len(below) > 0 {
		var names []string
		for sub := range below {
			names = append(names, sub)
		}
		slices.Sort(names)
		more := ""
		if n := len(names) - maxNamed; n > 0 {
			names, more = names[:maxNamed], fmt.Sprintf(" and %d more", n)
		}
		for i, sub := range names {
			names[i] = fmt.Sprintf("%s (%d)", sub, below[sub])
		}
		parts = append(parts, "directories, with their files: "+strings.Join(names, ", ")+more)
	}
	return fmt.Sprintf("`%s` holds %s.", dir, strings.Join(parts, "; "))
}
