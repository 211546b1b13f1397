package explore_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/toollimit"
)

// TestEvidenceOfMessages: questions about the code get evidence, plain talk gets none.
func TestEvidenceOfMessages(t *testing.T) {
	ostest.SkipRaced(t)
	for message, want := range map[string]bool{
		"where are requests retried?":                        true,
		"Can you show me where requests are retried?":        true,
		"please explain how long Wait waits":                 true,
		"fix the doc of `Loop`":                              true,
		"My requests are lost. Where are requests retried?":  true,
		"how do I retry requests?":                           true,
		"what happens when you retry requests?":              true,
		"hello":                                              false,
		"When do I retry requests? I forgot what I said.":    false,
		"what did I write in retry.go yesterday?":            false,
		"thanks, that helps":                                 false,
		"My name is Ada. I retry requests in my spare time.": false,
		"what did I say about requests before?":              false,
		"how are you?":                                       false,
		"Remember: answer in three words.":                   false,
		"what is the weather in Paris tomorrow?":             false,
		"write a haiku about the sea":                        false,
		"":                                                   false,
	} {
		text, err := (&explore.Tree{Files: tree}).Evidence(t.Context(), message, 2_000)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(text, "return"); got != want {
			t.Errorf("%q: evidence %v, want %v: %.300s", message, got, want, text)
		}
	}
	if text, _ := (&explore.Tree{Files: tree}).Evidence(t.Context(), "where are requests retried?", 100); text != "" {
		t.Errorf("no room, and yet %q", text)
	}
}

// TestEvidenceOfSeveralQuestions: each question gets its own, and all of it fits the room.
func TestEvidenceOfSeveralQuestions(t *testing.T) {
	const first, second = "where are requests retried?", "where is `Loop` defined?"
	for _, message := range []string{first + "\n" + second, second + " " + first} {
		text, err := (&explore.Tree{Files: tree}).Evidence(t.Context(), message, 2_000)
		if err != nil || !strings.Contains(text, "`Loop` is defined") || !strings.Contains(text, "retry") ||
			strings.Count(text, "On the question “") != 1 || toollimit.Tokens(text) > 2_000 {
			t.Errorf("%v: %q: %s", err, message, text)
		}
	}
}

// TestEvidenceOfALongMessage: what somebody pastes does not cost more than its ends, in which the question is found.
func TestEvidenceOfALongMessage(t *testing.T) {
	ostest.SkipRaced(t)
	megabytes := func(words int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		message := "fix the doc of `Loop`\n" + strings.Repeat("aGVsbG8gd29ybGQ ", words)
		text, err := (&explore.Tree{Files: tree}).Evidence(t.Context(), message, 2_000)
		runtime.ReadMemStats(&after)
		if err != nil || !strings.Contains(text, "return") {
			t.Errorf("%v: %q", err, text)
		}
		return (after.TotalAlloc - before.TotalAlloc) >> 20
	}
	if most, n := megabytes(1_250), megabytes(25_000); n > 2*most+20 { // 20 and 400 kB
		t.Errorf("%d MB for a message of 400 kB, %d for one of 20 kB", n, most)
	}
}

// TestEvidenceAfterAPaste: a question is found before and after what somebody pasted.
func TestEvidenceAfterAPaste(t *testing.T) {
	log := strings.Repeat("2026-11-28 10:04:11 INFO worker 7 finished job 4711 of the nightly batch\n", 80)
	for _, message := range []string{"where are requests retried?\n\n" + log, log + "\nwhere are requests retried?"} {
		text, err := (&explore.Tree{Files: tree}).Evidence(t.Context(), message, 2_000)
		if err != nil || !strings.Contains(text, "1. retry/loop.go") {
			t.Errorf("%.40q…: %v: %.300s", message, err, text)
		}
	}
}

// TestQuestionBesideAPaste: the heuristic explorer answers what a message asks, as if nothing was pasted beside that.
func TestQuestionBesideAPaste(t *testing.T) {
	ostest.SkipRaced(t)
	answer := func(message string) (*explore.Result, string) {
		r, err := (&explore.Tree{Files: tree}).Run(t.Context(), nil, message, nil)
		if err != nil || r.Report == nil {
			t.Fatalf("%q: %+v, %v", message, r, err)
		}
		return r, fmt.Sprint(r.Report.Summary, r.Report.Places)
	}
	log := strings.Repeat("2026-03-02 10:00:00 ERROR Wait: could not wait for the next request\n", 9)
	for _, question := range []string{"where are requests retried?", "Wer ruft Loop auf?", "请求在哪里重试？"} {
		_, want := answer(question)
		for _, message := range []string{question + "\n" + log, question + "\n\n" + log, log + question, log + "\n" + question} {
			if r, got := answer(message); got != want || r.Title() != question || r.Report.Question != question {
				t.Errorf("%.60q: %s\nwant %s\ntitles %q, %q", message, got, want, r.Title(), r.Report.Question)
			}
		}
	}
	r, _ := answer("where are requests retried?\n\n" + log + "\nand how long does it wait?")
	if got := r.Report.NextQuestion; got != "and how long does it wait?" {
		t.Errorf("the next question is %q", got)
	}
}

// TestEvidenceOfMissingWords: where no file contains a word of the message, the evidence is short.
func TestEvidenceOfMissingWords(t *testing.T) {
	ostest.SkipRaced(t)
	files := fstest.MapFS{}
	for i := range 30 {
		about := fmt.Sprintf("// Draw%d paints the board.\nfunc Draw%[1]d() {\n", i)
		if i < 5 {
			about = fmt.Sprintf("// Backoff%d waits exponentially longer, with jitter.\nfunc Backoff%[1]d() {\n", i)
		}
		files[fmt.Sprintf("p%d.go", i)] = &fstest.MapFile{Data: []byte("package p\n\n" + about + strings.Repeat("\tstep(i, j) // jitter is added\n", 50) + "}\n")}
	}
	size := func(message string) int {
		text, err := (&explore.Tree{Files: files}).Evidence(t.Context(), message, 2_000)
		if err != nil || text == "" {
			t.Fatalf("%q: %q, %v", message, text, err)
		}
		return toollimit.Tokens(text)
	}
	if n, whole := size("where is exponential backoff with jitter, in the remark?"), size("where is exponential backoff with jitter?"); n > 900 || whole < 1_200 {
		t.Errorf("%d tokens, and %d for a question whose words are all there", n, whole)
	}
}
