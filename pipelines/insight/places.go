package insight

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/testfile"
)

var (
	// testHelpers matches what only tests use, besides tests: packages such as testutil and mock, and files of Go.
	testHelpers = lazyregexp.New(`(?i)(^|/)(testing|testutils?|testhelpers?|fixture|mock)(/|$)|(^|/)test\w*\.go$`)
	// asidePath matches code that is shown or tried out, not used: examples, docs, benchmarks, scripts.
	asidePath = lazyregexp.New(`(?i)(^|/)(examples?|example_\w+|docs?|docs_src|bench(es|marks?)?|scripts?|` +
		`tools?/gen|hack|samples?|demos?|play|playground)(/|$)|(^|/)(setup|bench\w*)\.\w+$`)
	foreignPath = lazyregexp.New(`(?i)(^|/)(vendor|vendored|third_party|thirdparty|external|externals?|extern|` +
		`_vendor|node_modules|six|dist|bower_components)(/|$)|\.min\.\w+$|\.pb\.go$|_gen\.go$|\.gen\.\w+$|(^|` +
		`/)zz_generated[^/]*$|bindata|(^|/)(jquery|select2|xregexp|openlayers|ol3?)[^/]*\.js$|_pb2\.py$|(^|/)six\.py$|(^|` +
		`/)mock_[^/]*\.go$`)
	// goFuncLine and goClosure match lines that begin a function, mustName the names of functions that may panic.
	goFuncLine    = lazyregexp.New(`^func\b`)
	mustName      = lazyregexp.New(`(^|\.)(Must|must|init$|main$)`)
	goClosure     = lazyregexp.New(`\bfunc\(.*\{$|^func\b`)
	generatedName = lazyregexp.New(`(?i)(^|/)(migrations|locale|locales|_?version|unicode_tables|tables?|generated|` +
		`snapshots)(/|\.\w+$)`)
	lineComments = map[string]string{".py": "#", ".rb": "#", ".sh": "#"}
)

func isTest(p string) bool    { return testfile.Is(p) || testHelpers.MatchString(p) }
func isAside(p string) bool   { return asidePath.MatchString(p) }
func isForeign(p string) bool { return foreignPath.MatchString(p) }

// inCode reports whether a hit begins outside strings and comments, as far as its line alone shows.
func (h hit) inCode() bool {
	mark := cmp.Or(lineComments[path.Ext(h.path)], "//")
	before := []rune(h.text)
	if 1 < h.column && h.column-1 <= len(before) && inQuotes(string(before[:h.column-1]), mark) {
		return false
	}
	trimmed := strings.TrimSpace(h.text)
	return !slices.ContainsFunc([]string{mark, "* ", ">>>", "..."},
		func(start string) bool { return strings.HasPrefix(trimmed, start) })
}

// inQuotes reports whether the start of a line ends inside a string or a comment.
func inQuotes(start, mark string) bool {
	var quote rune
	escaped := false
	for i, r := range start {
		switch {
		case escaped:
			escaped = false
		case quote != 0 && r == '\\' && quote != '`':
			escaped = true
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '`' || r == '\'' && !strings.HasSuffix(start[:i], "&"):
			quote = r
		case strings.HasPrefix(start[i:], mark):
			return true
		}
	}
	return quote != 0
}

// indent returns the indentation of a line in columns; a tab counts as eight.
func indent(line string) int {
	n := 0
	for _, r := range line {
		switch r {
		case ' ':
			n++
		case '\t':
			n += 8
		default:
			return n
		}
	}
	return 1 << 20 // a blank line ends no block
}

// body returns the lines after a hit that are indented deeper than it; whole reports whether its end was seen.
func (h *hit) body() (lines []string, whole bool) {
	own := indent(h.text)
	for _, l := range h.after {
		if strings.TrimSpace(l) == "" {
			continue
		}
		if indent(l) <= own {
			return lines, true
		}
		lines = append(lines, l)
	}
	return lines, false
}

// around walks up the enclosing blocks of a hit, and returns the first line that matches want, or "" if a line that
// matches stop comes first or no line matches.
func (h *hit) around(want, stop *lazyregexp.Regexp) string {
	own := indent(h.text)
	for i := len(h.before) - 1; i >= 0; i-- {
		l := h.before[i]
		if strings.TrimSpace(l) == "" || indent(l) >= own {
			continue
		}
		own = indent(l)
		switch {
		case want.MatchString(l):
			return l
		case stop != nil && stop.MatchString(l):
			return ""
		}
	}
	return ""
}

// linterMark matches a mark that silences a linter on its line.
var linterMark = lazyregexp.New(`(?i)\b(noqa|nosec|nolint|eslint-disable|noinspection)\b`)

// commentStart matches the start of a comment, but not the slashes of a URL.
var commentStart = lazyregexp.New(`(^|[^:])//|(^|\s)# |/\*`)

// explained reports whether the line of a hit, or the one before it, has a comment.
func (h *hit) explained() bool {
	return commentStart.MatchString(h.text) || hasLine(h.before[max(0, len(h.before)-1):], commentStart)
}

func join(lines []string) string { return strings.Join(lines, "\n") }

// bySize orders names by size, ties by name.
func bySize(size map[string]int, a, b string) int {
	if size[a] != size[b] {
		return size[a] - size[b]
	}
	return strings.Compare(b, a)
}
