// Package comments reads what comments say: which lines are comments, and what a file says of itself at its head, in the
// languages that tools outline.
//
// Start with [Head].
package comments

import (
	"path"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

var (
	start = lazyregexp.New(`^\s*(?://|#|/?\*|--|"""|''')`)
	mark  = lazyregexp.New(`^\s*(?://[/!]?|#+:?|/\*\*?|\*/?|--+|[rRuU]?"""|''')\s?`)
	end   = lazyregexp.New(`(?:"""|\'\'\'|\*/)\s*$`)
)

// Is reports whether a line begins as a comment or a documentation string does.
func Is(line string) bool { return start.MatchString(line) }

// Text returns the text of a line of a comment, without the mark at its beginning.
func Text(line string) string { return strings.TrimSpace(mark.ReplaceAllString(line, "")) }

// unmarked returns the text of a line of a comment, without the marks at both ends.
func unmarked(line string) string { return strings.TrimSpace(end.ReplaceAllString(Text(line), "")) }

// Definition matches the start of a line that defines something.
var Definition = lazyregexp.New(`^\s*(?:[\w@]+(?:\([^()]*\))?[\s*&]+){0,6}(?:func|def|class|type|struct|` +
	`interface|enum|trait|impl|fn|function|module|macro_rules!|const|var|let|static|record|union|namespace|#\s*define|` +
	`typedef|public|private|protected|abstract|async|get|set)\b`)

// SentenceEnd matches the end of a sentence that another one follows, but not "e.g.".
var SentenceEnd = lazyregexp.New(`[\pL\d)\]"'` + "`" + `]\. \p{Lu}`)

// Sentences splits a text into its sentences, at least one.
func Sentences(text string) (all []string) {
	from := 0
	for _, at := range SentenceEnd.FindAllStringIndex(text, -1) {
		end := at[0] + strings.Index(text[at[0]:], ". ") + 1
		if end-from > shortSentence {
			all, from = append(all, strings.TrimSpace(text[from:end])), end
		}
	}
	return append(all, strings.TrimSpace(text[from:]))
}

// shortSentence is how many bytes a sentence has at least: what ends earlier is an abbreviation or a label.
const shortSentence = 20

// hashIsCode are the languages in which # begins no comment.
var hashIsCode = map[string]bool{
	".c": true, ".h": true, ".cc": true, ".cpp": true, ".hpp": true, ".cxx": true, ".m": true, ".mm": true, ".rs": true,
	".cs": true,
}

// Head returns the first sentence of what a file says of itself: in a comment before all code that is neither a licence
// nor the documentation of a definition. It returns the index of the sentence's first line; an empty sentence if there is
// no such comment, or the file is generated.
func Head(file string, lines []string) (at int, sentence string) {
	if strings.Contains(strings.ToLower(strings.Join(lines[:min(len(lines), 20)], "\n")), "do not edit") {
		return 0, ""
	}
	for i := 0; i < len(lines) && (Is(lines[i]) || !Definition.MatchString(lines[i])); i++ {
		inside := strings.TrimLeft(lines[i], " \t") != lines[i] // about the code around it
		if !Is(lines[i]) || inside || hashIsCode[path.Ext(file)] && strings.HasPrefix(lines[i], "#") {
			continue
		}
		last := lastOf(lines, i)
		if n, text := prose(lines[i : last+1]); text != "" && !definesNext(lines, last) {
			return i + n, text
		}
		i = last
	}
	return 0, ""
}

// opens reports whether a line begins a comment that ends in a later one.
func opens(line string) bool {
	return strings.Count(line, `"""`) == 1 ||
		strings.HasPrefix(strings.TrimSpace(line), "/*") && !strings.Contains(line, "*/")
}

// lastOf returns the index of the last line of the comment that begins in line i.
func lastOf(lines []string, i int) int {
	open, last := opens(lines[i]), i
	for last+1 < len(lines) && (open || Is(lines[last+1]) && !opens(lines[last+1])) {
		last++
		if open && (strings.Contains(lines[last], `"""`) || strings.Contains(lines[last], "*/")) {
			break
		}
	}
	return last
}

// maxSentence is where a sentence without an end is cut, in bytes.
const maxSentence = 220

// prose returns the first sentence of a comment that is no licence, and the index of its line.
func prose(comment []string) (int, string) {
	if licence.MatchString(strings.Join(comment, "\n")) {
		return 0, ""
	}
	code := false
	for n, l := range comment {
		if strings.Contains(l, "```") {
			code = !code
		}
		if code {
			continue
		}
		text := strings.Trim(unmarked(l), ">*# ")
		if len(strings.Fields(text)) >= 3 && sentenceForm.MatchString(text) && !ruler.MatchString(text) {
			return n, whole(text, comment[n+1:])
		}
	}
	return 0, ""
}

// whole completes a sentence from the following lines of its comment.
func whole(text string, below []string) string {
	for _, l := range below {
		next := unmarked(l)
		if next == "" || strings.HasSuffix(text, ".") || SentenceEnd.MatchString(text) || len(text) > maxSentence {
			break
		}
		text += " " + next
	}
	if at := SentenceEnd.FindStringIndex(text); at != nil {
		text = text[:at[0]+strings.Index(text[at[0]:], ". ")+1]
	}
	return text
}

// definesNext reports whether the comment ending at line i documents the next definition.
func definesNext(lines []string, i int) bool {
	return i+1 < len(lines) && (Definition.MatchString(lines[i+1]) || assignment.MatchString(lines[i+1])) &&
		!packageLine.MatchString(lines[i+1]) && !strings.Contains(lines[i], `"""`)
}

var (
	assignment  = lazyregexp.New(`^[A-Za-z_$][\w.$]*(?:\s*:[^=]+)? = `) // of a variable of the module
	ruler       = lazyregexp.New(`[-=*#~]{4,}`)
	packageLine = lazyregexp.New(`^\s*(?:package|module|mod|namespace|import|use|from|require|#include|<\?php|` +
		`["']use strict)\b`)
	licence      = lazyregexp.New(`(?i)copyright|licen[cs]e|spdx|all rights reserved|eslint|@ts-|@flow|noqa|generated by`)
	sentenceForm = lazyregexp.New(`^["“'(]?[A-Z\pL][\pL\pN'’-]*,? .*[\pL]{2}`)
)
