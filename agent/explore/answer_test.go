package explore

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

var citedTree = fstest.MapFS{
	"a.go":          {Data: []byte("package a\n\nfunc F() {}")},
	"dir/b c.py":    {Data: []byte("x = 1\n")},
	"dir/empty.txt": {},
}

func TestReadAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want answer
	}{
		"nothing":         {"I do not know.", answer{text: "I do not know."}},
		"one":             {"F is empty [a.go:3].", answer{text: "F is empty [a.go:3].", relevant: []string{"a.go:3"}}},
		"several":         {"See [a.go:1-3, dir/b c.py:1] and [a.go:1-3].", answer{text: "See [a.go:1-3, dir/b c.py:1] and [a.go:1-3].", relevant: []string{"a.go:1-3", "dir/b c.py:1"}}},
		"with L":          {"[./a.go:L1-L3]", answer{text: "[./a.go:L1-L3]", relevant: []string{"a.go:1-3"}}},
		"an index is not": {"s[i:2], f()[x:3]", answer{text: "s[i:2], f()[x:3]"}},
		"past the end": {"[a.go:3-4]", answer{text: "[a.go:3-4]", broken: []string{
			"the citation a.go:3-4 does not resolve: the file has 3 lines"}}},
		"empty file": {"[dir/empty.txt:1]", answer{text: "[dir/empty.txt:1]", broken: []string{
			"the citation dir/empty.txt:1 does not resolve: the file has 0 lines"}}},
		"line zero and a range from its end": {"[a.go:0] [a.go:3-2]", answer{text: "[a.go:0] [a.go:3-2]", broken: []string{
			"the citation a.go:0 does not resolve: lines count from 1, and the last must not precede the first",
			"the citation a.go:3-2 does not resolve: lines count from 1, and the last must not precede the first"}}},
		"directory, missing, outside": {"[dir:1] [b.go:1] [../a.go:1]", answer{text: "[dir:1] [b.go:1] [../a.go:1]", broken: []string{
			"the citation dir:1 does not resolve: no such file",
			"the citation b.go:1 does not resolve: no such file",
			"the citation ../a.go:1 does not resolve: the path leads out of the tree"}}},
		"list": {"It is F [a.go:3].\n\n**RELEVANT_FILES:**\n- `a.go:1-3` best\n* dir/empty.txt\n- a.go:9\n", answer{
			text: "It is F [a.go:3].", relevant: []string{"a.go:1-3", "dir/empty.txt"}, broken: []string{
				"the citation a.go:9 does not resolve: the file has 3 lines"}}},
		"list of nothing": {"It is F [a.go:3].\nRELEVANT_FILES:\n", answer{text: "It is F [a.go:3].", relevant: []string{"a.go:3"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, readAnswer(citedTree, c.text), cmp.AllowUnexported(answer{})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestAnswerOfText: what claims something is no denial, even if it cites nothing.
func TestAnswerOfText(t *testing.T) {
	for text, want := range map[string]bool{
		"It is in the file src, in the class Test.":                 true,
		"It counts [a.py:1]. There is no other.":                    true,
		"There is no `calloc_number` here.":                         false,
		"The code does not contain a function of that name.":        false,
		"`calloc_number` could not be found.":                       false,
		"Nothing is called so.":                                     false,
		"Es gibt keine solche Funktion.":                            false,
		"没有这个函数。":                                                   false,
		"Note that the function allocates memory for known numbers": true,
	} {
		r := &Result{}
		r.takeText(readAnswer(citable, text))
		a := r.Answer()
		if a.Found != want {
			t.Errorf("%q: found %v", text, a.Found)
		}
		if want && strings.Contains(text, "[") && (len(a.Summary) != 2 || a.Summary[0].Citations[0] != "a.py:1" || a.Places[0].Path != "a.py") {
			t.Errorf("%q: %+v", text, a)
		}
	}
}
