package files

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forayhq/foray/agent/explore/rules/internal/comments"
	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/agent/explore/rules/internal/overview"
	"github.com/forayhq/foray/internal/documents"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
)

// fileReport says what a file is for and what it defines.
func (s *Search) fileReport(file string, others []string) *report.Report {
	read := s.read(headCall(file))
	if len(read) == 0 {
		return nil
	}
	if len(read[0].Lines) == 0 { // no line can be cited
		return &report.Report{NotCovered: []string{}, Summary: []report.Statement{{Text: fmt.Sprintf("`%s` is empty, or no text.", file)}}}
	}
	text := &read[0]
	named := s.definitions(s.outlined(file), file)
	at, sentence := s.says(text, named)
	rep := &report.Report{Found: true, NotCovered: []string{}, Summary: s.statements(text, named, at, sentence)}
	if len(others) > 0 {
		rep.NotCovered = append(rep.NotCovered, fmt.Sprintf("%s of this name: %s", line.Count(len(others), "other file"),
			strings.Join(others[:min(len(others), maxSame)], ", ")))
	}
	rep.Places = []report.Place{{Path: file, Start: 1, End: text.TotalLines, Why: "the file itself", Confidence: 1}}
	for _, d := range named[:min(len(named), maxPlaces-1)] {
		rep.Places = append(rep.Places, report.Place{Path: file, Start: d.Start, End: d.End, Symbol: d.Name, Why: d.Kind})
	}
	if s.subject.Users {
		s.withUsers(rep, file, named)
	} else {
		s.mentions(rep, file, false)
	}
	rep.Excerpts = excerpts(text, named, at, sentence)
	if len(named) > 0 && named[0].Kind != "heading" {
		rep.NextQuestion = fmt.Sprintf("Who calls %s?", named[0].Name)
	}
	return rep
}

// statements says what a file says of itself, in a sentence at a line, and what it defines, or else how it begins.
func (s *Search) statements(text *codebase.FileText, named []codebase.Symbol, at int, sentence string) (all []report.Statement) {
	file := text.Path
	said := fmt.Sprintf("`%s` (%s)", file, line.Count(text.TotalLines, "line"))
	if s.apart(file) == 2 {
		said = fmt.Sprintf("There is no `%s`; ", s.subject.Path) + said
	}
	if sentence != "" && s.subject.Kinds == nil {
		all = append(all, report.Statement{Text: said + ": “" + line.Truncate(sentence, maxQuote) + "”",
			Citations: []string{lookup.Cite(file, at, at)}, Quote: quotable(text, at)})
	}
	if len(named) > 0 {
		named = slices.Clone(named)
		if strings.HasPrefix(named[0].Doc, strings.TrimSuffix(sentence, "…")) {
			named[0].Doc = "" // it was said
		}
		names, cited := listed(file, named)
		if len(all) > 0 {
			all[0].Text += ". It " + strings.TrimSuffix(names, ".")
			all[0].Citations = append(all[0].Citations,
				slices.DeleteFunc(cited, func(c string) bool { return c == all[0].Citations[0] })...)
			return all
		}
		return append(all, report.Statement{Text: said + " " + names, Citations: cited, Quote: quotable(text, named[0].Start)})
	}
	if len(all) == 0 {
		first := firstLine(text)
		begins := line.Truncate(strings.TrimSpace(text.Lines[first-text.StartLine]), maxQuote)
		how := " begins with `"
		if first > 1 {
			how = fmt.Sprintf(" has, in line %d, `", first)
		}
		all = append(all, report.Statement{Text: said + how + begins + "`",
			Citations: []string{lookup.Cite(file, first, first)}, Quote: quotable(text, first)})
	}
	return all
}

// excerpts shows where a file says what it is for, or its beginning, and its main definitions.
func excerpts(text *codebase.FileText, named []codebase.Symbol, at int, sentence string) (all []report.Excerpt) {
	last := 0 // line of an excerpt
	if sentence != "" || len(named) == 0 || text.TotalLines <= excerptLines {
		first := max(at, firstLine(text))
		if text.TotalLines <= shortFile {
			first = 1 // a condition of the build may be above
		}
		last = min(text.TotalLines, first+excerptLines-1)
		all = append(all, report.Excerpt{Path: text.Path, Start: first, End: last})
	}
	for _, d := range named {
		if d.Start > last && len(all) < maxExcerpts {
			all = append(all, report.Excerpt{Path: text.Path, Start: d.Start, End: min(d.End, d.Start+excerptLines-1)})
		}
	}
	return all
}

// quotable returns a line of a text as a quote, "" if it was not read.
func quotable(text *codebase.FileText, at int) string {
	if i := at - text.StartLine; i >= 0 && i < len(text.Lines) {
		return lookup.Quotable(text.Lines[i], maxQuote)
	}
	return ""
}

// strictMode matches a line at the beginning of a file that says nothing of what it does.
var strictMode = lazyregexp.New(`^["']use strict["'];?$|^#!|^set -|^<\?(?:xml|php)\b|^<!DOCTYPE|^declare\(|` +
	`^# (?:frozen_string_literal|encoding|-\*-)`)

func firstLine(text *codebase.FileText) int {
	comment := false // of markup: mostly a licence
	for i, l := range text.Lines {
		l = strings.TrimSpace(l)
		comment = comment || strings.HasPrefix(l, "<!--")
		if l != "" && !comment && !strictMode.MatchString(l) {
			return text.StartLine + i
		}
		comment = comment && !strings.Contains(l, "-->")
	}
	return max(text.StartLine, 1)
}

// says returns the sentence that says what a file is for, with its line: of the document, of the manifest, of the comment
// at its head, or else of the definition that the file is named after.
func (s *Search) says(text *codebase.FileText, named []codebase.Symbol) (at int, sentence string) {
	if documents.Is(text.Path) {
		return ofDocument(text)
	}
	for i, l := range text.Lines {
		if d := overview.Description(l); d != "" && manifest[path.Ext(text.Path)] {
			return text.StartLine + i, d
		}
	}
	if n, head := comments.Head(text.Path, text.Lines); head != "" && !unicode.IsLower([]rune(head)[0]) {
		return text.StartLine + n, head
	}
	for _, d := range named[:min(len(named), 2)] {
		if isNamesake(d, text.Path) && len(strings.Fields(d.Doc)) > 2 {
			return d.Start, firstSentence(d.Doc)
		}
	}
	return 0, ""
}

// manifest are the extensions of manifests that describe a package.
var manifest = set(".json .toml .csproj .nuspec .gemspec")

// ofDocument returns the first sentence of a document and its line. A shorter one than a sentence on a matter is a link
// to another page, or a word on where one is.
func ofDocument(text *codebase.FileText) (at int, sentence string) {
	for from := 0; ; {
		q, ok := documents.Sentence(text.Lines[from:])
		if !ok {
			return 0, ""
		}
		if !strings.HasPrefix(q.Text, ">") && len(strings.Fields(q.Text)) >= leastSentence {
			return text.StartLine + from + q.Start, q.Text
		}
		from += q.End + 1
	}
}

// isNamesake reports whether a file is named after a definition: timed-out.ts after timedOut.
func isNamesake(d codebase.Symbol, file string) bool {
	stem, _, _ := strings.Cut(path.Base(file), ".")
	return letters(d.Name[strings.LastIndexAny(d.Name, ".:")+1:]) == letters(stem)
}

// firstSentence returns the first sentence of a line of documentation.
func firstSentence(doc string) string {
	if first, _, more := strings.Cut(doc, ". "); more {
		return first + "."
	}
	return doc
}

// definitions returns the definitions of a file, or its sections, that matter most first: the one that the file is named
// after, then the largest, with its methods; what others can use counts double. One that holds all others is followed by
// these. Sections, and kinds that the question asks for, stay in order.
func (s *Search) definitions(all []codebase.Symbol, file string) []codebase.Symbol {
	all = slices.DeleteFunc(slices.Clone(all), func(d codebase.Symbol) bool {
		return d.Start < 1 || d.End < d.Start || d.Path != "" && d.Path != file
	})
	if documents.Is(file) {
		return all
	}
	if of := slices.DeleteFunc(slices.Clone(all), func(d codebase.Symbol) bool {
		return !slices.Contains(s.subject.Kinds, d.Kind)
	}); len(of) > 0 {
		return of
	}
	var outer []codebase.Symbol
	for depth := 1; depth <= maxDepth; depth++ {
		of := slices.DeleteFunc(slices.Clone(all), func(d codebase.Symbol) bool { return d.Depth != depth })
		inner := groups(of, outer, file)
		if outer = append(outer, inner...); len(inner) != 1 {
			break
		}
	}
	return outer
}

// loads matches what gives a module of JavaScript a name.
var loads = lazyregexp.New(`=\s*require\(`)

// groups returns definitions of one depth, those that matter most first. A type and its methods are one, unless it is
// among the outer ones.
func groups(all, outer []codebase.Symbol, file string) (first []codebase.Symbol) {
	weights := make(map[string]int)
	heads := make(map[string]codebase.Symbol)
	for _, d := range all {
		if loads.MatchString(d.Signature) {
			continue // another module
		}
		owner := d.Name
		if d.Kind == "method" {
			owner = owner[:max(strings.LastIndex(owner, "."), 0)]
		}
		if slices.ContainsFunc(outer, func(o codebase.Symbol) bool { return o.Name == owner }) {
			owner = d.Name
		}
		lines := d.End - d.Start + 1
		if !hidden(d, file) {
			lines *= 2
		}
		switch {
		case isNamesake(d, file):
			lines += 1 << 20
		case d.Kind == "module" && ofTests[d.Name]:
			lines = 0
		}
		head, known := heads[owner]
		if !known || head.Name != owner && (d.Name == owner || d.End-d.Start > head.End-head.Start) {
			heads[owner] = d
		}
		weights[owner] += lines
	}
	owners := slices.SortedFunc(maps.Keys(heads), func(a, b string) int {
		return cmp.Or(cmp.Compare(weights[b], weights[a]), cmp.Compare(a, b))
	})
	for _, o := range owners {
		first = append(first, heads[o])
	}
	return first
}

// ofTests are modules with the tests of the rest of a file.
var ofTests = set("test tests")

// letters returns the letters and digits of a name in lower case, so that timed-out is timedOut.
func letters(name string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToLower(c)
		}
		return -1
	}, name)
}

// hidden reports whether other files cannot use a definition, as far as its language says.
func hidden(d codebase.Symbol, file string) bool {
	first, _ := utf8.DecodeRuneInString(d.Name[strings.LastIndex(d.Name, ".")+1:])
	switch path.Ext(file) {
	case ".go":
		return !unicode.IsUpper(first)
	case ".ts", ".tsx", ".js", ".jsx", ".mjs":
		return !strings.HasPrefix(d.Signature, "export")
	case ".rs":
		return !strings.HasPrefix(d.Signature, "pub")
	}
	return first == '_'
}

// listed returns what a sentence says of the definitions or sections of a file, and where the first ones are.
func listed(file string, named []codebase.Symbol) (says string, cited []string) {
	if len(named) == 0 {
		return "", nil
	}
	var names []string
	for _, d := range named[:min(len(named), maxNamed)] {
		name := "`" + d.Name + "`"
		if d.Kind == "heading" {
			name = "“" + d.Name + "”"
		}
		if doc := firstSentence(d.Doc); len(names) == 0 && len(strings.Fields(doc)) > 2 {
			name += " (“" + line.Truncate(doc, maxDoc) + "”)"
		}
		names = append(names, name)
		if len(cited) < maxSame {
			cited = append(cited, lookup.Cite(file, d.Start, d.Start))
		}
	}
	verb, more := "defines ", ""
	if named[0].Kind == "heading" {
		verb = "has the " + map[bool]string{true: "section ", false: "sections "}[len(named) == 1]
	}
	if n := len(named) - len(names); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return verb + strings.Join(names, ", ") + more + ".", cited
}
