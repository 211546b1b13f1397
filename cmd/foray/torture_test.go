package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forayhq/foray/cmd/foray/internal/sessions"
	"github.com/forayhq/foray/internal/ostest"
)

// A pager is a model's server whose answers follow from the request alone: it reads each file, then answers.
type pager struct {
	mu     sync.Mutex
	bodies []string
}

// pagerSteps is how many files the model reads, one a step.
const pagerSteps = 12

func (p *pager) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.NotFound(w, r)
		return
	}
	p.mu.Lock()
	p.bodies = append(p.bodies, string(body))
	p.mu.Unlock()
	n := strings.Count(string(body), `"role":"tool"`)
	delta, finish := object{"content": "It is computed in parts [part0.py:1] [part11.py:2]."}, "stop"
	if n < pagerSteps {
		delta, finish = object{"tool_calls": []object{{"index": 0, "id": fmt.Sprintf("c%d", n), "type": "function", "function": object{
			"name": "read_file", "arguments": fmt.Sprintf(`{"path":"part%d.py"}`, n)}}}}, "tool_calls"
	}
	events(w, marshalled(object{"choices": []object{{"index": 0, "delta": delta}}}))
	events(w, marshalled(object{"choices": []object{{"index": 0, "delta": object{}, "finish_reason": finish}}}))
	events(w, marshalled(object{"choices": []object{}, "usage": object{"prompt_tokens": len(body) / 4, "completion_tokens": 20}}))
	events(w, "[DONE]")
}

// sent returns the requests since the last call.
func (p *pager) sent() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.bodies
	p.bodies = nil
	return all
}

// TestTortureExplore kills foray explore with SIGKILL at random moments, and resumes it until it ends: the report is
// that of an undisturbed run, and so is each request, byte for byte. FORAY_TORTURE is how often it kills at least.
func TestTortureExplore(t *testing.T) {
	kills := 4
	if n, err := strconv.Atoi(os.Getenv("FORAY_TORTURE")); err == nil {
		kills = n
	} else if testing.Short() || ostest.RaceDetector {
		t.Skip("starts many processes, one after another")
	}
	t.Parallel()
	dir, model := t.TempDir(), new(pager)
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)
	repo := filepath.Join(dir, "shop")
	must(t, os.Mkdir(repo, 0o755))
	for i := range pagerSteps {
		text := strings.Repeat(fmt.Sprintf("total = part(%d)  # adds one of the parts\n", i), 60)
		must(t, os.WriteFile(filepath.Join(repo, fmt.Sprintf("part%d.py", i)), []byte(text), 0o644))
	}
	foray := func(db string, args ...string) *exec.Cmd {
		cmd := exec.Command("foray", append(args, "--db", filepath.Join(dir, db))...)
		cmd.Env = append(os.Environ(), "OPENAI_API_KEY=sk-torture", "FORAY_MODEL=")
		return cmd
	}
	begin := []string{"explore", "--repo", repo, "--model", "openai/gpt-4.1", "--base-url", server.URL + "/v1", "--session", "s",
		"How is the total computed?"}
	started := time.Now()
	out, err := foray("whole.db", begin...).Output()
	whole, want := time.Since(started), spans.ReplaceAllString(string(out), "TIME")
	undisturbed := model.sent()
	if err != nil || len(undisturbed) != pagerSteps+1 || !strings.Contains(want, "13 steps, 12 calls") {
		t.Fatalf("%v after %d requests:\n%s", err, len(undisturbed), out)
	}
	checkAsSent(t, foray, undisturbed)
	random := rand.New(rand.NewPCG(19, 4))
	killed, resumed := 0, 0
	for round := 0; killed < kills; round++ {
		db, args := fmt.Sprintf("%d.db", round), begin
		for {
			cmd := foray(db, args...)
			var text strings.Builder
			cmd.Stdout = &text
			must(t, cmd.Start())
			timer := time.AfterFunc(time.Duration(random.Int64N(int64(whole))), func() { _ = cmd.Process.Kill() })
			err := cmd.Wait()
			timer.Stop()
			for _, body := range model.sent() {
				if !slices.Contains(undisturbed, body) {
					t.Fatalf("after %d kills, a request that the undisturbed run did not send:\n%s", killed, body)
				}
			}
			if err == nil {
				if got := spans.ReplaceAllString(text.String(), "TIME"); got != want {
					t.Fatalf("after %d kills:\n%s\nwant\n%s", killed, got, want)
				}
				break
			}
			if ended := (*exec.ExitError)(nil); !errors.As(err, &ended) || ended.ExitCode() >= 0 {
				t.Fatalf("%v: %v", args, err)
			}
			killed++
			if list, err := foray(db, "sessions", "ls").Output(); err == nil && strings.Contains(string(list), "\ns ") {
				args = []string{"sessions", "resume", "s"}
				resumed++
			}
		}
	}
	t.Logf("killed %d times, %d of them within a run, which was resumed", killed, resumed)
}

// checkAsSent compares what sessions show --as-sent rebuilds with the requests that arrived.
func checkAsSent(t *testing.T, foray func(string, ...string) *exec.Cmd, bodies []string) {
	t.Helper()
	for _, n := range []int{1, 2, len(bodies)} {
		out, err := foray("whole.db", "sessions", "show", "s", "--as-sent", "--step", strconv.Itoa(n)).Output()
		var sent sessions.Sent
		var body struct {
			Messages []struct{ Role, Content string }
			Tools    []any
		}
		if err := errors.Join(err, json.Unmarshal(out, &sent), json.Unmarshal([]byte(bodies[n-1]), &body)); err != nil {
			t.Fatal(err)
		}
		if len(body.Messages) != len(sent.Messages)+1 || len(body.Tools) != len(sent.Tools) {
			t.Fatalf("step %d: %d messages and %d tools, sent %d and %d", n, len(sent.Messages), len(sent.Tools),
				len(body.Messages)-1, len(body.Tools))
		}
		for i, m := range sent.Messages {
			if got := body.Messages[i+1]; got.Content != m.Text || got.Role != string(m.Role) {
				t.Errorf("step %d, message %d: %s %q, sent %q", n, i, m.Role, m.Text, got.Content)
			}
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
