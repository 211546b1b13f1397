package explore_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/agent/explore/rules"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/gemini"
	"github.com/forayhq/foray/providers/openai"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools/codebase"
	sourcetree "github.com/forayhq/foray/tools/tree"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var tree = fstest.MapFS{
	"go.mod":        {Data: []byte("module example.com/m\n")},
	"retry/loop.go": {Data: []byte("package retry\n\n// Loop retries a request until it is answered.\nfunc Loop(ask func() error) error {\n\treturn ask()\n}\n")},
	"retry/wait.go": {Data: []byte("package retry\n\n// Wait says how long to wait before the next request.\nfunc Wait(n int) int { return n * 2 }\n")},
}

// A steered is a run with what its guide saw.
type steered struct {
	result *agent.Result
	steps  []agent.Step
	guide  *explore.Guide
	asked  []providers.ToolChoice
}

// steer runs a model over the tree, guided by a plan.
func steer(t *testing.T, model providers.Model, plan explore.Plan, o *explore.Options, c agent.Config) steered {
	t.Helper()
	var s steered
	c.Model = model
	c.Tools = append(c.Tools, codebase.Tools(sourcetree.Open(tree, nil), &codebase.Options{JSON: model.Info().Provider == "planner"})...)
	c.Guide = func() agent.Guide { s.guide = explore.New(plan, o); return s.guide.Next }
	a, err := agent.New(c)
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range a.Stream(t.Context(), agent.Task{Prompt: "Where are requests retried?"}) {
		switch e := e.(type) {
		case agent.RequestSent:
			s.asked = append(s.asked, e.Request.Choice)
			if err := transcript.Check(e.Request.Messages, transcript.AnyProvider); err != nil {
				t.Errorf("request %d: %v", len(s.asked), err)
			}
		case agent.StepFinished:
			s.steps = append(s.steps, e.Step)
		case agent.RunFinished:
			if s.result = e.Result; err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

// TestScriptedRun goes through all phases of the analyst, with the nudges where the model sees them.
func TestScriptedRun(t *testing.T) {
	read := func(path string) scripted.Line {
		return scripted.Calls(scripted.Call{Name: "read_file", Args: map[string]any{"path": path}})
	}
	model := scripted.New(
		scripted.Line{Text: "1. find the loop\n2. read the wait", Calls: []scripted.Call{{Name: "list_dir"}}},
		scripted.Calls(scripted.Call{Name: "search", Args: map[string]any{"pattern": "retr"}}),
		read("retry/loop.go"), read("retry/wait.go"), read("retry/loop.go"), read("retry/wait.go"),
		scripted.Calls(scripted.Call{Name: "read_file", Args: map[string]any{"path": "retry/loop.go", "limit": 2}}),
		scripted.Text("Loop retries."),
		scripted.Text("Loop retries [retry/loop.go:4], after Wait [retry/wait.go:4]."),
	)
	s := steer(t, model, explore.Analyst(), nil, agent.Config{})
	if s.result.Stop != agent.Answered || s.result.Steps != 9 || !strings.Contains(s.result.Text, "after Wait") {
		t.Errorf("%s after %d steps: %q", s.result.Stop, s.result.Steps, s.result.Text)
	}
	var phases []string
	for _, f := range s.guide.Firings() {
		phases = append(phases, fmt.Sprintf("%d %s %s", f.Step, f.Phase, f.Rule))
	}
	want := "0 SCAN planning|2 SCAN steps in the phase|5 EXPLORE reflection|7 EXPLORE nothing new|8 VERIFY text|9 SUMMARIZE text"
	if got := strings.Join(phases, "|"); got != want {
		t.Errorf("fired %s, want %s", got, want)
	}
	if got := fmt.Sprint(s.asked); got != "[required required required required required required required  none]" {
		t.Errorf("choices %s", got)
	}
	seen := model.Requests()
	for i, want := range map[int]string{0: "Phase SCAN", 2: "Phase EXPLORE", 7: "Phase VERIFY", 8: "Phase SUMMARIZE"} {
		last := seen[i].Messages[len(seen[i].Messages)-1].Text
		if !strings.Contains(last, `<note kind="status">`) || !strings.Contains(last, want) {
			t.Errorf("request %d does not say %q: %q", i+1, want, last)
		}
	}
	if q := explore.Assess(s.steps, nil); q.Evidence == 0 || q.Depth == 0 || q != s.guide.Quality() {
		t.Errorf("quality %v, of the guide %v", q, s.guide.Quality())
	}
}

// TestLoopEndsAStubbornModel holds a model to its end that calls whatever it is told.
func TestLoopEndsAStubbornModel(t *testing.T) {
	for _, plan := range []explore.Plan{explore.Analyst(), explore.Producer(), explore.Bootstrap()} {
		n := 0
		model := scripted.New(scripted.Repeat(0, scripted.Func(func(*providers.Request) scripted.Line {
			n++
			return scripted.Line{Text: "on and on", Calls: []scripted.Call{{Name: "search", Args: map[string]any{"pattern": fmt.Sprint("x", n)}}}}
		})))
		for _, limit := range []int{1, 2, 3, 9, 60} {
			s := steer(t, model, plan, nil, agent.Config{Limits: agent.Limits{Steps: limit}})
			if s.result.Steps > limit || s.result.Steps > 24 || s.result.Text == "" && s.result.Stop != agent.GuideStopped {
				t.Errorf("%s, at most %d: %d steps, %s", plan.Name, limit, s.result.Steps, s.result.Stop)
			}
		}
	}
}

// TestPlannerRun steers rules, which refuse forced tools and end with a text.
func TestPlannerRun(t *testing.T) {
	answered := func(s agent.Step) bool { return len(s.Calls) == 0 }
	for _, plan := range []explore.Plan{explore.Analyst(), explore.Producer(), explore.Bootstrap()} {
		s := steer(t, rules.New(nil), plan, &explore.Options{Answered: answered}, agent.Config{Profile: contextwindow.Off})
		if s.result.Stop != agent.Answered || !strings.Contains(s.result.Text, "retry/loop.go") {
			t.Errorf("%s: %s: %q", plan.Name, s.result.Stop, s.result.Text)
		}
		for _, choice := range s.asked {
			if choice == providers.Required {
				t.Errorf("%s: the planner was to be forced", plan.Name)
			}
		}
	}
}

// TestWireRuns steers models behind servers of two dialects that refuse to force a call: it is asked for once, and the run
// goes on with the model's own choice.
func TestWireRuns(t *testing.T) {
	for name, test := range map[string]struct {
		forced string // in the body of a request that forces a call
		none   string // in the body of one that allows none
		answer func(w http.ResponseWriter, n int, text string)
		model  func(address string, client *http.Client) (providers.Model, error)
	}{
		"openai": {
			forced: `"tool_choice":"required"`, none: `"tool_choice":"none"`, answer: openaiAnswer,
			model: func(address string, client *http.Client) (providers.Model, error) {
				return openai.New(openai.Config{Name: "m", BaseURL: address + "/v1", Key: "sk-test", HTTPClient: client})
			},
		},
		"gemini": {
			forced: `"mode":"ANY"`, none: `"mode":"NONE"`, answer: geminiAnswer,
			model: func(address string, client *http.Client) (providers.Model, error) {
				return gemini.New(gemini.Config{Name: "m", BaseURL: address, Key: "test", HTTPClient: client})
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			forced, calls := 0, 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var body json.RawMessage
				if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
					t.Error(err)
				}
				switch text := string(body); {
				case strings.Contains(text, test.forced):
					forced++
					w.WriteHeader(http.StatusBadRequest)
					fmt.Fprint(w, `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"tool_choice (function calling config) is not supported"}}`)
				case strings.Contains(text, test.none) || !strings.Contains(text, "list_dir"):
					test.answer(w, 0, "Loop retries [retry/loop.go:4].")
				default:
					calls++
					test.answer(w, calls, "")
				}
			}))
			defer server.Close()
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			model, err := test.model(server.URL, &http.Client{Transport: transport})
			if err != nil {
				t.Fatal(err)
			}
			s := steer(t, model, explore.Analyst(), nil, agent.Config{})
			if s.result.Stop != agent.Answered || s.result.Text != "Loop retries [retry/loop.go:4]." || forced != 1 {
				t.Errorf("%s, %q, %d requests forced a call; warnings %q", s.result.Stop, s.result.Text, forced, s.result.Warnings)
			}
			if last := s.asked[len(s.asked)-1]; last != providers.None || calls < 3 {
				t.Errorf("asked %q, %d calls", s.asked, calls)
			}
		})
	}
}

func openaiAnswer(w http.ResponseWriter, n int, text string) {
	w.Header().Set("Content-Type", "text/event-stream")
	delta, finish := fmt.Sprintf(`{"content":%q}`, text), "stop"
	if text == "" {
		delta = fmt.Sprintf(`{"tool_calls":[{"index":0,"id":"c%d","type":"function","function":{"name":"search","arguments":"{\"pattern\":\"p%d\"}"}}]}`, n, n)
		finish = "tool_calls"
	}
	fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", delta)
	fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\ndata: [DONE]\n\n", finish)
}

func geminiAnswer(w http.ResponseWriter, n int, text string) {
	w.Header().Set("Content-Type", "text/event-stream")
	part := fmt.Sprintf(`{"text":%q}`, text)
	if text == "" {
		part = fmt.Sprintf(`{"functionCall":{"name":"search","args":{"pattern":"p%d"}}}`, n)
	}
	fmt.Fprintf(w, "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[%s]},\"finishReason\":\"STOP\"}]}\n\n", part)
}

// A message that is sent while the model works joins the run.
func TestMessageForARun(t *testing.T) {
	inbox := &agent.Inbox{}
	model := scripted.New(
		scripted.Func(func(*providers.Request) scripted.Line {
			inbox.Send("mind the wait, too")
			return scripted.Calls(scripted.Call{Name: "read_file", Args: map[string]any{"path": "retry/loop.go"}})
		}),
		scripted.Func(func(req *providers.Request) scripted.Line {
			for _, m := range req.Messages {
				if m.Role == transcript.User && strings.Contains(m.Text, "mind the wait, too") {
					return scripted.Text("`Wait` waits [retry/wait.go:4].")
				}
			}
			return scripted.Text("`Loop` asks [retry/loop.go:4-6].")
		}))
	got, err := (&explore.Tree{Files: tree, Dir: "/tree"}).Run(t.Context(), model, where, &explore.RunOptions{Inbox: inbox})
	if err != nil || got.Text != "`Wait` waits [retry/wait.go:4]." || len(got.Run.Unread) > 0 {
		t.Errorf("%q, not read %q, %v", got.Text, got.Run.Unread, err)
	}
}
