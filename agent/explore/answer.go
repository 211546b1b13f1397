package explore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools/report"
)

// bracket finds citations in the text of a model: [path:12-30], also several in one pair of brackets. Brackets right
// after a word are an index.
var bracket = lazyregexp.New(`(?:^|[^\w\])])` +
	`\[([^\[\]\n]+?(?::L?|#L)\d+(?:-L?\d+)?(?:\s*[,;]\s*[^\[\]\n]+?(?::L?|#L)\d+(?:-L?\d+)?)*)\]`)

// An answer is the text of a model with its citations resolved.
type answer struct {
	text     string   // without the list at its end
	relevant []string // citations that resolve, in order, each once: of the list, or else of the text
	broken   []string // citations that do not resolve, with the reason
}

// readAnswer resolves the citations of a text.
func readAnswer(files fs.FS, text string) answer {
	text, listed := report.SplitList(text)
	a := answer{text: text}
	var fromText []string
	for _, m := range bracket.FindAllStringSubmatch(text, -1) {
		if parseGroup(m[1]) == nil { // not only citations
			continue
		}
		for _, c := range strings.FieldsFunc(m[1], func(r rune) bool { return r == ',' || r == ';' }) {
			c = strings.TrimSpace(c)
			if isNoPath(files, c) {
				continue
			}
			fromText = a.resolve(files, c, fromText)
		}
	}
	for _, c := range listed {
		if _, err := countLines(files, c); err != nil { // not a path with blanks, so a remark may follow it
			if _, err := report.ParseCitation(c); err != nil {
				c, _, _ = strings.Cut(c, " ")
			}
		}
		a.relevant = a.resolve(files, c, a.relevant)
	}
	if len(a.relevant) == 0 {
		a.relevant = fromText
	}
	return a
}

// isNoPath reports whether what brackets enclose is a time, a ratio or a slice, such as 12:30, rather than a citation.
func isNoPath(files fs.FS, inside string) bool {
	name := inside[:max(0, strings.LastIndexAny(inside, ":#"))]
	_, err := fs.Stat(files, name)
	return err != nil && !pathForm.MatchString(name)
}

// resolve appends a citation to resolved if it resolves, and otherwise notes why it is broken.
func (a *answer) resolve(files fs.FS, citation string, resolved []string) []string {
	usual, err := resolve(files, citation)
	if err != nil {
		entry := fmt.Sprintf("the citation %s does not resolve: %v", line.Flat(citation), err)
		if !slices.Contains(a.broken, entry) {
			a.broken = append(a.broken, entry)
		}
		return resolved
	}
	if !slices.Contains(resolved, usual) {
		resolved = append(resolved, usual)
	}
	return resolved
}

// Resolve looks up a citation, or a path without lines, and returns its usual form. The error says which part of it
// does not exist.
func (t *Tree) Resolve(citation string) (string, error) { return resolve(t.Files, citation) }

func resolve(files fs.FS, citation string) (string, error) {
	c, invalid := report.ParseCitation(citation)
	cited, name := c.Path != "", c.Path
	if !cited {
		name = path.Clean(strings.Trim(citation, "`"))
	}
	if !fs.ValidPath(name) {
		return "", errors.New("the path leads out of the tree")
	}
	total, err := countLines(files, name)
	switch {
	case err != nil:
		return "", errors.New("no such file")
	case cited && invalid != nil:
		return "", errors.New("lines count from 1, and the last must not precede the first")
	case c.End > total:
		return "", errors.New("the file has " + line.Count(total, "line"))
	case !cited:
		return name, nil
	}
	return c.String(), nil
}

// countLines counts the lines of a regular file. A last line without a newline counts.
func countLines(files fs.FS, name string) (int, error) {
	f, err := files.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return 0, fs.ErrInvalid
	}
	lines, last := 0, byte('\n')
	buf := make([]byte, 64<<10)
	for {
		n, err := f.Read(buf)
		if n > 0 {
			lines += bytes.Count(buf[:n], []byte{'\n'})
			last = buf[n-1]
		}
		switch {
		case err == io.EOF && last != '\n':
			return lines + 1, nil
		case err == io.EOF:
			return lines, nil
		case err != nil:
			return 0, err
		}
	}
}

// denial matches what says that something is not there.
var denial = lazyregexp.New(`(?i)\b(?:no (?:such|\w+ (?:called|named|is|was))|` +
	`not? (?:be )?(?:\w+ly )?(?:exist|found|defined|present|contain|shown|provided|mentioned|implemented)|` +
	`(?:nothing|none) |there (?:is|are) no|(?:do|did|does|could|can)(?:es)?(?: not|n['’]t) (?:exist|find|contain|occur)|` +
	`gibt es nicht|nicht gefunden|existiert nicht|kein\w*)|不存在|没有|未找到`)

// Answer returns the report, or the text as one: a statement for each sentence with its citations, and the places of
// Relevant. A text finds something if it cites lines, and also if it claims something without any.
func (r *Result) Answer() *report.Report {
	if r.Report != nil {
		return r.Report
	}
	out := &report.Report{Question: r.title, Found: r.Found || !denial.MatchString(r.Text), NotCovered: r.NotCovered}
	for l := range strings.Lines(r.Text) {
		for _, s := range sentences(strings.TrimSpace(l)) {
			statement := report.Statement{Text: s}
			for _, c := range citationsIn(s) {
				statement.Citations = append(statement.Citations, c.String())
			}
			out.Summary = append(out.Summary, statement)
		}
	}
	for _, text := range r.Relevant {
		if c, err := report.ParseCitation(text); err == nil {
			out.Places = append(out.Places, report.Place{Path: c.Path, Start: c.Start, End: c.End})
		}
	}
	return out
}

// sentences splits a line.
func sentences(l string) (all []string) {
	from := 0
	for _, m := range sentenceEnds.FindAllStringIndex(l, -1) {
		all = append(all, strings.TrimSpace(l[from:m[1]]))
		from = m[1]
	}
	if from < len(l) {
		all = append(all, l[from:])
	}
	return all
}

// citationsIn returns the citations in brackets of a text.
func citationsIn(text string) (all []report.Citation) {
	for _, m := range bracket.FindAllStringSubmatch(text, -1) {
		for part := range strings.FieldsFuncSeq(m[1], func(r rune) bool { return r == ',' || r == ';' }) {
			if c, err := report.ParseCitation(part); err == nil {
				all = append(all, c)
			}
		}
	}
	return all
}
