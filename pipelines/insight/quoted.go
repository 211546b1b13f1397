package insight

import (
	"path"
	"strings"

	"github.com/forayhq/foray/tools/codebase"
)

// A lexicon is how a language writes what is no code over several lines.
type lexicon struct {
	line   string      // begins a comment to the end of the line
	blocks [][2]string // begin and end of a comment or string that may go over lines
	quotes string      // of strings that end in their line
}

var goLexicon = lexicon{"//", [][2]string{{"/*", "*/"}, {"`", "`"}}, `"'`}

// lexicons are by suffix. Those of languages whose quotes have other uses know no strings within a line.
var lexicons = map[string]lexicon{
	".py": {"#", [][2]string{{`"""`, `"""`}, {"'''", "'''"}}, `"'`},
	".go": goLexicon, ".js": goLexicon, ".ts": goLexicon, ".tsx": goLexicon, ".jsx": goLexicon, ".mjs": goLexicon, ".cjs": goLexicon, ".mts": goLexicon,
	".rs": {"//", [][2]string{{"/*", "*/"}}, ""},
}

// quoted reports, for each line of a file, whether it begins in a string or a comment.
func quoted(name string, lines []string) []bool {
	lex := lexicons[path.Ext(name)]
	out := make([]bool, len(lines))
	end := ""
	for i, l := range lines {
		out[i] = end != ""
		end = lex.scan(l, end)
	}
	return out
}

// scan goes through a line that begins behind the begin of a block with that end, "" for none, and returns the end of the
// block that it leaves open.
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

// skip is how far a string reaches that a text begins with and that ends in its line; 1 where it begins with none.
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

// The bounds of reading around hits.
const (
	mostRead  = 12   // hits of a sign that are read
	readLimit = 2000 // lines of a page
	mostPages = 8    // of a file
)

// unquoted drops hits whose lines begin in a string or a comment, which only the file up to them tells. Of many, the first
// are read and the others dropped; all reports whether none were. done is false while files are to be read.
func (s *survey) unquoted(hits []hit) (kept []hit, all, done bool) {
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
		if marks := quoted(h.path, lines); h.line <= len(marks) && !marks[h.line-1] {
			kept = append(kept, h)
		}
	}
	return kept, all, done
}

// upTo reads a file up to a line.
func (s *survey) upTo(name string, line int) (lines []string, done bool) {
	start := 1
	for range mostPages {
		r, ok := ask[codebase.FileResult](s, "read_file", map[string]any{"path": name, "start_line": start, "end_line": start + readLimit - 1})
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
