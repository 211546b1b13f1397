package explore

import (
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/tools/report"
)

var citable = fstest.MapFS{
	"retry/loop.go": {Data: []byte(strings.Repeat("line\n", 30))},
	"a.py":          {Data: []byte("x\n")},
}

func testCiter() *citer {
	return &citer{files: citable, places: []report.Place{
		{Path: "retry/loop.go", Start: 3, End: 6, Symbol: "Loop.Run"}, {Path: "a.py", Start: 1, End: 1, Symbol: "parse_all"},
		{Path: "retry/loop.go", Start: 8, End: 9},
	}, runs: map[string]int{"until a request is answered": 0}}
}

// answersOfModels are answers in the forms that models write.
var answersOfModels = []string{
	"", "Run does it.", "`Run` does it. parse_all() too, in a.py!", "[loop.go:4] and [x.go:1]", "```\nRun()\n```\n`Run`",
	"retry/loop.go, lines 5-7", "It is.\n\nRELEVANT_FILES:\n- a.py:9", "`Run`。是", "[a.py:1; b:2] `Run`\r\n", "a.py:1-99.",
	"[loop.go:99]. x", "`Run`:", "in loop.go line 4 of `Run` [", "\xff`Run`\xff", "It asks until a request is answered.", "`Run` ...", "`Run`?) no",
	"【loop.go：4】`Run`。", "[x](loop.go#L9-L3)", "(a.py:1) [retry/loop.go:40-3, 5]", "~~x.go:3~~ `parse_all` [HEAD:a.py:1:2]", "`Nope` [a.py:1]",
}

// TestRepairTwice: a repaired answer has nothing to repair.
func TestRepairTwice(t *testing.T) {
	c := testCiter()
	for _, text := range answersOfModels {
		once := c.repair(text)
		if twice := c.repair(once); twice != once {
			t.Errorf("%q: repaired %q, and again %q", text, once, twice)
		}
	}
}

// TestNumbersDecide: a sentence that names nothing but a number gets the line that has it, in place of one without it.
func TestNumbersDecide(t *testing.T) {
	files := fstest.MapFS{"a.go": {Data: []byte("package a\n\n// Retries wait 1.5 s.\nconst retries = 20\n")}, "b.go": {Data: []byte("package b\n")}}
	for text, want := range map[string]string{
		"It asks up to 20 times [b.go:1].":           "It asks up to 20 times [a.go:4].",
		"It asks up to 20 times.":                    "It asks up to 20 times [a.go:4].",
		"It waits 1.5 s [b.go:1].":                   "It waits 1.5 s [a.go:3].",
		"It asks 30 times [b.go:1].":                 "It asks 30 times [b.go:1].",
		"It asks 20 times [a.go:1-4].":               "It asks 20 times [a.go:1-4].",
		"It asks 2 times [b.go:1].":                  "It asks 2 times [b.go:1].",
		"`b` asks 20 times [b.go:1].":                "`b` asks 20 times [b.go:1].",
		"Lines 20-30 show it [b.go:1].":              "Lines 20-30 show it [b.go:1].",
		"It asks 20 times after 1.5 s [b.go:1].":     "It asks 20 times after 1.5 s [b.go:1].",
		"See [b.go:1]. It asks 20 times, as I said.": "See [b.go:1]. It asks 20 times, as I said [a.go:4].",
	} {
		c := &citer{files: files, places: []report.Place{{Path: "a.go", Start: 1, End: 4}, {Path: "b.go", Start: 1, End: 1}}}
		if got := c.repair(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzRepair: whatever a model writes, repairing it keeps it text and does not blow it up. Wrong citations of all forms
// are in TestWrongCitationsAreCorrectedOrRemoved; two in one word, as in "a.go:0[b.go:0]", may leave one.
func FuzzRepair(f *testing.F) {
	for _, s := range answersOfModels {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := testCiter()
		once := c.repair(text)
		if utf8.ValidString(text) && !utf8.ValidString(once) {
			t.Errorf("%q: repaired %q, which is no UTF-8", text, once)
		}
		if len(once) > 40*(len(text)+1) {
			t.Errorf("%d bytes became %d", len(text), len(once))
		}
	})
}

// TestRepeatedWordsDecide: a sentence that repeats one place in words of its own, and cites another that says nothing of
// it, gets the one that it repeats.
func TestRepeatedWordsDecide(t *testing.T) {
	files := fstest.MapFS{
		"a.go": {Data: []byte("package a\n\n// serve hands out bread\n// in the order of the queue outside.\nfunc serve() {}\n")},
		"b.go": {Data: []byte("package b\n\n// Bread is handed out in the order of the queue, too.\n")},
		"c.go": {Data: []byte("package c\n")},
	}
	c := &citer{files: files, places: []report.Place{{Path: "a.go", Start: 3, End: 5}, {Path: "c.go", Start: 1, End: 1}},
		runs: runsIn("// in the order of the queue outside.")}
	for text, want := range map[string]string{
		"It comes in the order of the queue [c.go:1].":     "It comes in the order of the queue [a.go:3-5].",
		"It comes in the order of the queue [b.go:3].":     "It comes in the order of the queue [b.go:3].",
		"It comes in the order of an old list [c.go:1].":   "It comes in the order of an old list [c.go:1].",
		"`c` comes in the order of the queue [c.go:1].":    "`c` comes in the order of the queue [c.go:1].",
		"In the order of the queue outside, as it should.": "In the order of the queue outside, as it should [a.go:3-5].",
		"It comes in the order of the queue [a.go:4].":     "It comes in the order of the queue [a.go:4].",
	} {
		if got := c.repair(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestEchoes: what repeats our words is an echo; what quotes a sentence or two of the code is not.
func TestEchoes(t *testing.T) {
	e := &evidence{text: "Excerpts from the code, best match first:\n" + strings.Repeat("the loop asks again until a request is answered ", 30)}
	r := &agent.Result{Transcript: []contextwindow.Entry{
		{Prefix: &contextwindow.Prefix{System: smallPrompt}},
		{Note: &contextwindow.Note{Kind: "status", Text: saysExplore}},
	}}
	for text, want := range map[string]bool{
		smallPrompt:    true,
		evidencePrompt: true,
		e.text:         true,
		saysExplore:    true,
		"Answer: " + strings.ToUpper(evidencePrompt) + " [a.py:1]":  true,
		"The loop asks again until a request is answered [a.py:1].": false,
		"": false,
		"No such thing is in the code that I was shown, so I cannot say where it happens.": false,
	} {
		if got := isEcho(text, r, e); got != want {
			t.Errorf("%.80q: echo %v", text, got)
		}
	}
}

// TestAsksBack: a question that adds nothing to the one that was asked is no answer; a statement in its words may be one.
func TestAsksBack(t *testing.T) {
	const question = "Added okhttp 5 to my pom.xml but the jar has no classes, which artifact do I need?"
	for text, want := range map[string]bool{
		"The jar has no classes, which artifact do I need? [okhttp/Cookies.kt:69]": true,
		question: true,
		"The jar has no classes, which artifact do I need? It is okhttp-jvm. [README.md:150]": false,
		"Which artifact do I need? [README.md:150]":                                           false,
		"But the jar has no classes. [README.md:150]":                                         false,
		"": false,
	} {
		if got := asksBack(text, question); got != want {
			t.Errorf("%q: asks back %v", text, got)
		}
	}
}

func TestIsData(t *testing.T) {
	for text, want := range map[string]bool{
		`{"name": "search", "arguments": {}}`:               true,
		"```json\n[{\"name\": \"search\"}]\n```":            true,
		"<tool_call>\n{\"name\": \"search\"}\n</tool_call>": true,
		`{"a": 1} is what it sends [a.py:1].`:               true,
		"It sends {\"a\": 1} [a.py:1].":                     false,
		"[a.py:1] shows it.":                                false,
		"":                                                  false,
	} {
		if got := isData(text); got != want {
			t.Errorf("%q: data %v", text, got)
		}
	}
}
