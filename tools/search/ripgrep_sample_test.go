package search

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// fixedSearches have no literal, or a letter case and a class that samples seldom have.
var fixedSearches = []searchArgs{
	{Pattern: "TODO", Case: "insensitive"}, {Pattern: "ask", Case: "insensitive"}, {Pattern: "a.b[0]", Literal: true},
	{
		Pattern: "Context",
		Case:    "smart",
	}, {Pattern: "context", Case: "smart"}, {Pattern: "err|nil", Word: true}, {Pattern: "k", Case: "insensitive", Word: true},
	{
		Pattern: `^func \(\w+ \*?\w+\) [A-Z]`,
	}, {Pattern: `\berr\w*\s*:=`}, {Pattern: `[a-z]+[0-9]{4}$`}, {Pattern: `^$`}, {Pattern: `^\s*\}\s*$`},
	{
		Pattern: `[^\x00-\x7f]`,
	}, {Pattern: `x*`}, {Pattern: `(?i)unicode|日本`}, {Pattern: `\S{70,}`}, {Pattern: `^\t{5}\S`}, {Pattern: `(\w)\W(\w)$`},
	{
		Pattern: `\p{Greek}`,
	}, {Pattern: `[[:upper:]]{12}`}, {Pattern: `\b[A-Z]\w+[A-Z]\b`}, {Pattern: `[(][^()]*[(][^()]*[)][)]$`}, {Pattern: `^.{100,}$`},
	{
		Pattern: `\B_\B`,
	}, {Pattern: `[ſK]`, Case: "insensitive"}, {Pattern: `(?:a|b|c)(?:d|e|f)(?:g|h|i)`}, {Pattern: `\d+\.\d+`}, {Pattern: `é|ü|ß`, Case: "insensitive"},
	{
		Pattern:   `if err != nil \{\s+return`,
		Multiline: true,
	}, {Pattern: `\}\n\n\n*//`, Multiline: true}, {Pattern: `(?s)\(\n.{1,40}\n\)`, Multiline: true}, {Pattern: `^\n^`, Multiline: true},
	{
		Pattern: "return",
		Include: []string{"*_test.go"},
	}, {Pattern: "return", Exclude: []string{"*_test.go", "**/testdata/**"}},
	{
		Pattern: "package",
		Include: []string{"*.{go,md}"},
		Exclude: []string{"[a-m]*"},
	}, {Pattern: "the", Include: []string{"**/*a*/*.go"}}, {Pattern: "the", Include: []string{"*.txt", "*.md"}, Word: true},
}

var sampledName = regexp.MustCompile(`[A-Za-z_]\w{2,}`)

// sample makes rounds of searches, one of each kind, out of lines of the tree: the same for the same tree.
func (c *comparison) sample(rounds int) []searchArgs {
	paths := make([]string, 0, len(c.files))
	for p := range c.files {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	s := sampler{c: c, paths: paths, r: rand.New(rand.NewPCG(6, uint64(len(paths))))}
	var all []searchArgs
	for range rounds {
		for _, kind := range kinds {
			if in, ok := kind(&s); ok {
				all = append(all, in)
			}
		}
	}
	return all
}

type sampler struct {
	c     *comparison
	paths []string
	r     *rand.Rand
}

// lines are two lines that follow each other, with a letter or digit in both, of a text file.
func (s *sampler) lines() (a, b string, ok bool) {
	for range 200 {
		data, err := os.ReadFile(filepath.Join(s.c.dir, s.paths[s.r.IntN(len(s.paths))]))
		if err != nil || len(data) == 0 || !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
			continue
		}
		lines := strings.Split(strings.ReplaceAll(string(data), "\r", ""), "\n")
		if i := s.r.IntN(len(lines)); i+1 < len(lines) && sampledName.MatchString(lines[i]) && len(lines[i]) < 300 {
			return lines[i], lines[i+1], true
		}
	}
	return "", "", false
}

func (s *sampler) name() string {
	a, _, _ := s.lines()
	names := sampledName.FindAllString(a, -1)
	if len(names) == 0 {
		return "package"
	}
	return names[s.r.IntN(len(names))]
}

// part is a piece of a line, of whole runes.
func (s *sampler) part() (string, bool) {
	a, _, ok := s.lines()
	runes := []rune(strings.TrimSpace(a))
	if len(runes) < 4 {
		return "", false
	}
	from := s.r.IntN(len(runes) - 3)
	part := string(runes[from:min(len(runes), from+3+s.r.IntN(12))])
	return part, ok && strings.TrimSpace(part) != ""
}

func (s *sampler) blurred(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch s.r.IntN(5) {
		case 0:
			b.WriteString(`\w`)
		case 1:
			b.WriteString("[" + string(r) + "x-z]")
		case 2:
			b.WriteString(string(r) + "+")
		case 3:
			b.WriteString("(?:" + string(r) + "|q)")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// kinds make one search each.
var kinds = []func(*sampler) (searchArgs, bool){
	func(s *sampler) (searchArgs, bool) {
		p, ok := s.part()
		return searchArgs{Pattern: p, Literal: true}, ok
	},
	func(s *sampler) (searchArgs, bool) {
		p, ok := s.part()
		return searchArgs{Pattern: regexp.QuoteMeta(p)}, ok
	},
	func(s *sampler) (searchArgs, bool) {
		p, ok := s.part()
		return searchArgs{Pattern: p, Literal: true, Case: "insensitive"}, ok
	},
	func(s *sampler) (searchArgs, bool) { return searchArgs{Pattern: s.name(), Word: true}, true },
	func(s *sampler) (searchArgs, bool) {
		return searchArgs{Pattern: strings.ToUpper(s.name()), Case: "insensitive"}, true
	},
	func(s *sampler) (searchArgs, bool) { return searchArgs{Pattern: s.name(), Case: "smart"}, true },
	func(s *sampler) (searchArgs, bool) {
		return searchArgs{Pattern: s.name() + "|" + s.name() + "|" + s.name()}, true
	},
	func(s *sampler) (searchArgs, bool) {
		return searchArgs{Pattern: s.name() + "|" + s.name(), Case: "insensitive", Word: true}, true
	},
	func(s *sampler) (searchArgs, bool) { return searchArgs{Pattern: s.blurred(s.name())}, true },
	func(s *sampler) (searchArgs, bool) {
		return searchArgs{Pattern: s.blurred(s.name()), Case: "insensitive"}, true
	},
	func(s *sampler) (searchArgs, bool) { return searchArgs{Pattern: `\b` + s.name()[:2] + `\w*\b`}, true },
	func(s *sampler) (searchArgs, bool) {
		a, _, ok := s.lines()
		return searchArgs{Pattern: "^" + regexp.QuoteMeta(string([]rune(a)[:min(5, utf8.RuneCountInString(a))]))}, ok
	},
	func(s *sampler) (searchArgs, bool) {
		a, _, ok := s.lines()
		runes := []rune(a)
		return searchArgs{
				Pattern: regexp.QuoteMeta(string(runes[max(0, len(runes)-4):])) + "$",
			}, ok &&
				strings.TrimSpace(string(runes[max(0, len(runes)-4):])) != ""
	},
	func(s *sampler) (searchArgs, bool) {
		a, b, ok := s.lines()
		return searchArgs{
				Pattern:   regexp.QuoteMeta(strings.TrimSpace(a)) + `\s+` + regexp.QuoteMeta(strings.TrimSpace(b)),
				Multiline: true,
			}, ok &&
				strings.TrimSpace(a) != ""
	},
	func(s *sampler) (searchArgs, bool) {
		p := s.paths[s.r.IntN(len(s.paths))]
		ext := filepath.Ext(p)
		return searchArgs{
				Pattern: s.name()[:3],
				Include: []string{"*" + ext},
				Exclude: []string{filepath.Dir(p) + "/*"},
			}, ext != "" &&
				filepath.Dir(p) != "."
	},
	func(s *sampler) (searchArgs, bool) {
		dir := filepath.Dir(s.paths[s.r.IntN(len(s.paths))])
		return searchArgs{Pattern: s.name()[:3], Include: []string{dir + "/**"}}, dir != "."
	},
}
