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
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/testfile"
	"github.com/forayhq/foray/providers/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
)

// Bounds of an answer.
const (
	maxListed      = 2000 // files of a directory
	readLines      = 400  // lines read of a file
	maxNamed       = 8    // definitions or files in a sentence
	maxPlaces      = 10
	maxQuote       = 220 // runes of a sentence
	excerptLines   = 20
	maxSame        = 4 // other files of the same name, and citations, of a sentence
	maxExcerpts    = 3
	maxDepth       = 4
	maxTypos       = 2 // letters
	lettersPerTypo = 4 // of the name without its extension
)

// A Search is the answer to one question in the making.
type Search struct {
	subject Subject
	results lookup.Results
}

// New returns the search for a subject with the results so far.
func New(s Subject, results []rulemodel.Result) *Search {
	return &Search{subject: s, results: lookup.Of(results)}
}

// Steps is how many steps a search has at most.
const Steps = 3

// Calls returns the calls of a step, from 1.
func (s *Search) Calls(step int) []rulemodel.Call {
	if step == 1 {
		return []rulemodel.Call{s.fileCall(), s.directoryCall()}
	}
	if file, _ := s.file(); file != "" && s.subject.Inside {
		return nil
	} else if file != "" {
		return []rulemodel.Call{headCall(file), outlineCall(file)}
	}
	dir, all := s.directory()
	if dir == "" && path.Ext(s.subject.Path) != "" {
		return []rulemodel.Call{s.alikeCall()}
	}
	if describing := describes(dir, all); describing != "" {
		return []rulemodel.Call{headCall(describing)}
	}
	return nil
}

// paths returns the path of the question, and that of the module or package if it may be the dotted name of one.
func (s *Search) paths() []string {
	p := s.subject.Path
	if strings.Contains(p, "/") || !strings.Contains(p, ".") || s.subject.Certain {
		return []string{p}
	}
	return []string{p, strings.ReplaceAll(p, ".", "/")}
}

func (s *Search) fileCall() rulemodel.Call {
	p := s.subject.Path
	globs := []string{p, "**/" + p, "**/" + path.Base(p)}
	for _, module := range s.paths()[1:] {
		globs = append(globs, module+moduleExts, "**/"+module+moduleExts)
	}
	return rulemodel.Ask("glob", map[string]any{"pattern": "{" + strings.Join(globs, ",") + "}"},
		"the file that the question names")
}

// moduleExts are the extensions of languages whose modules have dotted names.
const moduleExts = ".{py,java,kt,scala,cs,ex,hs,lua,clj}"

func (s *Search) directoryCall() rulemodel.Call {
	var globs []string
	for _, p := range s.paths() {
		globs = append(globs, p+"/**", "**/"+p+"/**")
	}
	return rulemodel.Ask("glob", map[string]any{"pattern": "{" + strings.Join(globs, ",") + "}", "limit": maxListed},
		"the directory that the question names")
}

// alikeCall lists the files with the extension of the one that is not there.
func (s *Search) alikeCall() rulemodel.Call {
	return rulemodel.Ask("glob", map[string]any{"pattern": "**/*" + path.Ext(s.subject.Path), "limit": maxListed},
		"files with a name like it")
}

func headCall(file string) rulemodel.Call {
	return rulemodel.Ask("read_file", map[string]any{"path": file, "limit": readLines}, "what "+file+" says of itself")
}

func outlineCall(file string) rulemodel.Call {
	return rulemodel.Ask("outline", map[string]any{"path": file, "depth": maxDepth}, "what "+file+" defines")
}

// file returns the file that is meant, and the others with its name; "" without one.
func (s *Search) file() (file string, others []string) {
	r, _ := lookup.Decode[codebase.GlobResult](s.results, s.fileCall())
	all := slices.Clone(r.Items)
	if len(all) == 0 {
		like, _ := lookup.Decode[codebase.GlobResult](s.results, s.alikeCall())
		all = slices.DeleteFunc(like.Items, func(p string) bool { return !s.mistyped(p) })
	}
	if len(all) == 0 {
		return "", nil
	}
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(s.apart(a), s.apart(b)), cmp.Compare(aside(a), aside(b)),
			cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(a, b))
	})
	nearest := s.apart(all[0])
	others = slices.DeleteFunc(slices.Clone(all[1:]), func(p string) bool { return s.apart(p) != nearest })
	if nearest == 0 {
		others = nil
	}
	return all[0], others
}

// mistyped reports whether the path of the question may be a typo of a file's: up to two letters differ, but not the
// first one of the name.
func (s *Search) mistyped(p string) bool {
	asked, parts := strings.ToLower(s.subject.Path), strings.Split(strings.ToLower(p), "/")
	tail := strings.Join(parts[max(len(parts)-1-strings.Count(asked, "/"), 0):], "/")
	stem, _, _ := strings.Cut(path.Base(asked), ".")
	return path.Base(asked)[0] == path.Base(tail)[0] && line.Distance(tail, asked) <= min(maxTypos, len(stem)/lettersPerTypo)
}

// apart is 0 for the path of the question, 1 for a path that ends in it or in that of its module, and 2 for one with its
// last name only.
func (s *Search) apart(p string) int {
	if p == s.subject.Path {
		return 0
	}
	for _, named := range s.paths() {
		if whole := strings.TrimSuffix(p, path.Ext(p)); strings.HasSuffix("/"+p, "/"+named) || named != s.subject.Path &&
			strings.HasSuffix("/"+whole, "/"+named) {
			return 1
		}
	}
	return 2
}

// aside is 1 for a file that is rarely meant if another one has its name.
func aside(p string) int {
	if testfile.Is(p) || overview.IsAside(p) {
		return 1
	}
	return 0
}

// directory returns the directory that is meant, with the paths of its files; "" without one, or if several are as near.
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

// describes returns the file of a directory that says what it is for, or "".
func describes(dir string, all []string) string {
	best := ""
	for _, p := range all {
		if path.Dir(p) != dir || testfile.Is(p) {
			continue
		}
		readme := strings.HasPrefix(strings.ToLower(path.Base(p)), "readme")
		if readme || overview.Describes(p) && (best == "" || path.Base(p) == "doc.go") {
			best = p
		}
		if readme {
			break
		}
	}
	return best
}

// Report returns the report on the results so far, or nil if they do not answer the question.
func (s *Search) Report() *report.Report {
	if file, others := s.file(); file != "" {
		if s.subject.Inside {
			return nil
		}
		return s.fileReport(file, others)
	}
	if dir, all := s.directory(); dir != "" && !s.subject.Inside {
		return s.directoryReport(dir, all)
	}
	_, listed := lookup.Decode[codebase.GlobResult](s.results, s.fileCall())
	if !listed || !s.subject.Certain {
		return nil
	}
	return &report.Report{NotCovered: []string{}, Summary: []report.Statement{{Text: fmt.Sprintf(
		"No file or directory of the tree is called `%s`.", line.Truncate(s.subject.Path, maxQuote))}}}
}

// read returns what was read of a file; nil if it was not.
func (s *Search) read(file string) *codebase.FileText {
	r, ok := lookup.Decode[codebase.FileResult](s.results, headCall(file))
	if !ok || len(r.Items) == 0 {
		return nil
	}
	return &r.Items[0]
}

// fileReport says what a file is for and what it defines.
func (s *Search) fileReport(file string, others []string) *report.Report {
	text := s.read(file)
	if text == nil || len(text.Lines) == 0 {
		return nil
	}
	r, _ := lookup.Decode[codebase.OutlineResult](s.results, outlineCall(file))
	named := s.definitions(r.Items, file)
	rep := &report.Report{Found: true, NotCovered: []string{}}
	said := fmt.Sprintf("`%s` (%s)", file, line.Count(text.TotalLines, "line"))
	if s.apart(file) == 2 {
		said = fmt.Sprintf("There is no `%s`; ", s.subject.Path) + said
	}
	at, quote, sentence := s.says(text, named)
	names, cited := listed(file, named)
	if sentence != "" && s.subject.Kinds == nil {
		rep.Summary = append(rep.Summary, report.Statement{Text: said + ": “" + line.Truncate(sentence, maxQuote) + "”",
			Citations: []string{lookup.Cite(file, at, at)}, Quote: lookup.Quotable(quote, maxQuote)})
		said = "It"
	}
	if at == 0 {
		at = firstLine(text)
	}
	switch {
	case len(named) > 0:
		rep.Summary = append(rep.Summary, report.Statement{Text: said + " " + names, Citations: cited,
			Quote: quotable(text, named[0].Start)})
	case len(rep.Summary) == 0:
		rep.Summary = append(rep.Summary, report.Statement{Text: said + " defines nothing.",
			Citations: []string{lookup.Cite(file, at, at)}, Quote: quotable(text, at)})
	}
	if len(others) > 0 {
		rep.NotCovered = append(rep.NotCovered, fmt.Sprintf("%s of this name: %s", line.Count(len(others), "other file"),
			strings.Join(others[:min(len(others), maxSame)], ", ")))
	}
	rep.Places = []report.Place{{Path: file, Start: 1, End: text.TotalLines, Why: "the file itself", Confidence: 1}}
	for _, d := range named[:min(len(named), maxPlaces-1)] {
		rep.Places = append(rep.Places, report.Place{Path: file, Start: d.Start, End: d.End, Symbol: d.Name,
			Why: d.Kind})
	}
	if sentence != "" || len(named) == 0 {
		rep.Excerpts = []report.Excerpt{{Path: file, Start: at, End: min(text.TotalLines, at+excerptLines-1)}}
	}
	for _, d := range named[:min(len(named), maxExcerpts)] {
		if d.Start > at+excerptLines || sentence == "" {
			rep.Excerpts = append(rep.Excerpts, report.Excerpt{Path: file, Start: d.Start, End: min(d.End, d.Start+excerptLines-1)})
		}
	}
	rep.Excerpts = rep.Excerpts[:min(len(rep.Excerpts), maxExcerpts)]
	if len(named) > 0 && named[0].Kind != "heading" {
		rep.NextQuestion = fmt.Sprintf("Who calls %s?", named[0].Name)
	}
	return rep
}

// quotable returns a line of a text as a quote, "" if it was not read.
func quotable(text *codebase.FileText, at int) string {
	if i := at - text.StartLine; i >= 0 && i < len(text.Lines) {
		return lookup.Quotable(text.Lines[i], maxQuote)
	}
	return ""
}

func firstLine(text *codebase.FileText) int {
	for i, l := range text.Lines {
		if strings.TrimSpace(l) != "" {
			return text.StartLine + i
		}
	}
	return max(text.StartLine, 1)
}

// says returns the sentence that says what a file is for, with its line: of the comment at its head, of the document, of
// the manifest, or else of the definition that the file is named after.
func (s *Search) says(text *codebase.FileText, named []codebase.Symbol) (at int, quote, sentence string) {
	if documents.Is(text.Path) {
		if q, ok := documents.Sentence(text.Lines); ok {
			return text.StartLine + q.Start, text.Lines[q.Start], q.Text
		}
		return 0, "", ""
	}
	for i, l := range text.Lines {
		if d := overview.Description(l); d != "" {
			return text.StartLine + i, l, d
		}
	}
	if n, head := comments.Head(text.Path, text.Lines); head != "" {
		return text.StartLine + n, text.Lines[n], head
	}
	stem, _, _ := strings.Cut(path.Base(text.Path), ".")
	for _, d := range named[:min(len(named), 2)] {
		if letters(d.Name) == letters(stem) && len(strings.Fields(d.Doc)) > 2 {
			return d.Start, "", d.Doc
		}
	}
	return 0, "", ""
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

// groups returns definitions of one depth, those that matter most first. A type and its methods are one, unless it is
// among the outer ones.
func groups(all, outer []codebase.Symbol, file string) (first []codebase.Symbol) {
	weights := make(map[string]int)
	heads := make(map[string]codebase.Symbol)
	stem, _, _ := strings.Cut(path.Base(file), ".")
	for _, d := range all {
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
		if letters(d.Name) == letters(stem) {
			lines += 1 << 20
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

// directoryReport says what a directory is for and which files it holds.
func (s *Search) directoryReport(dir string, all []string) *report.Report {
	var direct []string
	below := make(map[string]int)
	for _, p := range all {
		if rest := strings.TrimPrefix(p, dir+"/"); !strings.Contains(rest, "/") {
			direct = append(direct, p)
		} else {
			sub, _, _ := strings.Cut(rest, "/")
			below[sub]++
		}
	}
	rep := &report.Report{Found: true, NotCovered: []string{}}
	shown := direct
	if len(shown) == 0 {
		shown = all
	}
	describing := describes(dir, all)
	if text := s.read(describing); describing != "" && text != nil {
		if at, quote, sentence := s.says(text, nil); sentence != "" {
			rep.Summary = append(rep.Summary, report.Statement{
				Text:      fmt.Sprintf("`%s`: “%s”", dir, line.Truncate(sentence, maxQuote)),
				Citations: []string{lookup.Cite(describing, at, at)}, Quote: lookup.Quotable(quote, maxQuote)})
			rep.Places = append(rep.Places, report.Place{Path: describing, Start: at, End: at, Why: "describes the directory"})
			rep.Excerpts = []report.Excerpt{{Path: describing, Start: at, End: min(text.TotalLines, at+excerptLines-1)}}
		}
	}
	rep.Summary = append(rep.Summary, report.Statement{
		Text: holds(dir, direct, below), Citations: []string{lookup.Cite(shown[0], 1, 1)}})
	for _, p := range shown {
		if len(rep.Places) < maxPlaces && (len(rep.Places) == 0 || p != rep.Places[0].Path) {
			rep.Places = append(rep.Places, report.Place{Path: p, Start: 1, End: 1, Why: "in the directory"})
		}
	}
	rep.Places[0].Confidence = 1
	rep.NextQuestion = fmt.Sprintf("What does %s do?", shown[0])
	return rep
}

// holds is the sentence that names the files and directories of a directory.
func holds(dir string, direct []string, below map[string]int) string {
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
