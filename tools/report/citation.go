package report

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/line"
)

// A Citation is a range of lines of a file. Its text is path:12 or path:12-30, in JSON too.
type Citation struct {
	Path       string // from the root, with slashes
	Start, End int    // first and last line, from 1
}

// String writes the citation as [ParseCitation] reads it. It quotes a path that would be read differently: one with
// control characters, blanks or backticks at an end, or a bracket or quote at its start.
func (c Citation) String() string {
	p := c.Path
	if odd(p) {
		p = strconv.Quote(p)
	}
	if c.End <= c.Start {
		return p + ":" + strconv.Itoa(c.Start)
	}
	return fmt.Sprintf("%s:%d-%d", p, c.Start, c.End)
}

func odd(p string) bool {
	return p != strings.TrimSpace(p) || p == "" || strings.ContainsRune(openers+`"`, rune(p[0])) || p[len(p)-1] == '`' ||
		!utf8.ValidString(p) || strings.IndexFunc(p, unicode.IsControl) >= 0
}

// openers and closers may enclose a citation.
const (
	openers = "[(`"
	closers = "])`"
)

// MarshalText writes the citation.
func (c Citation) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads a citation as [ParseCitation] does.
func (c *Citation) UnmarshalText(text []byte) error {
	parsed, err := ParseCitation(string(text))
	if err == nil {
		*c = parsed
	}
	return err
}

// form is a path and the end of a citation: :12, :12-30, :L12-L30, #L12 or #L12-L30.
var form = regexp.MustCompile(`(?s)^(.+?)(?::L?|#L)(\d{1,9})(?:-L?(\d{1,9}))?$`)

// ParseCitation reads path:12, path:12-30, path:L12-L30, path#L12 or path#L12-L30. The path may hold blanks, or be
// quoted as a Go string; brackets and backticks around the citation or its path are dropped. The path is cleaned. The
// error says what is wrong; for an invalid range ParseCitation returns the citation with it. It does not look at files.
func ParseCitation(s string) (Citation, error) {
	shown := line.Truncate(line.Flat(s), 200)
	m := form.FindStringSubmatch(strings.TrimRight(strings.TrimLeft(strings.TrimSpace(s), openers), closers))
	if m == nil {
		return Citation{}, fmt.Errorf("%q is not of the form path:12-30", shown)
	}
	c := Citation{Path: path.Clean(unquoted(m[1]))}
	c.Start, _ = strconv.Atoi(m[2]) // nine digits at most, by the pattern
	c.End, _ = strconv.Atoi(cmp.Or(m[3], m[2]))
	if c.Start < 1 || c.End < c.Start {
		return c, fmt.Errorf("%q names no lines: they count from 1, and the last must not precede the first", shown)
	}
	return c, nil
}

func unquoted(p string) string {
	if p[0] == '"' {
		if plain, err := strconv.Unquote(p); err == nil && plain != "" {
			return plain
		}
	}
	return strings.Trim(p, "`")
}

// ListHead is the line that opens the list of files at the end of an answer.
const ListHead = "RELEVANT_FILES:"

// listed is an entry of the list with lines, and what may follow it.
var listed = regexp.MustCompile("^(.+?(?::L?|#L)\\d{1,9}(?:-L?\\d{1,9})?)(?:$|[\\s,;)\\]`])")

// SplitList cuts the list RELEVANT_FILES off an answer and returns its entries: a citation without the remark that may
// follow it, or a line without a citation, which may be a path.
func SplitList(answer string) (rest string, entries []string) {
	at := strings.LastIndex(answer, ListHead)
	if at < 0 {
		return strings.TrimSpace(answer), nil
	}
	for entry := range strings.Lines(answer[at+len(ListHead):]) {
		entry = strings.TrimSpace(strings.TrimLeft(entry, " \t-*"+openers))
		switch m := listed.FindStringSubmatch(entry); {
		case entry == "" || strings.HasPrefix(entry, "```"):
		case m != nil:
			entries = append(entries, m[1])
		default:
			entries = append(entries, strings.Trim(entry, "[]()`,"))
		}
	}
	return strings.TrimSpace(strings.TrimRight(answer[:at], "#*` \n")), entries
}
