package insight

import (
	"path"
	"strings"

	"github.com/forayhq/foray/tools/codebase"
)

// A lexicon describes the comments and strings of a language.
type lexicon struct {
	line   string      // starts a comment that ends with the line
	blocks [][2]string // start and end of comments and strings that may span lines
	quotes string      // of strings that end on their line
}

var goLexicon = lexicon{"//", [][2]string{{"/*", "*/"}, {"`", "`"}}, `"'`}

// lexicons are the lexicons by file suffix. Rust has no quotes here, because a quote also starts a lifetime.
var lexicons = map[string]lexicon{
	".py": {"#", [][2]string{{`"""`, `"""`}, {"'''", "'''"}}, `"'`},
	".go": goLexicon, ".js": goLexicon, ".ts": goLexicon, ".tsx": goLexicon, ".jsx": goLexicon, ".mjs": goLexicon,
	".cjs": goLexicon, ".mts": goLexicon,
	".rs": {"//", [][2]string{{"/*", "*/"}}, ""},
}

// beginsQuoted reports for each line of a file whether it begins inside a string or a comment.
func beginsQuoted(name string, lines []string) []bool {
	lex := lexicons[path.Ext(name)]
	out := make([]bool, len(lines))
	end := ""
	for i, l := range lines {
		out[i] = end != ""
		end = lex.scan(l, end)
	}
	return out
}

// scan reads a line. end is the mark that closes the comment or string open at its start, or "". It returns the mark
// that closes the one open at its end.
func (x lexicon) scan(l, end string) string {
	for at := 0; at < len(l); {
		switch rest := l[at:]; {
		case end != "" && l[at] == '\\' && end != "`" && end != "*/":
			at += 2
		case end != "" && strings.HasPrefix(rest, end):
			at += len(end)
			end = ""
		case end != "":
			at++
		case x.line != "" && strings.HasPrefix(rest, x.line):
			return ""
		default:
			opened := false
			for _, b := range x.blocks {
				if opened = strings.HasPrefix(rest, b[0]); opened {
					end = b[1]
					at += len(b[0])
					break
				}
			}
			if !opened {
				at += x.skip(rest)
			}
		}
	}
	return end
}

// skip returns the length of the string at the start of a text, or 1 if none starts there.
func (x lexicon) skip(text string) int {
	if !strings.ContainsRune(x.quotes, rune(text[0])) {
		return 1
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1
		}
	}
	return len(text)
}

// Bounds of [survey.dropQuoted].
const (
	mostRead  = 12   // hits of a sign that are checked
	readLimit = 2000 // lines of a page
	mostPages = 8    // of a file
)

// dropQuoted drops hits whose lines begin inside a string or a comment: it reads the file up to each hit. It checks the
// first mostRead hits and drops the others; all reports whether it checked every hit. done is false while reads are
// pending.
func (s *survey) dropQuoted(hits []hit) (kept []hit, all, done bool) {
	if !s.offers["read_file"] {
		return hits, true, true
	}
	all, done = len(hits) <= mostRead, true
	for _, h := range hits[:min(len(hits), mostRead)] {
		lines, read := s.upTo(h.path, h.line)
		if !read {
			done = false
			continue
		}
		if marks := beginsQuoted(h.path, lines); h.line <= len(marks) && !marks[h.line-1] {
			kept = append(kept, h)
		}
	}
	return kept, all, done
}

// upTo reads a file up to a line.
func (s *survey) upTo(name string, line int) (lines []string, done bool) {
	start := 1
	for range mostPages {
		r, ok := ask[codebase.FileResult](s, "read_file",
			map[string]any{"path": name, "start_line": start, "end_line": start + readLimit - 1})
		if !ok {
			return nil, false
		}
		if len(r.Items) == 0 {
			return lines, true
		}
		lines = append(lines, r.Items[0].Lines...)
		if start = r.Items[0].Next; start == 0 || len(lines) >= line {
			return lines, true
		}
	}
	return lines, true
}
