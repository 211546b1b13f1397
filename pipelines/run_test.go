package pipelines_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/pipelines"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newWindow() *contextwindow.Window {
	return contextwindow.New(contextwindow.Budget{Limit: 16_000, Profile: contextwindow.Lean}, nil)
}

type readInput struct {
	Path string `json:"path"`
}

var readTool = tools.New("read_file", "Read a file.", func(_ context.Context, in readInput) (string, error) {
	if in.Path == "none" {
		return "", errors.New("there is no such file")
	}
	return "text of " + in.Path, nil
})

func reads(path string) scripted.Line {
	return scripted.Calls(scripted.Call{Name: "read_file", Args: map[string]string{"path": path}})
}

// TestStagesReadAgain has a stage whose window shortens what it reads.
func TestStagesReadAgain(t *testing.T) {
	long := tools.New("long", "Read.", func(context.Context, readInput) (string, error) {
		return strings.Repeat("a line of a long text\n", 4_000), nil
	})
	read := scripted.Calls(scripted.Call{Name: toollimit.ReadTool, Args: `{"id":"s2.1"}`})
	model := scripted.New(scripted.Calls(scripted.Call{Name: "long", Args: `{"path":"x"}`}), read, read, scripted.Text("done"))
	a, err := agent.New(agent.Config{Model: model, Tools: []tools.Tool{long}})
	if err != nil {
		t.Fatal(err)
	}
	stage := pipelines.Stage{Name: "one", Agent: a, Prompt: func(string, []pipelines.Outcome) string { return "read" }}
	if _, err := pipelines.Run(t.Context(), newWindow(), "", stage); err != nil {
		t.Fatal(err)
	}
	messages := model.Requests()[3].Messages
	first, second := messages[len(messages)-3].Text, messages[len(messages)-1].Text
	var line int
	_, next, _ := strings.Cut(first, "next: start_line=")
	if _, err := fmt.Sscanf(next, "%d]", &line); err != nil || !strings.Contains(second, fmt.Sprintf("[lines %d-", line)) {
		t.Errorf("%v: the first excerpt ends in %q, the second in %.200q", err, next, second[len(second)-100:])
	}
}

// staged is a stage of a script.
func staged(t *testing.T, name string, lines ...scripted.Line) (pipelines.Stage, *scripted.Model) {
	t.Helper()
	model := scripted.New(lines...)
	return stageOf(t, name, model), model
}

func stageOf(t *testing.T, name string, model providers.Model) pipelines.Stage {
	t.Helper()
	a, err := agent.New(agent.Config{Name: name, Model: model, Tools: []tools.Tool{readTool}})
	if err != nil {
		t.Fatal(err)
	}
	return pipelines.Stage{Name: name, Agent: a, Prompt: func(input string, done []pipelines.Outcome) string {
		prompt := name + ": " + input
		for _, o := range done {
			prompt += " | " + o.Stage + " said " + o.Text()
		}
		return prompt
	}}
}

// wants is a gate that asks again until a text holds a word.
func wants(word string) pipelines.Gate {
	return pipelines.RetryUnless(func(a pipelines.Attempt) string {
		if strings.Contains(a.Result.Text, word) {
			return ""
		}
		return "the word " + word + " is missing"
	})
}

func statuses(outcomes []pipelines.Outcome) string {
	var all []string
	for _, o := range outcomes {
		all = append(all, fmt.Sprintf("%s %s %d", o.Stage, o.Status, len(o.Results)))
	}
	return strings.Join(all, ", ")
}

// TestPaths goes through every way that a stage can end, and what follows for the one behind it.
func TestPaths(t *testing.T) {
	panics := func(pipelines.Attempt) pipelines.Verdict { panic("the gate broke") }
	for name, test := range map[string]struct {
		lines []scripted.Line // of the first stage
		first func(*pipelines.Stage)
		then  bool // whether the second runs after the first degraded
		want  string
		reply string
		err   string
	}{
		"passes":                {[]scripted.Line{scripted.Text("good")}, nil, false, "one passed 1, two passed 1", "two", ""},
		"passes its gate":       {[]scripted.Line{scripted.Text("good")}, func(s *pipelines.Stage) { s.Gate = wants("good") }, false, "one passed 1, two passed 1", "two", ""},
		"passes when asked for": {[]scripted.Line{scripted.Text("bad"), scripted.Text("good")}, func(s *pipelines.Stage) { s.Gate = wants("good") }, false, "one passed 2, two passed 1", "two", ""},
		"is exhausted":          {[]scripted.Line{scripted.Text("bad"), scripted.Text("worse")}, func(s *pipelines.Stage) { s.Gate = wants("good") }, false, "one exhausted 2, two skipped 0", "worse", ""},
		"is exhausted, run on":  {[]scripted.Line{scripted.Text("bad"), scripted.Text("worse")}, func(s *pipelines.Stage) { s.Gate = wants("good") }, true, "one exhausted 2, two passed 1", "two", ""},
		"is exhausted at once": {[]scripted.Line{scripted.Text("bad")}, func(s *pipelines.Stage) {
			s.Gate, s.Retries = wants("good"), -1
		}, false, "one exhausted 1, two skipped 0", "bad", ""},
		"is exhausted late": {[]scripted.Line{scripted.Text("1"), scripted.Text("2"), scripted.Text("3"), scripted.Text("4")}, func(s *pipelines.Stage) {
			s.Gate, s.Retries = wants("good"), 3
		}, false, "one exhausted 4, two skipped 0", "4", ""},
		"is exhausted and stops": {[]scripted.Line{scripted.Text("bad"), scripted.Text("worse")}, func(s *pipelines.Stage) {
			s.Gate, s.StopExhausted = wants("good"), true
		}, true, "one exhausted 2, two skipped 0", "worse", "stage one: no attempt is left"},
		"degrades": {[]scripted.Line{scripted.Text("bad")}, func(s *pipelines.Stage) {
			s.Gate = pipelines.DegradeUnless(pipelines.MinLength(100))
		}, false, "one degraded 1, two skipped 0", "bad", ""},
		"degrades, run on": {[]scripted.Line{scripted.Text("bad")}, func(s *pipelines.Stage) {
			s.Gate = pipelines.DegradeUnless(pipelines.MinLength(100))
		}, true, "one degraded 1, two passed 1", "two", ""},
		"fails":       {[]scripted.Line{scripted.Fail(providers.Auth)}, nil, true, "one failed 1, two skipped 0", "", "stage one: step 1: scripted/script: auth"},
		"fails later": {[]scripted.Line{reads("a.go"), scripted.Fail(providers.Auth)}, nil, false, "one failed 1, two skipped 0", "", "stage one: step 2: scripted/script: auth"},
		"panics in its gate": {[]scripted.Line{scripted.Text("good")}, func(s *pipelines.Stage) { s.Gate = panics }, false,
			"one failed 1, two skipped 0", "good", "stage one: panic: the gate broke"},
		"panics in its prompt": {nil, func(s *pipelines.Stage) { s.Prompt = func(string, []pipelines.Outcome) string { panic("no words") } }, false,
			"one failed 0, two skipped 0", "", "stage one: panic: no words"},
		"panics in its observer": {[]scripted.Line{scripted.Text("good")}, func(s *pipelines.Stage) { s.Observe = func(agent.Event) { panic("no eyes") } }, false,
			"one failed 0, two skipped 0", "", "stage one: panic: no eyes"},
		"panics in its model": {[]scripted.Line{scripted.Func(func(*providers.Request) scripted.Line { panic("no mind") })}, nil, false,
			"one failed 1, two skipped 0", "", "stage one: step 1: model script panicked: no mind"},
	} {
		t.Run(name, func(t *testing.T) {
			one, _ := staged(t, "one", test.lines...)
			if test.first != nil {
				test.first(&one)
			}
			two, _ := staged(t, "two", scripted.Text("two"))
			two.RunDegraded = test.then
			outcomes, err := pipelines.Run(t.Context(), newWindow(), "input", one, two)
			if got := statuses(outcomes); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
			if got := pipelines.Reply(outcomes); got != test.reply {
				t.Errorf("the reply is %q, want %q", got, test.reply)
			}
			switch {
			case (err == nil) != (test.err == ""), err != nil && !strings.HasPrefix(err.Error(), test.err):
				t.Errorf("error %v, want %q", err, test.err)
			case err != nil && outcomes[0].Reason == "", outcomes[1].Status == pipelines.Skipped && outcomes[1].Reason == "":
				t.Errorf("no reason: %+v", outcomes)
			}
		})
	}
}

// TestRetryKeepsTheWindow has a gate ask again: the second attempt is asked with all of the first, and the reason alone is new.
func TestRetryKeepsTheWindow(t *testing.T) {
	one, model := staged(t, "one", reads("a.go"), scripted.Text("bad"), scripted.Text("good"))
	one.Gate = wants("good")
	if _, err := pipelines.Run(t.Context(), newWindow(), "input", one); err != nil {
		t.Fatal(err)
	}
	requests := model.Requests()
	before, after := requests[1].Messages, requests[2].Messages
	if len(after) != len(before)+2 || after[len(after)-2].Text != "bad" {
		t.Fatalf("the second attempt was asked %+v", after)
	}
	if diff := cmp.Diff(before, after[:len(before)]); diff != "" {
		t.Errorf("what stood before the retry changed: %s", diff)
	}
	last := after[len(after)-1]
	if last.Role != transcript.User || !strings.Contains(last.Text, "the word good is missing") || strings.Contains(last.Text, "input") {
		t.Errorf("the retry says %q", last.Text)
	}
}

type noteReceipt struct {
	Accepted string `json:"accepted"`
}

func (r noteReceipt) Text() (toollimit.Kind, string) { return toollimit.Receipt, r.Accepted }

// TestStagesBeginAnew has a second stage see its prompt and the record, and nothing of what was said in the first.
func TestStagesBeginAnew(t *testing.T) {
	submit := tools.New("submit_note", "Submit a note.", func(_ context.Context, in struct {
		Title string `json:"title"`
	}) (noteReceipt, error) {
		return noteReceipt{"accepted: " + in.Title}, nil
	})
	model := scripted.New(
		scripted.Calls(scripted.Call{Name: "submit_note", Args: map[string]string{"title": "Alpha is late"}}), scripted.Text("a long secret text"), scripted.Text("done"),
	)
	a, err := agent.New(agent.Config{Model: model, Tools: []tools.Tool{submit}})
	if err != nil {
		t.Fatal(err)
	}
	prompt := func(text string) func(string, []pipelines.Outcome) string {
		return func(string, []pipelines.Outcome) string { return text }
	}
	_, err = pipelines.Run(t.Context(), newWindow(), "", pipelines.Stage{Name: "one", Agent: a, Prompt: prompt("first")}, pipelines.Stage{Name: "two", Agent: a, Prompt: prompt("second")})
	if err != nil {
		t.Fatal(err)
	}
	messages := model.Requests()[2].Messages
	var all strings.Builder
	for _, m := range messages {
		all.WriteString(m.Text + "\n")
	}
	if messages[0].Text != "second" || !strings.Contains(all.String(), "Alpha is late") || strings.Contains(all.String(), "secret text") {
		t.Errorf("the second stage was asked %q", all.String())
	}
}

// TestOutOfTime has a stage whose model hangs: it is cancelled and waited for, asked for what it has, judged, and not tried
// again.
func TestOutOfTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := scripted.Line{Text: "as far as I came", Hang: true}
		one, model := staged(t, "one", reads("a.go"), hang, scripted.Text("never asked"), scripted.Text("neither"))
		one.Limits.Time, one.Gate = time.Minute, wants("good")
		two, _ := staged(t, "two", scripted.Text("two"))
		two.RunDegraded = true
		started := time.Now()
		outcomes, err := pipelines.Run(t.Context(), newWindow(), "input", one, two)
		if err != nil || statuses(outcomes) != "one exhausted 1, two passed 1" {
			t.Errorf("%s, %v", statuses(outcomes), err)
		}
		result := outcomes[0].Results[0]
		if result.Stop != agent.TimeLimit || result.Text != "never asked" || len(outcomes[0].Handover.Files) != 1 || len(model.Requests()) != 3 {
			t.Errorf("%s: %q, handed over %+v", result.Stop, result.Text, outcomes[0].Handover)
		}
		if took := time.Since(started); took != 48*time.Second {
			t.Errorf("it took %v", took)
		}
		hung, _ := staged(t, "hung", scripted.Repeat(0, hang))
		hung.Limits.Time = time.Minute
		outcomes, err = pipelines.Run(t.Context(), newWindow(), "input", hung)
		if err != nil || outcomes[0].Status != pipelines.Passed || outcomes[0].Text() != "as far as I came" {
			t.Errorf("%s, %v: %q", statuses(outcomes), err, outcomes[0].Text())
		}
	})
}

// TestCancelled has the caller's context end before, and in, a stage: the rest is skipped, and what there was is kept.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	one, _ := staged(t, "one", reads("a.go"), scripted.Func(func(*providers.Request) scripted.Line {
		cancel()
		return scripted.Line{Text: "half", Hang: true}
	}))
	two, _ := staged(t, "two", scripted.Text("two"))
	outcomes, err := pipelines.Run(ctx, newWindow(), "input", one, two)
	if !errors.Is(err, context.Canceled) || statuses(outcomes) != "one cancelled 1, two skipped 0" {
		t.Errorf("%s, %v", statuses(outcomes), err)
	}
	if got := outcomes[0].Handover.Files; len(got) != 1 || got[0] != "a.go" {
		t.Errorf("handed over %v", got)
	}
	outcomes, err = pipelines.Run(ctx, newWindow(), "input", two)
	if !errors.Is(err, context.Canceled) || statuses(outcomes) != "two cancelled 0" {
		t.Errorf("%s, %v", statuses(outcomes), err)
	}
}

// deaf is a model that goes on after its context has ended, until it is let go.
type deaf struct {
	*scripted.Model
	asked chan struct{} // closed by the first request
	letGo chan struct{}
}

func (d deaf) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		close(d.asked)
		<-d.letGo
		for delta, err := range d.Model.Stream(context.WithoutCancel(ctx), req) {
			if !yield(delta, err) {
				return
			}
		}
	}
}

// TestWaitsForADeafModel holds Run to waiting for what it started, also when that ignores its context.
func TestWaitsForADeafModel(t *testing.T) {
	model := deaf{scripted.New(scripted.Repeat(0, scripted.Text("late"))), make(chan struct{}), make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan string)
	one := stageOf(t, "one", model)
	go func() {
		outcomes, err := pipelines.Run(ctx, newWindow(), "input", one)
		ended <- fmt.Sprint(statuses(outcomes), " ", errors.Is(err, context.Canceled))
	}()
	<-model.asked
	cancel()
	select {
	case got := <-ended:
		t.Errorf("it ended before its model: %s", got)
	default:
	}
	close(model.letGo)
	if got := <-ended; !strings.HasPrefix(got, "one cancelled") || !strings.HasSuffix(got, "true") {
		t.Errorf("ended with %s", got)
	}
}

func TestRunRefuses(t *testing.T) {
	one, _ := staged(t, "one", scripted.Text("never"))
	nameless, promptless := one, one
	nameless.Name, promptless.Prompt = "", nil
	for name, run := range map[string]func() ([]pipelines.Outcome, error){
		"no window": func() ([]pipelines.Outcome, error) { return pipelines.Run(t.Context(), nil, "", one) },
		"no stages": func() ([]pipelines.Outcome, error) { return pipelines.Run(t.Context(), newWindow(), "") },
		"no name":   func() ([]pipelines.Outcome, error) { return pipelines.Run(t.Context(), newWindow(), "", nameless) },
		"two names": func() ([]pipelines.Outcome, error) { return pipelines.Run(t.Context(), newWindow(), "", one, one) },
		"no prompt": func() ([]pipelines.Outcome, error) { return pipelines.Run(t.Context(), newWindow(), "", promptless) },
	} {
		if outcomes, err := run(); err == nil || outcomes != nil {
			t.Errorf("%s: %v, %v", name, outcomes, err)
		}
	}
}
