package planner

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow"
)

// A survey answers the rules out of the results that are there, and keeps what they ask for besides.
type survey struct {
	offers  map[string]bool
	results map[string]exchange
	wants   []call
	wanted  map[string]bool
	notes   []string
}

func (b briefed) survey(tools []contextwindow.ToolSchema) *survey {
	s := &survey{offers: make(map[string]bool), results: b.results, wanted: make(map[string]bool)}
	for _, t := range tools {
		s.offers[t.Name] = true
	}
	return s
}

// ask returns the result of a call, or keeps the call for the next step and reports false. A tool that is not offered, and a
// call that failed, have an empty result.
func (s *survey) ask(name string, args map[string]any) (object, bool) {
	c := call{name: name, args: args, why: "the rules of insight ask for it"}
	if !s.offers[name] {
		return nil, true
	}
	if e, ok := s.results[c.key()]; ok {
		if e.failed || e.result == nil {
			s.note(fmt.Sprintf("%s %s could not be answered", name, c.encode()))
		}
		return e.result, true
	}
	if !s.wanted[c.key()] {
		s.wanted[c.key()] = true
		s.wants = append(s.wants, c)
	}
	return nil, false
}

func (s *survey) note(text string) {
	if text = clipped(text, 160); !slices.Contains(s.notes, text) && len(s.notes) < 12 {
		s.notes = append(s.notes, text)
	}
}

func clipped(text string, runes int) string {
	r := []rune(text)
	if len(r) > runes {
		return string(r[:runes-1]) + "…"
	}
	return text
}

// A query is a search of lines.
type query struct {
	patterns      []string
	include       []string
	exclude       []string
	before, after int // lines, up to 20
	pages         int // of hits; 0: 1
}

// A spot is a line that a search found, with the lines around.
type spot struct {
	path, text, symbol string
	line, column       int // from 1
	before, after      []string
}

func (h spot) cite() string { return fmt.Sprintf("%s:%d", h.path, h.line) }

// The bounds of searches.
const (
	pageOfHits   = 500
	hitsPerFile  = 2000
	mostEvidence = 6
)

// search returns all hits of a query, page by page; false while there are pages to ask for.
func (s *survey) search(q query) (hits []spot, done bool) {
	limit := pageOfHits
	if q.before+q.after == 0 {
		limit *= 4
	}
	for page := range max(1, q.pages) {
		args := map[string]any{"patterns": q.patterns, "include": q.include, "limit": limit, "max_per_file": hitsPerFile, "before": q.before, "after": q.after}
		if q.exclude != nil {
			args["exclude"] = q.exclude
		}
		if page > 0 {
			args["offset"] = page * limit
		}
		r, ok := s.ask("search", args)
		if !ok {
			return nil, false
		}
		hits = append(hits, hitsOf(r)...)
		if !r.flag("truncated") {
			return hits, true
		}
	}
	s.note(fmt.Sprintf("more than %d lines hold %s: the others were not looked at", len(hits), strings.Join(q.patterns, " or ")))
	return hits, true
}

// files are the files with a hit of a query; none of one without patterns.
func (s *survey) files(q query) (map[string]bool, bool) {
	if q.patterns == nil {
		return nil, true
	}
	hits, done := s.search(q)
	all := make(map[string]bool)
	for _, h := range hits {
		all[h.path] = true
	}
	return all, done
}

func hitsOf(r object) []spot {
	var hits []spot
	for _, f := range r.objects("items") {
		for _, m := range f.objects("matches") {
			hits = append(hits, spot{
				path: f.text("path"), text: m.text("text"), symbol: m.text("symbol"), line: m.number("line"), column: m.number("column"),
				before: m.texts("before"), after: m.texts("after"),
			})
		}
	}
	return hits
}

// lines returns how many lines each file of some globs has; false while that is asked for.
func (s *survey) lines(include []string) (map[string]int, bool) {
	lines := make(map[string]int)
	for page := range 5 {
		args := map[string]any{"pattern": "^", "include": include, "mode": "count", "limit": 2000}
		if page > 0 {
			args["offset"] = page * 2000
		}
		r, ok := s.ask("search", args)
		if !ok {
			return nil, false
		}
		for _, f := range r.objects("items") {
			lines[f.text("path")] = f.number("hits")
		}
		if !r.flag("truncated") {
			return lines, true
		}
	}
	s.note("there are more than 10,000 files: the lines of the others were not counted")
	return lines, true
}

// A sign is a rule about lines: hits of a query that are kept are one finding.
type sign struct {
	importance string
	query      query
	anywhere   bool               // tests and examples too
	inTests    bool               // tests only
	inStrings  bool               // the hit may stand in a string or a comment
	unless     query              // files with a hit of it are left out; zero: none
	keep       func(h *spot) bool // nil: all
	one, many  string             // titles; many has a %d
	claim      string
}

// look is the finding of a sign, if there is one.
func (s *survey) look(g sign) []found {
	hits, done := s.search(g.query)
	out, known := s.files(g.unless)
	if !done || !known {
		return nil
	}
	var kept []spot
	for _, h := range hits {
		test := isTest(h.path)
		switch {
		case out[h.path], isForeign(h.path), g.inTests && !test, !g.inTests && !g.anywhere && (test || isAside(h.path)):
		case !g.inStrings && !h.inCode():
		case g.keep == nil || g.keep(&h):
			kept = append(kept, h)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	title := g.one
	if len(kept) > 1 {
		title = fmt.Sprintf(g.many, len(kept))
	}
	claim := g.claim
	if len(kept) > mostEvidence {
		claim += fmt.Sprintf(" %d of the %d places are cited.", mostEvidence, len(kept))
	}
	return []found{{importance: g.importance, title: title, claim: claim, evidence: cites(kept)}}
}

// looks are the findings of some signs.
func (s *survey) looks(signs []sign) []found {
	var all []found
	for _, g := range signs {
		all = append(all, s.look(g)...)
	}
	return all
}

// cites are the citations of some hits, each file once before any is cited again.
func cites(hits []spot) []string {
	var first, more []string
	seen := make(map[string]bool)
	for _, h := range hits {
		if c := h.cite(); !seen[h.path] {
			seen[h.path] = true
			first = append(first, c)
		} else {
			more = append(more, c)
		}
	}
	all := append(first, more...)
	return all[:min(len(all), mostEvidence)]
}

var (
	testFiles = regexp.MustCompile(`(?i)(^|/)(tests?|testing|\w+test|testdata|__tests__|spec|specs|fixtures?|e2e|mocks?)(/|$)|_test\.\w+$|(^|/)test_[^/]*$|(^|/)conftest\.py$|\.(test|spec)\.\w+$|_tests?\.py$|(^|/)tests\.(py|rs)$|test\w*\.go$`)
	// asidePath are places where code is shown or tried and not used.
	asidePath    = regexp.MustCompile(`(?i)(^|/)(examples?|docs?|docs_src|bench(es|marks?)?|scripts?|tools?/gen|hack|samples?|demos?|play|playground)(/|$)|(^|/)(setup|bench\w*)\.\w+$`)
	foreignPath  = regexp.MustCompile(`(?i)(^|/)(vendor|vendored|third_party|thirdparty|external|_vendor|node_modules|dist|bower_components)(/|$)|\.min\.\w+$|\.pb\.go$|_gen\.go$|\.gen\.\w+$|(^|/)zz_generated[^/]*$|bindata|(^|/)(jquery|select2|xregexp|openlayers|ol3?)[^/]*\.js$|_pb2\.py$|(^|/)mock_[^/]*\.go$`)
	lineComments = map[string]string{".py": "#", ".rb": "#", ".sh": "#"}
)

func isTest(p string) bool    { return testFiles.MatchString(p) }
func isAside(p string) bool   { return asidePath.MatchString(p) }
func isForeign(p string) bool { return foreignPath.MatchString(p) }

// inCode reports whether a hit begins outside of strings and comments, as far as its line tells, and the lines before it
// tell of blocks: an odd number of marks of a block before it is a string that is open.
func (h spot) inCode() bool {
	before := []rune(h.text)
	if h.column > 1 && h.column-1 <= len(before) {
		before = before[:h.column-1]
	} else {
		before = nil
	}
	comment := lineComments[path.Ext(h.path)]
	if comment == "" {
		comment = "//"
	}
	if commented(string(before), comment) {
		return false
	}
	trimmed := strings.TrimSpace(h.text)
	if strings.HasPrefix(trimmed, comment) || strings.HasPrefix(trimmed, "* ") || strings.HasPrefix(trimmed, ">>>") || strings.HasPrefix(trimmed, "...") {
		return false
	}
	if path.Ext(h.path) == ".py" {
		block := strings.Join(h.before, "\n") + "\n" + string(before)
		return strings.Count(block, `"""`)%2 == 0
	}
	return true
}

// commented reports whether the end of a line's start is in a string or behind a comment.
func commented(start, comment string) bool {
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
		case strings.HasPrefix(start[i:], comment):
			return true
		}
	}
	return quote != 0
}

// indent is how far a line is indented, a tab as eight.
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
	return 1 << 20 // blank: as deep as can be
}

// body are the lines behind a hit that are indented deeper than it; whole reports whether its end was seen.
func (h *spot) body() (lines []string, whole bool) {
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

// around is the nearest line above a hit that is indented less and matches; "" when another that is indented less and matches
// stop comes first, or none does.
func (h *spot) around(want, stop *regexp.Regexp) string {
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

// explained reports whether a comment stands on the line of a hit or on the one before it.
func (h *spot) explained() bool {
	lines := append(slices.Clone(h.before[max(0, len(h.before)-1):]), h.text)
	for _, l := range lines {
		if strings.Contains(l, "//") || strings.Contains(l, "# ") || strings.Contains(l, "/*") {
			return true
		}
	}
	return false
}

func join(lines []string) string { return strings.Join(lines, "\n") }
