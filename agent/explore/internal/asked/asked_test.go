package asked_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/forayhq/foray/agent/explore/internal/asked"
)

// pastes are what people paste, by what it is.
var pastes = map[string]string{
	"log": strings.Repeat("2026-03-02 10:00:00 ERROR request 7 failed: context deadline exceeded\n", 9) +
		"[info] GET /users?page=2 200",
	"trace": "Traceback (most recent call last):\n  File \"app.py\", line 3, in load\n    return parse(text)\n" +
		"ValueError: no number in '?'",
	"panic":    "panic: timeout\n\ngoroutine 1 [running]:\nmain.main()\n\t/srv/main.go:22 +0x1d0\nexit status 2",
	"code":     "import json\n\ndef load(p):\n    # is it there?\n    with open(p) as f:\n        return json.load(f)",
	"diff":     "diff --git a/a.go b/a.go\n--- a/a.go\n+++ b/a.go\n@@ -1,2 +1,2 @@\n-var x = 1 // why?\n+var x = 2",
	"JSON":     "{\n  \"limit\": 3,\n  \"methods\": [\"get\", \"put\"],\n  \"ask\": \"really?\"\n}",
	"compiler": "error[E0425]: cannot find value `foo`\n --> src/main.rs:2:5\n  |\n2 |     foo\n  |     ^^^ help: did you mean `for`?",
}

// A question is found on both sides of whatever is pasted, fenced or bare, with and without a blank line between.
func TestReadFindsTheQuestion(t *testing.T) {
	for _, question := range []string{
		"where does gin recover from a panic?", "Where is `Window.Fit` called?", "who calls parse_config",
		"Can you tell me how retries are counted?", "Is there a limit on retries?", "explain how the cache is filled",
		"Wo wird entschieden, ob versteckte Dateien ignoriert werden?", "wer ruft parseConfig auf", "日志在哪里轮转？",
		"上下文压缩是怎么选择级别的", "Where is X set? And who reads it?", "I get \"no such file\". Why?",
		"Which of the handlers that are registered for a method\nis called when two of them match the same path?",
	} {
		want := strings.ReplaceAll(question, "\n", " ")
		for name, bare := range pastes {
			fenced := "```\n" + bare + "\n```"
			for _, text := range []string{
				question + "\n" + bare, question + "\n\n" + bare, bare + "\n" + question, bare + "\n\n" + question,
				question + "\n" + fenced, question + "\n\n" + fenced, fenced + "\n" + question, fenced + "\n\n" + question,
				bare + "\n\n" + question + "\n\n" + bare, fenced + "\n" + question + "\n" + fenced,
			} {
				if m := asked.Read(text); m.Question != want || m.Rest == "" || m.Title != want || m.Points {
					t.Errorf("%s: %q\nread as %+v", name, text, m)
				}
			}
		}
	}
}

// Questions that can each be understood alone are taken apart, and no other message is.
func TestReadSeveral(t *testing.T) {
	for text, want := range map[string][]string{
		"where is RouterGroup defined?\nand who calls Recovery?": {"where is RouterGroup defined?", "and who calls Recovery?"},
		"1. where is RouterGroup defined?\n\n2. who calls Recovery?\n3. how are trailing slashes redirected?": {
			"where is RouterGroup defined?", "who calls Recovery?", "how are trailing slashes redirected?"},
		"- where is RouterGroup defined\n- who calls Recovery":           {"where is RouterGroup defined", "who calls Recovery"},
		"Where is RouterGroup defined? Who calls Recovery?":              {"Where is RouterGroup defined?", "Who calls Recovery?"},
		"Wo wird das Log rotiert? Wer ruft `Recovery` auf?":              {"Wo wird das Log rotiert?", "Wer ruft `Recovery` auf?"},
		"日志在哪里轮转？谁调用了 Recovery？":                                         {"日志在哪里轮转？", "谁调用了 Recovery？"},
		"Where is the limit set?\nAnd who reads it?":                     nil,
		"Where is the limit set? Why?":                                   nil,
		"Why do retries fail? Is that a bug?":                            nil,
		"Wo wird das Limit gesetzt? Und wer liest es?":                   nil,
		"这个函数在哪里定义？谁调用它？":                                                nil,
		"Requests are lost on shutdown.\nWhere are they kept?":           nil,
		strings.Repeat("where is RouterGroup defined?\n", 11):            nil,
		"where is RouterGroup defined, and in\nwhich file is it tested?": nil,
	} {
		m := asked.Read(text)
		if all := append([]string{m.Question}, m.Others...); want != nil && !slices.Equal(all, want) ||
			want == nil && len(m.Others) > 0 && m.Rest == "" {
			t.Errorf("%q is read as %q", text, all)
		}
	}
}

// A report is no question, whatever it ends with, and a message without a question stays whole.
func TestReadKeepsReports(t *testing.T) {
	story := "I use it in a small service. With the option set, the value of the environment is returned, but the field " +
		"stays empty unless there is a default. We have seen this since the last release, and only on our build machines.\n\n"
	for _, text := range []string{
		"", "where does gin recover from a panic?", "My requests are lost. Where are requests retried?",
		"Option is ignored when a key has no default\n\n" + story + pastes["code"] + "\n\nIs this intended?",
		"Option is ignored when a key has no default\n\n" + pastes["trace"] + "\n\nShould it not be checked before?",
		"Option is ignored when a key has no default\n\nIt happens with an empty file.\n\n" + pastes["trace"] +
			"\n\nWhat was the reason to read it first?",
		"How can the option be kept?\n\n" + story + pastes["log"],
		"It crashes\n\n## What happens?\n\n" + pastes["panic"] + "\n\n## What is expected?\n\nno crash",
		pastes["log"], pastes["trace"], pastes["code"], pastes["diff"], pastes["JSON"], pastes["compiler"],
		"fix the parser\n\n" + pastes["trace"],
	} {
		title, _, _ := strings.Cut(text, "\n")
		if diff := cmp.Diff(asked.Message{Title: title, Question: text}, asked.Read(text)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// A question points at what is pasted by words for it, and not by those for the repository.
func TestReadPoints(t *testing.T) {
	for question, want := range map[string]bool{
		"What does this mean?": true, "why do I get this:": true, "Where does that message come from?": true,
		"Explain the log below": true, "Was bedeutet dieser Fehler?": true, "Was bedeutet das?": true,
		"Woher kommt diese Meldung?": true, "这是什么意思？": true, "为什么会抛出这个错误？": true,
		"what does this project do?": false, "where is the task that raised retried?": false,
		"Was macht dieses Projekt?": false, "这个项目是做什么的？": false, "The log is below, where is it rotated?": false,
		"Can you explain why this happens?": true, "Kannst du mir erklären, warum das passiert?": true, "Where is that read?": true,
	} {
		for _, text := range []string{question + "\n" + pastes["trace"], pastes["trace"] + "\n\n" + question} {
			if m := asked.Read(text); m.Points != want || m.Rest == "" {
				t.Errorf("%q points: %v, want %v, rest %q", question, m.Points, want, m.Rest)
			}
		}
	}
	for text, want := range map[string]asked.Message{
		"1. where is it read?\n2) who calls `Next`?\nQ: Why?\n\nx": {Title: "where is it read?",
			Question: "where is it read?", Others: []string{"who calls `Next`?", "Why?"}, Rest: "x"},
		"```\nx = 1\nwhere is x read?":              {Title: "where is x read?", Question: "where is x read?", Rest: "```\nx = 1"},
		"why do I get this: dial tcp: no such host": {Question: "why do I get this", Rest: "dial tcp: no such host", Points: true},
		"What does this mean? too many values":      {Question: "What does this mean?", Rest: "too many values", Points: true},
		"No such host. What does this mean?":        {Question: "What does this mean?", Rest: "No such host.", Points: true},
		"where is std::vec used?":                   {Question: "where is std::vec used?"},
	} {
		if want.Title == "" {
			want.Title = text
		}
		if diff := cmp.Diff(want, asked.Read(text), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// Of a message no word is lost but numbers and labels of questions, and none is added.
func FuzzRead(f *testing.F) {
	for _, paste := range pastes {
		f.Add("where is it retried?\n" + paste)
		f.Add(paste + "\n\nwhat does this mean?\nthanks")
	}
	f.Add("```\nwhere?\n" + strings.Repeat("x\n", 20_000) + "who calls Close?\n" + strings.Repeat("x\n", 20_000))
	f.Fuzz(func(t *testing.T, text string) {
		m := asked.Read(text)
		words := func(s string) int {
			return len(strings.FieldsFunc(s, func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune(":：?？!！。", c) }))
		}
		asks := append(strings.Split(m.Question, "\n"), m.Others...)
		all, labels := words(text), 2*len(asks)
		if n := words(strings.Join(asks, "\n")) + words(m.Rest); n > all || n < all-labels {
			t.Errorf("%q: %d of %d words: %+v", text, n, all, m)
		}
	})
}

func ExampleRead() {
	m := asked.Read("panic: timeout\n\ngoroutine 1 [running]:\nmain.main()\n\nwhere is the file locked?")
	fmt.Println(m.Question)
	// Output: where is the file locked?
}
