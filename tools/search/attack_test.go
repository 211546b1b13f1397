package search

import (
	"bytes"
	"context"
	"errors"
	"regexp/syntax"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"pgregory.net/rapid"

	"github.com/forayhq/foray/internal/attacktable"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/tree"
)

// A pattern that would take much memory or time is refused, whoever calls: 10 MB took 3 GB, and 14 KB of repeated
// classes more than 1 GB.
func TestAttackLargePatterns(t *testing.T) {
	attacktable.Watch(t, "tools/search", "the size of a pattern")
	for name, q := range map[string]Query{
		"10 MB":          {Patterns: []string{strings.Repeat("abcdefghij", 1<<20)}},
		"10 MB literal":  {Patterns: []string{strings.Repeat("(", 10<<20)}, Literal: true},
		"repeated class": {Patterns: []string{strings.Repeat(`\pL{999}`, 1000)}},
		"nested repeats": {Patterns: []string{`(?:(?:[ab]{10}){10}x?){1000}`}},
		"many":           {Patterns: slices.Repeat([]string{`[ab]{1000}(?:c{1000}|d{1000})`}, maxPatterns)},
		"many globs":     {Patterns: []string{"a"}, Include: slices.Repeat([]string{"*.go"}, 100_000)},
		"braces":         {Patterns: []string{"a"}, Exclude: []string{strings.Repeat("*{a,b,c,d,e,f,g,h,i,j}", 8)}},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := New(q)
		runtime.ReadMemStats(&after)
		problem := (*tools.Problem)(nil)
		if !errors.As(err, &problem) || problem.Try == "" || len(problem.Message) > 200 {
			t.Errorf("%s: error %.300v, want a problem with a way out", name, err)
		}
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 64 {
			t.Errorf("%s: refused after %d MiB of allocations, want at most 64", name, took)
		}
	}
	if _, err := New(Query{Patterns: []string{strings.Repeat("word|", maxPattern/5)}}); err != nil {
		t.Errorf("a pattern of %d bytes: %v", maxPattern, err)
	}
}

// The braces of a glob do not multiply with its stars: this one took longer than any deadline.
func TestAttackBraces(t *testing.T) {
	attacktable.Watch(t, "tools/search", "the alternatives of a glob")
	g, err := ParseGlob("pattern", strings.Repeat("*{a,aa}", 8)+"*q")
	if err != nil {
		t.Fatal(err)
	}
	name, start := strings.Repeat("a", 120), time.Now()
	for range 100 {
		if g.Match(name, ".") {
			t.Fatal("it matches")
		}
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("100 names took %v", took)
	}
}

// A search with multiline ends with its time, although each match may read the text to its end, and the hits of one
// long line do not each read that line.
func TestAttackMultiline(t *testing.T) {
	ostest.SkipRaced(t)
	attacktable.Watch(t, "tools/search", "the time of a search")
	data := bytes.Repeat([]byte("a"), 1<<20)
	fsys := fstest.MapFS{"a.txt": &fstest.MapFile{Data: data}}
	for _, c := range []struct {
		pattern string
		whole   bool // it reads the text once, and finds each byte
	}{
		{"a", true},
		{"a[^b]*b|a", false},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		if c.whole {
			ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
		}
		s, err := New(Query{Patterns: []string{c.pattern}, Lines: true, PerFile: 20, Most: 100})
		if err != nil {
			t.Fatal(err)
		}
		tr, start := tree.Open(fsys, nil), time.Now()
		root, err := tr.Directory(ctx, ".")
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := s.Run(ctx, tr, root)
		if c.whole != (err == nil) || c.whole && r.Hits != len(data) {
			t.Errorf("%s: %d hits, error %v", c.pattern, r.Hits, err)
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("%s: took %v", c.pattern, took)
		}
		cancel()
	}
}

// In a file with many lines that hold the needle, a pattern too large for an automaton ends with its time.
func TestAttackNeedles(t *testing.T) {
	attacktable.Watch(t, "tools/search", "the time of a search")
	m, err := compile("q"+strings.Repeat(`(?:[ab]{100}|[ac]{100})`, 60), options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	data := []byte(strings.Repeat("q"+strings.Repeat("a", 80)+"\n", 10))
	if err := m.byNeedle(ctx, data, func(span) bool { return true }); !errors.Is(err, context.Canceled) {
		t.Errorf("a pattern of %d instructions: %v, want context canceled", m.cost, err)
	}
}

// A glob without its braces matches what doublestar matches with them.
func TestGlobLikeDoublestar(t *testing.T) {
	part := rapid.SampledFrom([]string{
		"a", "b", "/", "*", "**/", "/**", "{", "}", "{a,b}", "{a,{b,}}", "{*.go,**/b}", ",", "?", "[a,b]", "[{]", `\{`, `\,`, "[!a]",
	})
	name := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "/", ",", "{", ".go"}), 1, 8)
	rapid.Check(t, func(r *rapid.T) {
		p := strings.Join(rapid.SliceOfN(part, 1, 7).Draw(r, "pattern"), "")
		s := strings.Trim(strings.Join(name.Draw(r, "name"), ""), "/")
		g, err := ParseGlob("pattern", p)
		if err != nil || s == "" {
			return
		}
		want := doublestar.MatchUnvalidated(strings.TrimPrefix(p, "./"), s)
		// doublestar does not see everywhere that {a,} or ** may be empty
		mayBeEmpty := strings.Contains(p, "**") ||
			slices.ContainsFunc([]string{",}", "{,", "{}", ",,"}, func(s string) bool { return strings.Contains(p, s) })
		if got := g.Match(s, "."); want && !got || got && !want && !mayBeEmpty {
			r.Errorf("%q matches %q: %v, doublestar says %v", p, s, got, want)
		}
	})
}

// Matches across lines are those of FindAll, one after another.
func TestPlacesLikeFindAll(t *testing.T) {
	part := rapid.SampledFrom([]string{"a", "b", "\n", "x*", "^", "$", `\b`, `\B`, ".", "(?s:.)", "a|b", "(a+)", "[^a]", "é", `\A`, `\z`, "+?"})
	text := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "x", "\n", " ", "é", "\xff", "\xe2\x82", "\u20ac"}), 0, 12)
	rapid.Check(t, func(r *rapid.T) {
		p := strings.Join(rapid.SliceOfN(part, 1, 5).Draw(r, "pattern"), "")
		if _, err := syntax.Parse(p, syntax.Perl); err != nil {
			return
		}
		m, err := compile(p, options{multiline: true, word: rapid.Bool().Draw(r, "word")})
		if err != nil {
			r.Fatal(err)
		}
		m.needles = needles{}
		data := []byte(strings.Join(text.Draw(r, "text"), ""))
		var want, got [][2]int
		for _, loc := range m.re.FindAllSubmatchIndex(data, -1) {
			start := loc[2*m.group]
			if start == len(data) && (start == 0 || data[start-1] == '\n') {
				break
			}
			want = append(want, [2]int{start, loc[2*m.group+1]})
		}
		err = m.places(t.Context(), data, func(s span) bool {
			got = append(got, [2]int{s.start, s.end})
			h := lineAround(data, 0, s.start)
			if last := max(s.start, s.end-1); last > h.to {
				h.to = lineAround(data, 0, last).to
			}
			if h.from != s.from || h.to != s.to {
				r.Errorf("the lines of %d-%d are %d-%d, want %d-%d", s.start, s.end, s.from, s.to, h.from, h.to)
			}
			return true
		})
		if err != nil || !slices.Equal(got, want) {
			r.Errorf("%q in %q: %v, error %v; want %v", p, data, got, err, want)
		}
	})
}
