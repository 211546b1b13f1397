package explore

import (
	"io/fs"
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/tools/report"
)

// written matches a file name, with or without lines, anywhere in a sentence.
var written = regexp.MustCompile(`[\w@.+/-]*\w\.\w+(?:(?::L?|#L)\d{1,9}(?:-L?\d{1,9})?)?`)

// named matches what may be the name of a definition.
var named = regexp.MustCompile(`[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*`)

// numberedLines matches lines that a sentence names in words: line 12, lines 12-30, 40 and 50.
var numberedLines = regexp.MustCompile(`(?i)\blines? (\d{1,9}(?:-\d{1,9})?(?:(?:,| and|, and) \d{1,9}(?:-\d{1,9})?)*)`)

var lineRange = regexp.MustCompile(`\d+(?:-\d+)?`)

// sentenceEnds matches the end of a sentence inside a line.
var sentenceEnds = regexp.MustCompile(`[.!?。！？][)\]"'` + "`" + `]*\s+`)

// A citer gives the sentences of a model's answer the citations that they lack, from the places that it was shown.
type citer struct {
	files  fs.FS
	places []report.Place // best first
	runs   map[string]int // runs of words of the excerpts, to the index of the first place with them
}

// quoteRun is how many words in a row a sentence shares with the code that it repeats.
const quoteRun = 5

// citerOf returns the citer of a run: with its evidence, then what it read.
func citerOf(files fs.FS, e *evidence, r *agent.Result) *citer {
	c := &citer{files: files, runs: map[string]int{}}
	for i, x := range e.excerpts {
		c.places = append(c.places, x.Place)
		for run := range runsOf(x.code) {
			if _, ok := c.runs[run]; !ok {
				c.runs[run] = i
			}
		}
	}
	c.places = append(append(c.places, e.others...), readPlaces(r.Tools)...)
	return c
}

// repair returns a text whose sentences cite. A sentence with a citation that resolves stays as it is. A citation with
// a wrong path or wrong lines gets those of the place that it means. A sentence without one gets the lines of the place
// whose path or definition it names, or whose words it repeats. Code blocks, and the list of files at the end, stay as they are.
func (c *citer) repair(text string) string {
	var out strings.Builder
	fenced := false
	body, list := text, ""
	if at := strings.LastIndex(text, report.ListHead); at >= 0 {
		body, list = text[:at], text[at:]
	}
	for l := range strings.Lines(body) {
		if strings.HasPrefix(strings.TrimSpace(l), "```") {
			fenced = !fenced
		} else if !fenced {
			l = c.repairLine(l)
		}
		out.WriteString(l)
	}
	return out.String() + list
}

func (c *citer) repairLine(l string) string {
	bare := strings.TrimRight(l, " \t\r\n")
	end := l[len(bare):]
	var out strings.Builder
	from := 0
	for _, m := range sentenceEnds.FindAllStringIndex(bare, -1) {
		out.WriteString(c.sentence(bare[from:m[1]]))
		from = m[1]
	}
	if from < len(bare) {
		out.WriteString(c.sentence(bare[from:]))
	}
	return out.String() + end
}

// sentence returns a sentence with a citation, if it has one or names what has.
func (c *citer) sentence(s string) string {
	if m := bracket.FindStringSubmatchIndex(s); m != nil {
		inside := s[m[2]:m[3]]
		if _, err := resolve(c.files, inside); err == nil || strings.ContainsAny(inside, ",;") {
			return s
		}
		if right := c.meant(inside); right != "" {
			return s[:m[2]] + right + s[m[3]:]
		}
		return s
	}
	for _, w := range written.FindAllString(s, -1) {
		usual, err := resolve(c.files, w)
		if err == nil && strings.ContainsAny(usual, ":#") {
			return cited(s, usual)
		}
		if err == nil {
			if all := append(c.inWords(usual, s), c.definitions(s, usual)...); len(all) > 0 {
				return cited(s, all[:min(len(all), maxAdded)]...)
			}
		}
		if right := c.meant(w); right != "" {
			return cited(s, right)
		}
	}
	if all := c.definitions(s, ""); len(all) > 0 {
		return cited(s, all[:min(len(all), maxAdded)]...)
	}
	for run := range runsOf(s) {
		if i, ok := c.runs[run]; ok {
			return cited(s, c.places[i].Citation().String())
		}
	}
	return s
}

// runsOf yields the runs of quoteRun words in a text, in lower case.
func runsOf(text string) iter.Seq[string] {
	words := wordsOf(text)
	return func(yield func(string) bool) {
		for i := 0; i+quoteRun <= len(words); i++ {
			if !yield(strings.Join(words[i:i+quoteRun], " ")) {
				return
			}
		}
	}
}

// maxAdded is how many citations a sentence gets.
const maxAdded = 3

// inWords returns the lines of a file that a sentence names in words.
func (c *citer) inWords(file, s string) (all []string) {
	m := numberedLines.FindStringSubmatch(s)
	if m == nil {
		return nil
	}
	for _, lines := range lineRange.FindAllString(m[1], -1) {
		if usual, err := resolve(c.files, file+":"+lines); err == nil && !slices.Contains(all, usual) {
			all = append(all, usual)
		}
	}
	return all
}

// sentenceMark matches the mark at the end of a sentence, with the quotes and brackets that close after it.
var sentenceMark = regexp.MustCompile(`[.!?:。！？]+[)\]"'` + "`" + `]*$`)

// cited puts citations at the end of a sentence, before its mark and blanks.
func cited(s string, citations ...string) string {
	rest := strings.TrimRight(s, " \t")
	blank, mark := s[len(rest):], sentenceMark.FindString(rest)
	return strings.TrimSuffix(rest, mark) + " [" + strings.Join(citations, "] [") + "]" + mark + blank
}

// meant returns the citation that a wrong or incomplete one means: its own lines in the first file among the places
// with this name, else the lines of the first place there. A citation of no such file means the place with exactly its
// lines; "" if none has them.
func (c *citer) meant(citation string) string {
	name, lines := path.Clean(strings.Trim(citation, "`")), report.Citation{}
	if parsed, err := report.ParseCitation(citation); err == nil {
		name, lines = parsed.Path, parsed
	}
	i := slices.IndexFunc(c.places, func(x report.Place) bool { return x.Path == name })
	if i < 0 {
		i = slices.IndexFunc(c.places, func(x report.Place) bool { return path.Base(x.Path) == path.Base(name) })
	}
	if i < 0 {
		i = slices.IndexFunc(c.places, func(x report.Place) bool {
			return x.Start < x.End && x.Start == lines.Start && x.End == lines.End
		})
	}
	if i < 0 {
		return ""
	}
	if lines.Path = c.places[i].Path; lines.Start > 0 {
		if usual, err := resolve(c.files, lines.String()); err == nil {
			return usual
		}
	}
	return c.places[i].Citation().String()
}

// definitions returns the citations of the definitions that a sentence names, in a file or, for "", in any: by the whole
// name, or by its last part if that cannot be an ordinary word there. Each name means the first place with it.
func (c *citer) definitions(s, file string) (all []string) {
	for _, at := range named.FindAllStringIndex(s, -1) {
		name := s[at[0]:at[1]]
		marked := at[0] > 0 && s[at[0]-1] == '`' || strings.HasPrefix(s[at[1]:], "(")
		i := slices.IndexFunc(c.places, func(p report.Place) bool {
			last := lastName(p.Symbol)
			same := name == p.Symbol || lastName(name) == last && (marked || isIdentifier(last))
			return p.Symbol != "" && same && (marked || isIdentifier(name)) && (file == "" || file == p.Path)
		})
		if i < 0 {
			continue
		}
		if citation := c.places[i].Citation().String(); !slices.Contains(all, citation) {
			all = append(all, citation)
		}
	}
	return all
}

// isIdentifier reports whether a name cannot be an ordinary word: it has several parts, or a capital after a small
// letter.
func isIdentifier(name string) bool {
	if strings.ContainsAny(name, "._:$") {
		return true
	}
	for i := 1; i < len(name); i++ {
		if 'A' <= name[i] && name[i] <= 'Z' && 'a' <= name[i-1] && name[i-1] <= 'z' {
			return true
		}
	}
	return false
}
