package passages

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/search"
)

// found makes the results of the searches: the lines of files that match.
func found(t *testing.T, s *Search, files map[string]string) (all []rulemodel.Result) {
	t.Helper()
	for _, call := range s.Calls(2) {
		if call.Name != "search" {
			continue
		}
		re := regexp.MustCompile(call.Args["pattern"].(string))
		var r codebase.SearchResult
		for file, text := range files {
			f := search.File{Path: file}
			lines := strings.Split(text, "\n")
			for i, l := range lines {
				if re.MatchString(l) {
					f.Matches = append(f.Matches, search.Match{Line: i + 1, Text: l,
						Before: slices.Clone(lines[max(0, i-around):i]),
						After:  slices.Clone(lines[i+1 : min(len(lines), i+1+around)])})
				}
			}
			r.Items = append(r.Items, f)
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		args, err := json.Marshal(call.Args)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rulemodel.Result{Name: call.Name, Args: args, Text: string(text)})
	}
	return all
}

func none(*Passage) bool { return false }

// first returns the first of passages, or nil.
func first(all []*Passage) *Passage {
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

func TestBest(t *testing.T) {
	var words []Word
	for _, w := range strings.Fields("jobs kept finished removed") {
		words = append(words, Word{Pattern: w, Re: regexp.MustCompile(w)})
	}
	worths := []float64{.5, 2, 1, 1}
	for _, tt := range []struct {
		name, text, says string
		first, last, n   int
	}{
		{"docs/jobs.md", "All finished jobs are kept.", "", 0, 0, 0},
		{"prune.go", "// Prune removes what is old.\n// Finished jobs are kept for a minute.\nfunc prune(jobs []kept) {",
			"Prune removes what is old. Finished jobs are kept for a minute.", 1, 2, 2},
		{"prune.py", "def prune():\n    \"\"\"Prunes.\n\n    Says how long finished jobs are kept here\n    \"\"\"",
			"Says how long finished jobs are kept here", 4, 4, 3},
		{"Prune.java", "/**\n * The time for which finished\n * jobs are kept. Defaults to 60\n * seconds.\n */\nint kept();",
			"The time for which finished jobs are kept.", 2, 4, 3},
		{"prune.rb", "#: finished jobs\n#: are kept\nx = 1", "finished jobs are kept", 1, 2, 3},
		{"prune.ex", "for jobs <- finished, do: removed(jobs)\nfinished = kept(jobs)", "", 0, 0, 0},
	} {
		s := New("", words, nil, nil)
		p := first(New("", words, nil, found(t, s, map[string]string{tt.name: tt.text})).Best(worths, 2, none))
		if tt.says == "" {
			if p != nil {
				t.Errorf("%s: %+v", tt.name, p)
			}
			continue
		}
		if p == nil || p.Text != tt.says || p.Start != tt.first || p.End != tt.last || p.Words != tt.n {
			t.Errorf("%s: %+v", tt.name, p)
		}
	}
}

// TestBestOfFiles checks that a history of changes and a test give way to a comment, and a long text to a short one.
func TestBestOfFiles(t *testing.T) {
	words := []Word{{"lock", regexp.MustCompile("lock")}, {"process", regexp.MustCompile("process")}}
	files := map[string]string{
		"CHANGELOG.go": "// A lock keeps another process out.",
		"lock_test.go": "// One lock for each process.",
		"internals.go": "// A process takes the lock " + strings.Repeat("and waits a while for others ", 20),
		"usage.go":     "// Only one process holds the lock at a time.",
	}
	p := first(New("", words, nil, found(t, New("", words, nil, nil), files)).Best([]float64{1, 1}, 2, none))
	if p == nil || p.Path != "usage.go" || p.Share < .99 {
		t.Errorf("%+v", p)
	}
	p = first(New("", words, Number, found(t, New("", words, Number, nil), files)).Best([]float64{1, 1}, 2, none))
	if p == nil || p.Share > vagueShare {
		t.Errorf("without the number that is asked for: %+v", p)
	}
	if p := first(New("", words, nil, nil).Best([]float64{1, 1}, 2, none)); p != nil {
		t.Errorf("without a result: %+v", p)
	}
	if calls := New("", words[:1], nil, nil).Calls(2); len(calls) != 0 {
		t.Error("one word is looked up in all lines")
	}
}

// TestAmounts: a default is that of what the question asks for.
func TestAmounts(t *testing.T) {
	for text, want := range map[string]*lazyregexp.Regexp{
		"The default is 31 days, which makes it last for a month.":     Time,
		"It waits 5ms (the default).":                                  Time,
		"By default, Client holds a.Pool with at most 100 of them.":    Number,
		"By default nothing is kept. A session has 100 connections.":   nil,
		"It keeps 100 connections for 5 minutes.":                      nil,
		"It tries by default. " + strings.Repeat("and so ", 20) + "9.": nil,
	} {
		for _, asks := range []*lazyregexp.Regexp{nil, Number, Time} {
			if got := New("", nil, asks, nil).settles(text); got != (asks == want && want != nil) {
				t.Errorf("%q, asked for %p: %v", text, asks, got)
			}
		}
	}
}
