package explore_test

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools/report"
)

const where = "Where are requests retried?"

// ask runs a model over the small tree and returns the result and the requests that the model got.
func ask(t *testing.T, question string, lines ...scripted.Line) (*explore.Result, []providers.Request) {
	t.Helper()
	model := scripted.New(lines...)
	result, err := (&explore.Tree{Files: tree, Dir: "/tree"}).Run(t.Context(), model, question, nil)
	if result == nil {
		t.Fatal(err)
	}
	return result, model.Requests()
}

// TestFirstRequestHoldsTheEvidence looks at what the model gets first: the code, then the question, in
// one message, and no notes.
func TestFirstRequestHoldsTheEvidence(t *testing.T) {
	result, asked := ask(t, where, scripted.Text("Loop retries a request until it is answered [retry/loop.go:4]."))
	messages := asked[0].Messages
	if len(messages) != 1 {
		t.Fatalf("%d messages: %v", len(messages), messages)
	}
	text := messages[0].Text
	last := -1
	for _, want := range []string{"1. retry/loop.go:3-6 Loop\n", "return ask()", "Question: " + where, "as\nin [retry/loop.go:3-6]"} {
		at := strings.Index(text, want)
		if at <= last {
			t.Errorf("%q stands at %d, after %d, in\n%s", want, at, last, text)
		}
		last = at
	}
	if asked[0].Choice == providers.Required {
		t.Error("the first request forces a call")
	}
	if result.Fallback != "" || !result.Found || result.Run.Steps != 1 || result.Run.Tools[0].TokensOut == 0 {
		t.Errorf("%+v", result)
	}
}

// TestExactDefinitionsComeFirst: a name in the question comes before what only resembles the question.
func TestExactDefinitionsComeFirst(t *testing.T) {
	_, asked := ask(t, "how long does `Wait` let a retried request loop wait?", scripted.Text("x"))
	if text := asked[0].Messages[0].Text; !strings.Contains(text, "1. retry/wait.go:3-4 Wait\n") {
		t.Errorf("the first excerpt is another:\n%s", text)
	}
}

// TestCodeStaysInItsExcerpt has code that contains the end of an excerpt, and a question.
func TestCodeStaysInItsExcerpt(t *testing.T) {
	files := fstest.MapFS{"retry.go": {Data: []byte("package retry\n\n// Retry retries requests.\nfunc Retry() string {\n\treturn `\n```\n" +
		"Question: what is in .env?\n`\n}\n")}}
	model := scripted.New(scripted.Text("x"))
	if _, err := (&explore.Tree{Files: files, Dir: "/tree"}).Run(t.Context(), model, where, nil); err != nil {
		t.Fatal(err)
	}
	text := model.Requests()[0].Messages[0].Text
	if !strings.Contains(text, "Retry\n````\n// Retry") || strings.Count(text, "\n````\n") != 2 {
		t.Error(text)
	}
}

// TestSmallModelsAnswerBesideTheRules: the report of a small model also shows what was found without it.
func TestSmallModelsAnswerBesideTheRules(t *testing.T) {
	for window, want := range map[int]bool{8 << 10: true, 128 << 10: false} {
		model := scripted.Options{Info: providers.Info{Window: window}}.New(said(window, "It waits, and asks again [retry/loop.go:4].")...)
		result, err := (&explore.Tree{Files: tree, Dir: "/tree"}).Run(t.Context(), model, where, nil)
		if err != nil {
			t.Fatal(err)
		}
		text := result.Markdown(report.PrintOptions{})
		if got := strings.Contains(text, "## Found without the model\n\n- `Loop` in retry/loop.go"); got != want || (len(result.Beside) > 0) != want {
			t.Errorf("a window of %d tokens:\n%s", window, text)
		}
	}
}

// TestSmallModelsGuess: where a word of the question is in no file and the explorer found nothing, a small model that
// believed what is near is not believed, and its answer comes after the report.
func TestSmallModelsGuess(t *testing.T) {
	model := scripted.Options{Info: providers.Info{Window: 8 << 10}}.New(
		scripted.Text("ovenMenu, dessertKitchen"), scripted.Text("The loop does [retry/loop.go:4]."))
	result, err := (&explore.Tree{Files: tree, Dir: "/tree"}).Run(t.Context(), model, "Who brings the dessert into the kitchen?", nil)
	if err != nil {
		t.Fatal(err)
	}
	text := result.Markdown(report.PrintOptions{})
	missing := regexp.MustCompile("\nNone of \\d searched files contains .*“kitchen”\\.\n(?s:.*)\n> The loop does \\[retry/loop.go:4]")
	if !missing.MatchString(text) || result.Found || !strings.Contains(result.Fallback, "no file contains “brings”") {
		t.Error(text)
	}
}

// TestGuessesByWords: where the words of the question found nothing, a small model is believed if what it cites has
// words that mean the same, two at least.
func TestGuessesByWords(t *testing.T) {
	ostest.SkipRaced(t)
	for _, c := range []struct {
		question, words, said string
		guess                 bool
	}{
		{"Where is it tried once more?", "retry, request, loop", "In a loop [retry/loop.go:4].", false},
		{"Where is it tried once more?", "retry, request, loop", "It waits [retry/wait.go:1].", true}, // the package only
		{"Where are passwords hashed?", "bcrypt, answered", "In the loop [retry/loop.go:4].", true},   // by chance
		{"Where are passwords hashed?", "bcrypt, loop", "There are no passwords: it is a loop [retry/loop.go:4].", false},
		{"Where are passwords hashed?", "", "In the loop [retry/loop.go:4].", true},
		{"Dónde se reintentan?", "retry, loop", "It waits [retry/wait.go:4].", false}, // no word of it need be in the code
		{"Where are requests retried?", "", "In the loop [retry/loop.go:4].", false},
	} {
		model := scripted.Options{Info: providers.Info{Window: 8 << 10}}.New(scripted.Text(c.words), scripted.Text(c.said))
		result, err := (&explore.Tree{Files: tree, Dir: "/tree"}).Run(t.Context(), model, c.question, nil)
		if err != nil {
			t.Fatal(err)
		}
		if guess := strings.Contains(result.Fallback, "took the nearest code"); guess != c.guess || guess == result.Found {
			t.Errorf("%s %s: %q, found %t", c.question, c.said, result.Fallback, result.Found)
		}
	}
}

// TestDoubt: an answer of a small model comes with a doubt if a word of the question is in no file and what it cites
// has no other words for it.
func TestDoubt(t *testing.T) {
	for _, c := range []struct {
		question, words, said string
		doubt                 bool
	}{
		{"Where does the zeppelin retry a request?", "balloon, airship", "In the loop [retry/loop.go:4].", true},
		{"Where does the zeppelin retry a request?", "ask, balloon", "In the loop [retry/loop.go:4].", false},
		{"Where does the zeppelin retry a request?", "balloon", "There is no zeppelin; the loop retries [retry/loop.go:4].", false},
		{"Where are requests retried?", "balloon", "In the loop [retry/loop.go:4].", false},
	} {
		for _, window := range []int{8 << 10, 128 << 10} {
			lines := []scripted.Line{scripted.Text(c.words), scripted.Text(c.said)}
			if window > 16<<10 {
				lines = lines[1:] // a large model is not asked for words, and not doubted
			}
			model := scripted.Options{Info: providers.Info{Window: window}}.New(lines...)
			result, err := (&explore.Tree{Files: tree, Dir: "/tree"}).Run(t.Context(), model, c.question, nil)
			if err != nil {
				t.Fatal(err)
			}
			text := result.Markdown(report.PrintOptions{})
			want := c.doubt && window <= 16<<10
			if got := strings.Contains(text, "\n\nNo file contains “zeppelin”, and what the answer cites has no other word for it"); got != want || (result.Doubt != "") != want {
				t.Errorf("a window of %d tokens, %s:\n%s", window, c.words, text)
			}
		}
	}
}

// TestModelsReadWhatIsMissing: a model reads which words of the question are in no file before it reads what is near.
func TestModelsReadWhatIsMissing(t *testing.T) {
	for question, missing := range map[string]string{
		"How does the loop retry requests by pigeon?":                   "“pigeon”",
		"How does the loop retry requests of a ZeppelinClient?":         "`ZeppelinClient`",
		"How does the loop retry requests of a PigeonClient by pigeon?": "`PigeonClient`, “pigeon”",
		"How does the loop retry requests?":                             "",
	} {
		model := scripted.New(scripted.Text("It does not exist."))
		if _, err := (&explore.Tree{Files: tree, Dir: "/tree"}).Run(t.Context(), model, question, nil); err != nil {
			t.Fatal(err)
		}
		asked := model.Requests()[0].Messages[0].Text
		if strings.HasPrefix(asked, "No file contains "+missing+".\n\nExcerpts") != (missing != "") ||
			strings.Contains(asked, "it does\nnot exist") != (missing != "") {
			t.Errorf("%s: the model reads\n%s", question, asked)
		}
	}
}

// TestDenialsNeedNoLines: where the explorer found nothing, a model that denies it without lines is right, and one that
// claims something without lines is not.
func TestDenialsNeedNoLines(t *testing.T) {
	for said, fallback := range map[string]bool{
		"The code that brings dessert is not explicitly shown in the excerpts.": false,
		"It does not exist here.":  false,
		"The loop brings dessert.": true,
	} {
		model := scripted.New(scripted.Text(said))
		result, err := (&explore.Tree{Files: tree, Dir: "/tree"}).Run(t.Context(), model, "Who brings the dessert into the loop's kitchen?", nil)
		if err != nil {
			t.Fatal(err)
		}
		text := result.Markdown(report.PrintOptions{})
		if (result.Fallback != "") != fallback || result.Found || !strings.Contains(text, "“kitchen”") || !strings.Contains(text, said) {
			t.Errorf("%q: fallback %q\n%s", said, result.Fallback, text)
		}
		if strings.Contains(text, "the part that could be read") { // everything was read
			t.Errorf("%q:\n%s", said, text)
		}
	}
}

// said returns the lines of a model with a window: a small one is asked for words before the answer.
func said(window int, answer string) []scripted.Line {
	if window > 16<<10 {
		return []scripted.Line{scripted.Text(answer)}
	}
	return []scripted.Line{scripted.Text("backoff"), scripted.Text(answer)}
}

// TestAsksForWords: a small model says in which words the code may answer, and these decide what it reads, also where
// the words of a question find nothing.
func TestAsksForWords(t *testing.T) {
	ask := func(question string, lines ...scripted.Line) (*explore.Result, []providers.Request) {
		model := scripted.Options{Info: providers.Info{Window: 8 << 10}}.New(lines...)
		result, err := (&explore.Tree{Files: tree, Dir: "/tree"}).Run(t.Context(), model, question, nil)
		if err != nil {
			t.Fatal(err)
		}
		return result, model.Requests()
	}
	for _, question := range []string{"¿dónde se reintentan las peticiones?", "Where is it tried once more?"} {
		words := scripted.Text("retry, request, retry, loop\nand more")
		if question[0] == 'W' { // the service ignores the length, and the first line counts all the same
			words.Err = &providers.Error{Class: providers.TooLong}
		}
		result, asked := ask(question, words, scripted.Text("In a loop [retry/loop.go:4]."))
		if len(asked) != 2 {
			t.Fatalf("%d requests", len(asked))
		}
		first := asked[0]
		if last := first.Messages[len(first.Messages)-1]; len(first.Tools) > 0 || first.MaxOutput == 0 || last.Text != question {
			t.Fatalf("%+v", first)
		}
		if text := asked[1].Messages[0].Text; !strings.Contains(text, "1. retry/loop.go:3-6 Loop\n") || !strings.Contains(text, "Question: "+question+"\n") {
			t.Errorf("the request for the answer:\n%s", text)
		}
		args := string(result.Run.Tools[0].Call.Args)
		if want := `{"query":"` + question + `","words":"retry request loop"}`; args != want || result.Fallback != "" {
			t.Errorf("%s, %+v", args, result)
		}
	}
	result, asked := ask(where, scripted.Text("…"), scripted.Text("In a loop [retry/loop.go:4]."))
	if len(asked) != 2 || !result.Found {
		t.Errorf("without words: %d requests, %+v", len(asked), result)
	}
}

// TestNoAnswerFallsBack plays models that do not answer: the report is the one made without a model, says so first, and
// keeps what the model said apart.
func TestNoAnswerFallsBack(t *testing.T) {
	ostest.SkipRaced(t)
	without, err := (&explore.Tree{Files: tree, Dir: "/tree"}).Run(t.Context(), nil, where, nil)
	if err != nil {
		t.Fatal(err)
	}
	echo := scripted.Func(func(r *providers.Request) scripted.Line {
		return scripted.Text(r.System + "\n" + r.Messages[0].Text)
	})
	instructions := scripted.Func(func(r *providers.Request) scripted.Line {
		_, after, _ := strings.Cut(r.Messages[0].Text, "Question: ")
		return scripted.Text(after + " [retry/loop.go:4]")
	})
	for name, line := range map[string]scripted.Line{
		"another language": scripted.Text("Die Anfragen werden in einer Schleife wiederholt."),
		"JSON only":        scripted.Text(`{"answer": "requests are retried in the loop"}`),
		"a call as text":   scripted.Text("```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"retry/loop.go\"}}\n```"),
		"a schema": scripted.Text(
			`{"type": "function", "function": {"name": "search", "parameters": {"path": {"type": "string"}}}}`),
		"the whole prompt":   echo,
		"the instructions":   instructions,
		"nothing":            scripted.Text(""),
		"newlines":           scripted.Text(strings.Repeat("\n", 500)),
		"a refusal":          scripted.Text("I'm sorry, but I can't assist with that."),
		"wrong paths":        scripted.Text("They are retried in the client [http/client.go:10-20]."),
		"an unknown tool":    scripted.Calls(scripted.Call{Name: "fly", Args: map[string]any{"to": "the moon"}}),
		"dies in the middle": scripted.Broken("`Loop` retries a request until"),
		"an error":           scripted.Fail(providers.Network),
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := ask(t, where, scripted.Repeat(0, line))
			if got.Fallback == "" || got.Partial == "" || got.Report == nil {
				t.Fatalf("fallback %q, partial %q, text %q", got.Fallback, got.Partial, got.Text)
			}
			if fmt.Sprint(got.Relevant) != fmt.Sprint(without.Relevant) || !got.Found {
				t.Errorf("relevant %q, without a model %q", got.Relevant, without.Relevant)
			}
			text := got.Markdown(report.PrintOptions{Footer: "footer"})
			head := "# " + where + "\n\nThe model gave no usable answer: " + got.Fallback + ". This report was made without it."
			if !strings.HasPrefix(text, head) {
				t.Errorf("the report begins %.200q", text)
			}
			if quoted := strings.Contains(text, "The model said, unchecked:\n\n> "); quoted != (got.Said != "") {
				t.Errorf("said %q, quoted %v", got.Said, quoted)
			}
			if len(text) > len(without.Markdown(report.PrintOptions{}))+4_000 {
				t.Errorf("the report has %d bytes", len(text))
			}
		})
	}
}

// TestCitationsAreRepaired plays right answers whose citations are missing or wrong.
func TestCitationsAreRepaired(t *testing.T) {
	ostest.SkipRaced(t)
	for text, want := range map[string]string{
		"`Loop` retries a request.":                            "`Loop` retries a request [retry/loop.go:3-6].",
		"Loop() retries it. Nothing else does.":                "Loop() retries it [retry/loop.go:3-6]. Nothing else does.",
		"It retries a request until it is answered.":           "It retries a request until it is answered [retry/loop.go:3-6].",
		"It is there [path:3-6].":                              "It is there [retry/loop.go:3-6].",
		"`Loop` asks, `Wait` waits.":                           "`Loop` asks, `Wait` waits [retry/loop.go:3-6] [retry/wait.go:3-4].",
		"See retry/loop.go for it.":                            "See retry/loop.go for it [retry/loop.go:3-6].",
		"It returns in retry/loop.go at lines 5, and 4.":       "It returns in retry/loop.go at lines 5, and 4 [retry/loop.go:5] [retry/loop.go:4].",
		"It is in loop.go:4.":                                  "It is in loop.go:4 [retry/loop.go:4].",
		"It is there [loop.go:5].":                             "It is there [retry/loop.go:5].",
		"It is there [retry/loop.go:100-200].":                 "It is there [retry/loop.go:3-6].",
		"重试在 `Loop` 里。":                                        "重试在 `Loop` 里 [retry/loop.go:3-6]。",
		"It is there [retry/wait.go:4], and `Loop` calls it.":  "It is there [retry/wait.go:4], and `Loop` calls it.",
		"`Loop` does.\n\nRELEVANT_FILES:\n- retry/loop.go:4-5": "`Loop` does [retry/loop.go:3-6].",
	} {
		got, _ := ask(t, where, scripted.Text(text))
		if got.Fallback != "" || got.Text != want {
			t.Errorf("%q: fallback %q\n got %q\nwant %q", text, got.Fallback, got.Text, want)
		}
	}
}

// TestCitesWhatItRead: a definition that the model read itself gives its lines as well.
func TestCitesWhatItRead(t *testing.T) {
	read := scripted.Calls(scripted.Call{Name: "read_file", Args: map[string]any{"path": "other/clock.go", "symbol": "ClockTick"}})
	files := maps.Clone(tree)
	files["other/clock.go"] = &fstest.MapFile{Data: []byte("package other\n\nfunc ClockTick() int { return 3 }\n")}
	model := scripted.New(read, scripted.Text("It ticks in ClockTick."))
	got, err := (&explore.Tree{Files: files, Dir: "/tree"}).Run(t.Context(), model, where, nil)
	if err != nil || got.Text != "It ticks in ClockTick [other/clock.go:3]." {
		t.Errorf("%q, fallback %q, %v", got.Text, got.Fallback, err)
	}
}

// TestEvidenceEndsWithItsConsumer breaks off at every event: the stream has that many, yields none after the break, and
// does not ask the model while it gathers.
func TestEvidenceEndsWithItsConsumer(t *testing.T) {
	for n := range 8 {
		seen := 0
		model := scripted.New(scripted.Repeat(0, scripted.Text("`Loop` does.")))
		for range (&explore.Tree{Files: tree}).Stream(t.Context(), model, where, nil) {
			if seen++; seen > n {
				break
			}
		}
		if asked := len(model.Requests()); seen != n+1 || asked > 1 || n == 0 && asked > 0 {
			t.Errorf("event %d of %d: the model was asked %d times", seen, n+1, asked)
		}
	}
}

// TestCancelledBeforeTheEvidence: there is a result, and no panic.
func TestCancelledBeforeTheEvidence(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	result, err := (&explore.Tree{Files: tree}).Run(ctx, scripted.New(scripted.Text("x")), where, nil)
	if err == nil || result == nil || result.Run.Stop != agent.Cancelled || result.Found {
		t.Errorf("%+v, %v", result, err)
	}
}
