package insight

import (
	"fmt"
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

// Bounds of [survey.confirm].
const (
	mostRead   = 24   // hits of a sign that are checked
	linesAfter = 120  // that are read after a hit
	readLimit  = 2000 // lines of a page
	mostPages  = 8    // of a file

	// usual is how many hits in shipped code mean that the project does it on purpose, or knows.
	usual = 10
)

// confirm reads the file of each hit. It drops hits whose lines begin inside a string or a comment, unless the sign
// looks there, and those that the sign drops once it sees the function around them. It splits the others into sure
// and doubted ones. It checks the first mostRead hits and drops the others. done is false while reads are pending.
func (s *survey) confirm(g sign, hits []hit) (sure, doubted []hit, done bool) {
	done = true
	practice := 0 // hits in shipped code
	for _, h := range hits {
		if doubtOfPath(h.path) == "" {
			practice++
		}
	}
	for _, h := range hits[:min(len(hits), mostRead)] {
		lines := []string{h.text}
		at := 0
		if s.offers["read_file"] {
			read := false
			if lines, read = s.upTo(h.path, h.line+linesAfter); !read {
				done = false
				continue
			}
			at = h.line - 1
		}
		if at >= len(lines) || !g.inStrings && beginsQuoted(h.path, lines[:at+1])[at] {
			continue
		}
		around := scopeOf(h.path, lines, at)
		if h.doubt = doubtOfPath(h.path); h.doubt == "" {
			h.doubt = around.doubt()
		}
		if g.weigh != nil {
			if why := g.weigh(&h, around); why == drop {
				continue
			} else if why != "" {
				h.doubt = why
			}
		}
		if h.doubt == "" && practice >= usual && !g.always {
			h.doubt = fmt.Sprintf("the project does it in %d places", practice)
		}
		if h.doubt == "" || (g.inTests || g.anywhere) && h.doubt != testData {
			sure = append(sure, h)
		} else {
			doubted = append(doubted, h)
		}
	}
	return sure, doubted, done
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
