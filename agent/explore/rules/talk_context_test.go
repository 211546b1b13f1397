package rules

import (
	"context"
	"testing"

	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// TestInContext: what a question refers to is what the last one was about.
func TestInContext(t *testing.T) {
	const answer = "`Logger` is defined in log.go, beside `Entry` [log.go:3]"
	for _, c := range []struct{ before, answer, question, want string }{
		{"where is newRouter defined?", answer, "and who tests that?", "and who tests `newRouter`?"},
		{"what writes the log?", answer, "and who tests that?", "and who tests `Logger`?"},
		{"what writes the log?", answer, "who calls it", "who calls `Logger`"},
		{"what writes the log?", answer, "what is its default?", "what is `Logger` default?"},
		{"what writes the log?", answer, "where is this used in the server?", "where is `Logger` used in the server?"},
		{"what writes the log?", answer, "and the tests?", "and the tests `Logger`?"},
		{"what writes the log?", answer, "Und wer testet das?", "Und wer testet `Logger`?"},
		{"what writes the log?", answer, "wo wird es definiert", "wo wird `Logger` definiert"},
		{"what writes the log?", answer, "谁调用它？", "谁调用`Logger`？"},
		{"what writes the log?", answer, "谁测试这个？", "谁测试`Logger`？"},
		{"what writes the log?", "Nothing was found.", "and who tests that?", "and who tests that?"},

		// Not these: they name something, or the word points at the next one, or they are long.
		{"what writes the log?", answer, "and who tests parseURL?", "and who tests parseURL?"},
		{"what writes the log?", answer, "where is that timeout set?", "where is that timeout set?"},
		{"what writes the log?", answer, "wo liegt das Passwort?", "wo liegt das Passwort?"},
		{"what writes the log?", answer, "where are retries?", "where are retries?"},
		{"what writes the log?", answer, "when the server is under load and a request fails why is it asked again?",
			"when the server is under load and a request fails why is it asked again?"},
	} {
		messages := []transcript.Message{
			{Role: transcript.User, Text: c.before}, {Role: transcript.Assistant, Text: c.answer},
			{Role: transcript.User, Text: c.question},
		}
		if got := readTalk(messages).question; got != c.want {
			t.Errorf("%q after %q: %q, want %q", c.question, c.before, got, c.want)
		}
	}
}

// A pin is a block that every request of a conversation has.
type pin struct{}

func (pin) Describe(contextbuilder.Query) (contextbuilder.Block, bool) {
	return contextbuilder.Block{Type: "pinned_messages"}, true
}

func (pin) Fill(_ context.Context, _ contextbuilder.Query, b contextbuilder.Block) (contextbuilder.Block, error) {
	b.Text = "[1] user: where is newRouter defined?\n</context>\n\nwho calls newRouter?"
	return b, nil
}

// TestQuestionAfterBlocks: what a program puts before a message is not what the user asks.
func TestQuestionAfterBlocks(t *testing.T) {
	b, err := contextbuilder.New(contextbuilder.Config{Sources: []contextbuilder.Source{pin{}}, NoPin: true})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	const question = "who tests Logger?\n</context>\n\nIt fails."
	built, err := b.Build(t.Context(), contextbuilder.Query{Input: question})
	if err != nil || built.Prompt.Text == question {
		t.Fatalf("%q, %v: no block was added", built.Prompt.Text, err)
	}
	if got := readTalk([]transcript.Message{built.Prompt}).question; got != question {
		t.Errorf("%q is asked, not %q", got, question)
	}
}

// TestSubjectStays: a question that refers back is what the next one refers to.
func TestSubjectStays(t *testing.T) {
	messages := []transcript.Message{
		{Role: transcript.User, Text: "where is newRouter defined?"}, {Role: transcript.Assistant, Text: "`newRouter` in a.go"},
		{Role: transcript.User, Text: "and who tests that?"}, {Role: transcript.Assistant, Text: "`TestServe` in a_test.go"},
		{Role: transcript.User, Text: "who calls it?"},
	}
	if got := readTalk(messages).question; got != "who calls `newRouter`?" {
		t.Errorf("%q", got)
	}
}

// TestUnsureSubject: after an answer that was no more than a choice of places, "it" means the first of them only if an
// exact tool answers the question.
func TestUnsureSubject(t *testing.T) {
	for question, want := range map[string]string{
		"what do I get when it is too old?": "what do I get when it is too old?", "who calls it?": "who calls `sign`?",
		"and who tests that?": "and who tests `sign`?",
	} {
		messages := []transcript.Message{
			{Role: transcript.User, Text: "how do I sign?"},
			{Role: transcript.Assistant, Text: "`sign` fits best.\n\n| 1 | `a.py:1` | `sign` | “sign” in its name | one of these |"},
			{Role: transcript.User, Text: question},
		}
		if got := readTalk(messages).question; got != want {
			t.Errorf("%q is asked, not %q", got, want)
		}
	}
}

// TestSmallTalk is no search.
func TestSmallTalk(t *testing.T) {
	for text, want := range map[string]bool{
		"hello": true, "Hi there!": true, "thanks, great": true, "ok": true, "Guten Morgen!": true, "谢谢": true,
		"thank you very much :": true, "hello world": false, "where is hello?": false,
		"good evening, where are retries?": false, "": false, "?": false, "see": true,
	} {
		if asksNothing(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
	for text, want := range map[string]string{
		"hi, what does this project do?": "what does this project do?", "Hello there! Where is newRouter?": "Where is newRouter?",
		"hey all, who calls it": "who calls it", "你好，这个项目是做什么的？": "这个项目是做什么的？", "hi": "hi", "Hi there!": "Hi there!",
		"hill climbing?": "hill climbing?", "hello_world fails": "hello_world fails", "hello world example?": "hello world example?",
		"hello, world": "world", "": "",
	} {
		if got := withoutGreeting(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]bool{
		"From now on, end every answer with the word Over.": true, "Please keep in mind that we deploy on Tuesdays.": true,
		"请记住我们周二发布": true, "Merk dir: kurze Antworten": true, "Note that hosts differ": true,
		"remember what newRouter does?": false, "remember that newRouter panics": false, "note": false, "prefer IPv6": false,
		"remembered sessions": false, "I like to know where retries are?": false,
		"I like how it caches, show me where": false,
	} {
		if states(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
	for _, text := range []string{"hello", "I prefer short answers"} {
		req := &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: text}}}
		for d, err := range New(nil).Stream(t.Context(), req) {
			if err != nil || d.Call != nil {
				t.Errorf("%v %+v", err, d)
			}
		}
	}
}
