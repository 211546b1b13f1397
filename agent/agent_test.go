package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/offline"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/recall"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type textInput struct {
	Text string `json:"text" jsonschema:"minLength=1"`
}

// echo is a tool that gives back its text.
var echo = tools.New("echo", "Give back a text.", func(_ context.Context, in textInput) (string, error) { return in.Text, nil })

func callEcho(text string) offline.Call {
	return offline.Call{Name: "echo", Args: map[string]string{"text": text}}
}

// start makes an agent with a script.
func start(t *testing.T, c agent.Config, lines ...offline.Line) (*agent.Agent, *offline.Model) {
	t.Helper()
	model := offline.Script(lines...)
	if c.Model == nil {
		c.Model = model
	}
	a, err := agent.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return a, model
}

// run is a run that must not fail.
func run(t *testing.T, c agent.Config, lines ...offline.Line) (*agent.Result, []providers.Request) {
	t.Helper()
	a, model := start(t, c, lines...)
	result, err := a.Run(context.Background(), "prompt")
	if err != nil {
		t.Fatal(err)
	}
	return result, model.Requests()
}

func lastText(req providers.Request) string { return req.Messages[len(req.Messages)-1].Text }

func TestAnswer(t *testing.T) {
	result, requests := run(t, agent.Config{System: "system", Tools: []tools.Tool{echo}},
		offline.Calls(callEcho("one"), callEcho("two")), offline.Text("both"))
	if result.Text != "both" || result.Stop != agent.Answered || result.Steps != 2 || len(result.Tools) != 2 {
		t.Errorf("%+v", result)
	}
	last := requests[1]
	if last.System != "system" || len(last.Tools) != 1 || last.Messages[0].Text != "prompt" {
		t.Errorf("%+v", last)
	}
	if got := last.Messages[2].Text + last.Messages[3].Text; got != "onetwo" {
		t.Errorf("results %q", got)
	}
	if result.Usage.Input == 0 || result.Duration <= 0 || len(result.Transcript) < 4 {
		t.Errorf("usage %+v, duration %v, %d entries", result.Usage, result.Duration, len(result.Transcript))
	}
}

func TestResultsAreInTheOrderOfTheCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []string
		slow := tools.New("slow", "Wait.", func(_ context.Context, in struct {
			N int `json:"n"`
		}) (int, error) {
			time.Sleep(time.Duration(10-in.N) * time.Second)
			return in.N, nil
		})
		a, model := start(t, agent.Config{Tools: []tools.Tool{slow}},
			offline.Calls(offline.Call{Name: "slow", Args: `{"n":1}`}, offline.Call{Name: "slow", Args: `{"n":5}`}, offline.Call{Name: "slow", Args: `{"n":9}`}),
			offline.Text("done"))
		for e, err := range a.Stream(t.Context(), agent.Task{Prompt: "prompt"}) {
			if err != nil {
				t.Fatal(err)
			}
			if e, ok := e.(agent.ToolEnded); ok {
				order = append(order, fmt.Sprint(e.Record.Value))
			}
		}
		if got := strings.Join(order, " "); got != "9 5 1" {
			t.Errorf("ends were told in the order %s, want as they come", got)
		}
		req := model.Requests()[1]
		if got := req.Messages[2].Text + req.Messages[3].Text + req.Messages[4].Text; got != "159" {
			t.Errorf("results in the order %s", got)
		}
	})
}

func TestEffectsAreAloneAndInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		var order []string
		tool := func(name string, effects bool) tools.Tool {
			tl := tools.New(name, "Work.", func(_ context.Context, in textInput) (string, error) {
				if n := running.Add(1); effects && n != 1 {
					t.Errorf("%s runs beside %d others", in.Text, n-1)
				} else {
					most.Store(max(most.Load(), n))
				}
				time.Sleep(time.Second)
				if effects {
					order = append(order, in.Text)
				}
				running.Add(-1)
				return "ok", nil
			})
			tl.Effects = effects
			return tl
		}
		call := func(name, text string) offline.Call {
			return offline.Call{Name: name, Args: map[string]string{"text": text}}
		}
		result, _ := run(t, agent.Config{Tools: []tools.Tool{tool("read", false), tool("write", true)}},
			offline.Calls(call("read", "a"), call("read", "b"), call("write", "1"), call("write", "2"), call("read", "c"), call("write", "3")),
			offline.Text("done"))
		if got := strings.Join(order, ""); got != "123" || most.Load() != 2 || len(result.Tools) != 6 {
			t.Errorf("effects in the order %s, %d side by side, %d calls", got, most.Load(), len(result.Tools))
		}
	})
}

func TestFaultsOfCallsAreToldToTheModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		bad := []tools.Tool{
			echo,
			tools.New("panics", "Panic.", func(context.Context, struct{}) (string, error) { panic("at the disco") }),
			tools.New("fails", "Fail.", func(context.Context, struct{}) (string, error) { return "", errors.New("no luck") }),
			tools.New("waits", "Wait.", func(ctx context.Context, _ struct{}) (string, error) { <-ctx.Done(); return "", ctx.Err() }),
			tools.New("ignores", "Ignore.", func(context.Context, struct{}) (string, error) { <-release; return "", nil }),
			tools.New("nothing", "Return nothing.", func(context.Context, struct{}) (any, error) { return nil, nil }),
		}
		var calls []offline.Call
		for _, name := range []string{"panics", "fails", "waits", "ignores", "nothing", "ecko"} {
			calls = append(calls, offline.Call{Name: name})
		}
		calls = append(calls, offline.Call{Name: "echo", Args: `{"text":1,"more":true}`}, offline.Call{Name: "echo", Args: `{"text": "unclosed`}, callEcho("late"))
		result, requests := run(t, agent.Config{Tools: bad}, offline.Calls(calls...), offline.Text("done"))
		messages := requests[1].Messages[2:]
		for i, want := range []string{
			"tool panics panicked: at the disco", "no luck", "timed out after 1m0s", "timed out after 1m0s", "", "nearest: echo",
			"/text", "schema", "not executed: limit 8",
		} {
			if !strings.Contains(messages[i].Text, want) {
				t.Errorf("call %d (%s): %q does not say %q", i, messages[i].Name, messages[i].Text, want)
			}
			if failed := i != 4; messages[i].Failed != failed || failed != (result.Tools[i].Err != nil) || failed && messages[i].Kind != toollimit.Error {
				t.Errorf("call %d (%s): failed %t, kind %q, %v", i, messages[i].Name, messages[i].Failed, messages[i].Kind, result.Tools[i].Err)
			}
		}
		if result.Abandoned != 1 || len(result.Warnings) != 1 || result.Duration != 65*time.Second {
			t.Errorf("abandoned %d, warnings %q, %v", result.Abandoned, result.Warnings, result.Duration)
		}
		close(release)
	})
}

// always calls a tool in every step.
func always() offline.Line {
	n := 0
	return offline.Repeat(0, offline.Func(func(req *providers.Request) offline.Line {
		if req.Choice == providers.None {
			return offline.Text("closing words")
		}
		n++
		return offline.Line{Calls: []offline.Call{callEcho(fmt.Sprint(n))}, Usage: providers.Usage{Input: 1_000, Output: 100}}
	}))
}

func TestStepLimitCountsTheClosingRequest(t *testing.T) {
	for steps := 1; steps <= 4; steps++ {
		result, requests := run(t, agent.Config{Tools: []tools.Tool{echo}, Limits: agent.Limits{Steps: steps}}, always())
		if result.Stop != agent.StepLimit || result.Steps != steps || len(requests) != steps || result.Text != "closing words" {
			t.Errorf("%d steps: %s after %d requests, %q", steps, result.Stop, len(requests), result.Text)
		}
		last := requests[steps-1]
		if last.Choice != providers.None || len(last.Tools) != 1 || !strings.Contains(lastText(last), "last step") {
			t.Errorf("%d steps: closing request with choice %q, %q", steps, last.Choice, lastText(last))
		}
		if len(result.Tools) != steps-1 {
			t.Errorf("%d steps: %d calls", steps, len(result.Tools))
		}
	}
}

func TestAnswerInTheLastStepIsAnAnswer(t *testing.T) {
	result, _ := run(t, agent.Config{Tools: []tools.Tool{echo}, Limits: agent.Limits{Steps: 3}},
		offline.Calls(callEcho("a")), offline.Text("in time"))
	if result.Stop != agent.Answered || result.Steps != 2 {
		t.Errorf("%s after %d steps", result.Stop, result.Steps)
	}
}

func TestTokenLimits(t *testing.T) {
	for name, limits := range map[string]agent.Limits{
		"input":  {InputTokens: 3_000},
		"output": {OutputTokens: 300},
		"total":  {TotalTokens: 3_300},
	} {
		result, _ := run(t, agent.Config{Tools: []tools.Tool{echo}, Limits: limits}, always())
		if result.Stop != agent.TokenLimit || result.Steps != 4 || result.Text != "closing words" {
			t.Errorf("%s: %s after %d steps, %q", name, result.Stop, result.Steps, result.Text)
		}
	}
}

func TestTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := tools.New("slow", "Wait.", func(ctx context.Context, _ struct{}) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		})
		result, requests := run(t, agent.Config{Tools: []tools.Tool{slow}, Limits: agent.Limits{Time: 10 * time.Second}},
			offline.Calls(offline.Call{Name: "slow"}), offline.Text("what I have"))
		if result.Stop != agent.TimeLimit || result.Text != "what I have" || result.Duration != 10*time.Second {
			t.Errorf("%s after %v, %q", result.Stop, result.Duration, result.Text)
		}
		if requests[1].Choice != providers.None || !requests[1].Messages[2].Failed {
			t.Errorf("closing request %+v", requests[1])
		}
		hang := offline.Line{Text: "half an ", Hang: true}
		result, _ = run(t, agent.Config{Limits: agent.Limits{Time: 10 * time.Second}}, hang, hang)
		if result.Stop != agent.TimeLimit || result.Duration != 12500*time.Millisecond || result.Text != "half an " {
			t.Errorf("%s after %v, %q", result.Stop, result.Duration, result.Text)
		}
	})
}

func TestCancellationKeepsThePartialResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := start(t, agent.Config{Tools: []tools.Tool{echo}}, offline.Calls(callEcho("one")), offline.Line{Text: "half an ans", Hang: true})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		result, err := a.Run(ctx, "prompt")
		if !errors.Is(err, context.DeadlineExceeded) || result == nil {
			t.Fatalf("%v %+v", err, result)
		}
		if result.Stop != agent.Cancelled || result.Text != "half an ans" || len(result.Tools) != 1 {
			t.Errorf("%+v", result)
		}
	})
}

func TestBreakingOffWaitsForWhatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended atomic.Int32
		slow := tools.New("slow", "Wait.", func(ctx context.Context, _ struct{}) (string, error) {
			<-ctx.Done()
			time.Sleep(time.Second)
			ended.Add(1)
			return "", ctx.Err()
		})
		call := offline.Call{Name: "slow"}
		a, model := start(t, agent.Config{Tools: []tools.Tool{slow}}, offline.Calls(call, call, call), offline.Text("never"))
		started := 0
		for e := range a.Stream(t.Context(), agent.Task{Prompt: "prompt"}) {
			if _, ok := e.(agent.ToolStarted); ok {
				if started++; started == 3 {
					break
				}
			}
		}
		if ended.Load() != 2 || len(model.Requests()) != 1 {
			t.Errorf("%d tools ended, %d requests", ended.Load(), len(model.Requests()))
		}
	})
}

func TestErrorsEndTheRun(t *testing.T) {
	for _, class := range []providers.Class{providers.Auth, providers.Invalid, providers.Rate, providers.Transient, providers.Refused, providers.Malformed} {
		a, model := start(t, agent.Config{Tools: []tools.Tool{echo}}, offline.Calls(callEcho("one")), offline.Fail(class), offline.Text("never"))
		result, err := a.Run(context.Background(), "prompt")
		if providers.ClassOf(err) != class || result.Stop != agent.Failed || len(model.Requests()) != 2 || len(result.Tools) != 1 {
			t.Errorf("%s: %v, %+v", class, err, result)
		}
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	result, requests := run(t, agent.Config{}, offline.Text(""), offline.Text("  \n"), offline.Text("third time"))
	if result.Text != "third time" || len(requests) != 3 || result.Steps != 1 {
		t.Errorf("%+v", result)
	}
	a, model := start(t, agent.Config{}, offline.Repeat(0, offline.Text("")))
	if _, err := a.Run(context.Background(), "prompt"); err == nil || len(model.Requests()) != 3 {
		t.Errorf("%v after %d requests", err, len(model.Requests()))
	}
	result, requests = run(t, agent.Config{}, offline.Broken("half an"), offline.Text("a whole answer"))
	if result.Text != "a whole answer" || len(requests) != 2 {
		t.Errorf("%+v", result)
	}
}

func TestLengthIsContinued(t *testing.T) {
	cut := func(text string) offline.Line { return offline.Line{Text: text, Finish: providers.Length} }
	result, requests := run(t, agent.Config{}, cut("one "), cut("two "), offline.Text("three"))
	if result.Text != "one two three" || result.Stop != agent.Answered || len(requests) != 3 {
		t.Errorf("%+v", result)
	}
	if last := requests[2].Messages; last[len(last)-1].Role != contextwindow.User {
		t.Errorf("a request ends with a message of the %s", last[len(last)-1].Role)
	}
	result, requests = run(t, agent.Config{}, offline.Repeat(0, cut("x")))
	if result.Text != "xxxx" || len(requests) != 4 || len(result.Warnings) != 1 {
		t.Errorf("%+v after %d requests", result, len(requests))
	}
}

func TestCutResultsCanBeReadAgain(t *testing.T) {
	working := memory.NewWorking()
	big := tools.New("big", "Much.", func(context.Context, struct{}) (string, error) {
		var b strings.Builder
		for i := range 4_000 {
			fmt.Fprintf(&b, "line %d\n", i+1)
		}
		return b.String(), nil
	})
	result, requests := run(t, agent.Config{Tools: []tools.Tool{big, recall.ReadWorkingMemory(working)}, Memory: working},
		offline.Calls(offline.Call{Name: "big"}),
		offline.Func(func(req *providers.Request) offline.Line {
			if !strings.Contains(lastText(*req), "id=s2.1") {
				t.Errorf("no pointer: %q", lastText(*req))
			}
			return offline.Calls(offline.Call{Name: "read_working_memory", Args: map[string]any{"id": "s2.1", "start_line": 1900, "limit": 2}},
				offline.Call{Name: "read_working_memory", Args: map[string]any{"id": "s9.1"}})
		}), offline.Text("done"))
	got := requests[2].Messages
	if want := "line 1900\nline 1901\n"; !strings.HasPrefix(got[4].Text, want) || !strings.Contains(got[4].Text, "next: start_line=1902") {
		t.Errorf("read %q", got[4].Text)
	}
	if rec := result.Tools[0]; rec.TokensOut != contextwindow.MessageTokens(requests[1].Messages[2]) {
		t.Errorf("the model saw %d tokens, the record says %d", contextwindow.MessageTokens(requests[1].Messages[2]), rec.TokensOut)
	}
	if !strings.Contains(got[5].Text, "unknown_id") || !result.Tools[0].Cut || result.Tools[0].TokensIn <= result.Tools[0].TokensOut {
		t.Errorf("%q, %+v", got[5].Text, result.Tools[0])
	}
}

func TestWorkingMemoryEndsWithTheRun(t *testing.T) {
	working := memory.NewWorking()
	scope := ""
	big := tools.New("big", "Much.", func(ctx context.Context, _ struct{}) (string, error) {
		scope = tools.RunFrom(ctx).Scope
		return strings.Repeat("many words\n", 10_000), nil
	})
	c := agent.Config{Tools: []tools.Tool{big}, Memory: working}
	result, _ := run(t, c, offline.Calls(offline.Call{Name: "big"}), offline.Func(func(*providers.Request) offline.Line {
		if _, err := working.Get(scope, "s2.1"); err != nil {
			t.Errorf("in the run: %v", err)
		}
		return offline.Text("done")
	}))
	if _, err := working.Get(scope, "s2.1"); scope == "" || !errors.Is(err, memory.ErrNoScope) || !result.Tools[0].Cut {
		t.Errorf("scope %q after the run: %v", scope, err)
	}
}

func TestRunsAreApart(t *testing.T) {
	a, _ := start(t, agent.Config{Tools: []tools.Tool{echo}}, offline.Repeat(0, offline.Func(func(req *providers.Request) offline.Line {
		if len(req.Messages) == 1 {
			return offline.Calls(callEcho(req.Messages[0].Text))
		}
		return offline.Text(lastText(*req))
	})))
	texts := make(chan string)
	for i := range 20 {
		go func() {
			result, err := a.Run(context.Background(), fmt.Sprint("run ", i))
			if err != nil {
				t.Error(err)
			}
			texts <- result.Text
		}()
	}
	var got []string
	for range 20 {
		got = append(got, <-texts)
	}
	slices.Sort(got)
	if got = slices.Compact(got); len(got) != 20 {
		t.Errorf("answers %q", got)
	}
}

func TestHistoryAndFacts(t *testing.T) {
	var facts tools.Run
	who := tools.New("who", "Who calls.", func(ctx context.Context, _ struct{}) (string, error) { facts = tools.RunFrom(ctx); return "", nil })
	a, model := start(t, agent.Config{Name: "scout", Tools: []tools.Tool{who}}, offline.Calls(offline.Call{Name: "who", ID: "x1"}), offline.Text("done"))
	task := agent.Task{Prompt: "prompt", Thread: "t", User: "u", Repository: "r", History: []contextwindow.Message{
		{Role: contextwindow.User, Text: "before"}, {Role: contextwindow.Assistant, Text: "answer before"}}}
	if _, err := a.Do(context.Background(), task); err != nil {
		t.Fatal(err)
	}
	want := tools.Run{Thread: "t", User: "u", Agent: "scout", Input: "prompt", Repository: "r", Step: 1, CallID: "x1"}
	if facts != want {
		t.Errorf("facts %+v, want %+v", facts, want)
	}
	if first := model.Requests()[0].Messages; len(first) != 3 || first[0].Text != "before" || first[2].Text != "prompt" {
		t.Errorf("first request %+v", first)
	}
	result, err := a.Do(context.Background(), agent.Task{Prompt: "prompt", History: task.History})
	if err == nil {
		t.Fatal("a script that is used up answers")
	}
	var origins []contextwindow.Origin
	for _, e := range result.Transcript {
		if e.Unit != nil {
			origins = append(origins, e.Unit.Messages[0].Origin)
		}
	}
	if want := []contextwindow.Origin{contextwindow.History, contextwindow.History, contextwindow.Prompt}; !slices.Equal(origins, want) {
		t.Errorf("origins %q, want %q", origins, want)
	}
}

func TestNewChecksItsConfiguration(t *testing.T) {
	for name, c := range map[string]agent.Config{
		"no model":   {},
		"two tools":  {Model: offline.Script(), Tools: []tools.Tool{echo, echo}},
		"bad schema": {Model: offline.Script(), Tools: []tools.Tool{{Name: "x", Schema: json.RawMessage(`{`), Call: echo.Call}}},
	} {
		if _, err := agent.New(c); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func TestProfileOfTheBudget(t *testing.T) {
	model := offline.Script(offline.Repeat(0, offline.Text("answer")))
	for name, test := range map[string]struct {
		config agent.Config
		want   contextwindow.Budget
	}{
		"default":           {agent.Config{}, contextwindow.BudgetOf(32_000, "")},
		"profile":           {agent.Config{Profile: contextwindow.Off}, contextwindow.BudgetOf(32_000, contextwindow.Off)},
		"beside a limit":    {agent.Config{Profile: contextwindow.Off, Budget: contextwindow.Budget{Limit: 9_000}}, contextwindow.Budget{Limit: 9_000, Profile: contextwindow.Off}},
		"the budget's own":  {agent.Config{Profile: contextwindow.Off, Budget: contextwindow.Budget{Limit: 9_000, Profile: contextwindow.Wide}}, contextwindow.Budget{Limit: 9_000, Profile: contextwindow.Wide}},
		"without its limit": {agent.Config{Budget: contextwindow.Budget{Profile: contextwindow.Wide}}, contextwindow.BudgetOf(32_000, contextwindow.Wide)},
	} {
		test.config.Model = model
		a, _ := start(t, test.config)
		for e := range a.Stream(context.Background(), agent.Task{Prompt: "prompt"}) {
			if e, ok := e.(agent.Started); ok {
				e.Budget.Model, e.Budget.Ratio = "", 0 // by the model's name
				if e.Budget != test.want {
					t.Errorf("%s: %+v, want %+v", name, e.Budget, test.want)
				}
			}
		}
	}
	for _, c := range []agent.Config{{Profile: "leen"}, {Budget: contextwindow.Budget{Limit: 9_000, Profile: "leen"}}} {
		c.Model = model
		_, err := agent.New(c)
		if err == nil {
			t.Fatal("an unknown profile is taken")
		}
		for _, want := range []string{`no profile "leen"`, "nearest: lean", string(contextwindow.Off)} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v does not say %q", err, want)
			}
		}
	}
}

func TestFixedPartsLeaveNoRoom(t *testing.T) {
	for words, want := range map[int]string{100: "", 230: "warning", 450: "error"} {
		a, _ := start(t, agent.Config{Tools: []tools.Tool{echo}, Budget: contextwindow.Budget{Limit: 1_000}}, offline.Text("answer"))
		result, err := a.Run(context.Background(), strings.Repeat("wordy ", 2*words))
		got := ""
		switch {
		case err != nil:
			got = "error"
		case len(result.Warnings) > 0:
			got = "warning"
		}
		if got != want {
			t.Errorf("a prompt of %d words: %q (%v, %q), want %q", 2*words, got, err, result.Warnings, want)
		}
	}
}

func TestPromptLargerThanTheBudget(t *testing.T) {
	a, model := start(t, agent.Config{Budget: contextwindow.Budget{Limit: 1_000}}, offline.Text("never"))
	result, err := a.Run(context.Background(), strings.Repeat("word ", 5_000))
	if !errors.Is(err, contextwindow.ErrIrreducible) || result.Stop != agent.Failed || len(model.Requests()) != 0 {
		t.Errorf("%v, %s, %d requests", err, result.Stop, len(model.Requests()))
	}
}
