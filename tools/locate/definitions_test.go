package locate

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/forayhq/foray/tools/tree"
)

// TestDefinitions looks definitions up by words of their documentation, which no name and no body has, in a file that
// ranks last for them.
func TestDefinitions(t *testing.T) {
	filler := "package a\n\n" + strings.Repeat("// the pauses between attempts\n\nvar _ = 1\n\n", 20)
	files := fstest.MapFS{
		"a/pauses.go": {Data: []byte(filler)},
		"b/z.go": {Data: []byte("package b\n\n// cap bounds the pauses between attempts.\nconst cap = 60\n\n" +
			"// Next returns the pauses between attempts so far.\nfunc Next() int {\n\treturn n * cap\n}\n\nfunc other() {}\n")},
		"b/z_test.go":       {Data: []byte("package b\n\n// TestCap tests the pauses between attempts.\nfunc TestCap() {}\n")},
		"examples/e/e.go":   {Data: []byte("package e\n\n// cap bounds the pauses between attempts.\nconst cap = 60\n")},
		"vendor/x/y/cap.go": {Data: []byte("package y\n\nfunc Unrelated() {}\n")},
	}
	raw, _ := json.Marshal(map[string]any{"query": "pauses"})
	v, err := Tool(tree.Open(files, nil), nil).Call(context.Background(), raw)
	if err != nil {
		t.Fatal(err)
	}
	r := v.(*Result)
	for question, want := range map[string]string{
		"how long are the pauses between attempts at most?": "b/z.go:4 cap, b/z.go:7 Next, examples/e/e.go:4 cap",
		"what are the pauses between attempts so far?":      "b/z.go:7 Next, b/z.go:4 cap, examples/e/e.go:4 cap",
		"nothing of it": "",
	} {
		var got []string
		for _, d := range r.Lookup(question, "").Definitions(5) {
			c, _ := json.Marshal(d.Start)
			got = append(got, d.Path+":"+string(c)+" "+d.Symbol)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s\n got %s\nwant %s", question, strings.Join(got, ", "), want)
		}
	}
	asked := r.Lookup("why?", "next attempts")
	if got := asked.Definitions(1); len(got) != 1 || got[0].Symbol != "Next" {
		t.Errorf("by other words: %v", got)
	}
	if a, b := asked.Line("// attempts, the next attempts"), asked.Line("// attempts, attempts"); a <= b || b <= 0 || asked.Line("x") != 0 {
		t.Errorf("lines: %g, %g", a, b)
	}
	if got := (&Result{}).Lookup("pauses", "").Definitions(1); got != nil {
		t.Errorf("without an index: %v", got)
	}
}

// TestDefinitionsWithMoreWords prefers a definition with all words of a question to one with a few of them often.
func TestDefinitionsWithMoreWords(t *testing.T) {
	files := fstest.MapFS{
		"a.go": {Data: []byte("package a\n\nfunc Sweep() {\n\tif key := keys[0]; key.expired() {\n\t\tremove(key)\n\t}\n}\n")},
		"b.go": {Data: []byte("package a\n\nfunc List() {\n\tkeys, keys2 := keys(keys), keys(keys)\n\tkeys(keys2)\n}\n")},
		"c.go": {Data: []byte("package a\n\nfunc threadpool() {}\n\nfunc other() {}\n")},
	}
	for query, want := range map[string]string{"how are expired keys removed": "Sweep", "the thread pool": "threadpool"} {
		raw, _ := json.Marshal(map[string]any{"query": query})
		v, err := Tool(tree.Open(files, nil), nil).Call(context.Background(), raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := v.(*Result).Lookup(query, "").Definitions(1); len(got) != 1 || got[0].Symbol != want {
			t.Errorf("%s: %v, want %s", query, got, want)
		}
	}
}
