package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/internal/aimock"
)

// wireKey is the key of the wire run; it may be in a header that arrives, and nowhere else.
const wireKey = "sk-wire-0123456789abcdef"

// wireSteps is how often the model of the wire run calls tools, two at a time, before it reports.
const wireSteps = 11

// TestWireExplore explores with the program itself against a server that others wrote, over each wire: eleven steps of
// parallel calls and a report. It records the run, replays it with no server, and compares report and trace.
func TestWireExplore(t *testing.T) {
	for _, tt := range []struct{ wire, model, variable, base, path string }{
		{"chat", "openai/gpt-5", "OPENAI_API_KEY", "/v1", "/v1/chat/completions"},
		{"responses", "xai/grok-4", "XAI_API_KEY", "/v1", "/v1/responses"},
		{"gemini", "gemini/gemini-2.5-flash", "GEMINI_API_KEY", "", ":streamGenerateContent"},
		{"generativeai", "generativeai/gemini-2.5-flash", "GOOGLE_API_KEY", "", ":streamGenerateContent"},
	} {
		t.Run(tt.wire, func(t *testing.T) {
			dir := wireTree(t, tt.wire == "responses")
			address := aimock.Start(t, filepath.Join(dir, "fixtures.json"))
			run := func(name string, args ...string) wireRun {
				args = append([]string{"explore", "--repo", filepath.Join(dir, "shop"), "--trace", filepath.Join(dir, name)}, args...)
				cmd := exec.Command("foray", append(args, "How is the total computed?")...)
				cmd.Env = append(os.Environ(), "FORAY_MODEL=", "OPENAI_BASE_URL=", tt.variable+"="+wireKey)
				var stderr strings.Builder
				cmd.Stderr = &stderr
				report, err := cmd.Output()
				if err != nil {
					t.Fatalf("%s: %v\n%s", name, err, &stderr)
				}
				return wireRun{timeless(string(report)), readTraceFile(t, filepath.Join(dir, name)), stderr.String()}
			}
			recording := filepath.Join(dir, "run.rec")
			recorded := run("recorded.jsonl", "--model", tt.model, "--base-url", address+tt.base, "--record", recording)
			wireArrived(t, tt.path, aimock.Journal(t, address))
			for _, want := range []string{
				"\nIt is a sum. 合计 🙂 [cart.py:3]\n", fmt.Sprintf("\n%d steps, %d calls, ", wireSteps+1, 2*wireSteps+1), ", " + tt.model + "\n", "\n- cart.py:2-3\n",
			} {
				if !strings.Contains(recorded.report, want) {
					t.Errorf("no %q in the report:\n%s", want, recorded.report)
				}
			}
			replayed := run("replayed.jsonl", "--replay", recording)
			if diff := cmp.Diff(recorded.report, replayed.report); diff != "" {
				t.Errorf("the report (-recorded +replayed):\n%s", diff)
			}
			if diff := cmp.Diff(recorded.trace, replayed.trace); diff != "" || len(recorded.trace) < 5*wireSteps {
				t.Errorf("the trace of %d lines (-recorded +replayed):\n%s", len(recorded.trace), diff)
			}
			raw, err := os.ReadFile(recording)
			if all := fmt.Sprint(recorded, replayed, string(raw)); err != nil || strings.Contains(all, wireKey) {
				t.Errorf("the key is in what the run left, or %v", err)
			}
		})
	}
}

// A wireRun is what a run left, without its times.
type wireRun struct {
	report string
	trace  []string
	stderr string
}

// wireTree makes a tree to explore and the fixtures of a server that explores it.
func wireTree(t *testing.T, byID bool) string {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	type call struct {
		Name string `json:"name"`
		Args string `json:"arguments"`
		ID   string `json:"id"`
	}
	type object = map[string]any
	var fixtures []object
	turn := func(calls ...call) { // the server counts turns of the responses wire by calls
		match := object{"userMessage": "How is the total computed?", "turnIndex": len(fixtures)}
		switch {
		case byID && len(fixtures) == 0:
			match = object{"userMessage": "How is the total computed?", "hasToolResult": false}
		case byID:
			match = object{"userMessage": "How is the total computed?", "toolCallId": fmt.Sprintf("call-%d-b", len(fixtures)-1)}
		}
		fixtures = append(fixtures, object{"match": match, "response": object{"toolCalls": calls}})
	}
	write("shop/cart.py", "items = []\ndef total():\n    return sum(items)\n")
	for i := range wireSteps {
		write(fmt.Sprintf("shop/docs/页%d.md", i), strings.Repeat(fmt.Sprintf("Line of page %d about the total.\n", i), 8))
		turn(call{"read_file", fmt.Sprintf(`{"path": "docs/页%d.md"}`, i), fmt.Sprintf("call-%d-a", i)},
			call{"search", fmt.Sprintf(`{"pattern":"page %d about"}`, i), fmt.Sprintf("call-%d-b", i)})
	}
	turn(call{"report", `{"found":true,"summary":[{"text":"It is a sum. 合计 🙂","citations":["cart.py:3"]}],"places":[{"path":"cart.py","start":2,"end":3}]}`, "call-r"})
	raw, err := json.Marshal(object{"fixtures": fixtures})
	if err != nil {
		t.Fatal(err)
	}
	write("fixtures.json", string(raw))
	return dir
}

var durations = regexp.MustCompile(`, \d[\d.ms]*s, (?:no revision|revision)`)

// timeless is a report without the time that it took.
func timeless(report string) string { return durations.ReplaceAllString(report, ", TIME, revision") }

var lineTimes = regexp.MustCompile(`,?"(seq|ms|duration_ms)":\d+|,"time":"[^"]*"`)

// readTraceFile returns the lines of a trace without times. The ends of calls that run side by side come in any order,
// so the lines of one step are sorted.
func readTraceFile(t *testing.T, path string) []string {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(lineTimes.ReplaceAllString(string(raw), "")), "\n")
	for from := 0; from < len(lines); {
		to := from + 1
		for to < len(lines) && strings.Contains(lines[from], `"event":"tool_`) && strings.Contains(lines[to], `"event":"tool_`) {
			to++
		}
		slices.Sort(lines[from:to])
		from = to
	}
	return lines
}

// wireArrived looks at what the server saw: one request a step on the wire that was meant, in each all calls before it.
func wireArrived(t *testing.T, path string, requests []aimock.Request) {
	asked := 0
	for _, r := range requests {
		raw, err := json.Marshal(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(r.Path, wireKey) || strings.Contains(string(raw), wireKey) {
			t.Errorf("the key is in the request %s", r.Path)
		}
		if r.Method != "POST" || !strings.Contains(r.Path, path) {
			continue
		}
		if got := strings.Count(string(raw), "docs/页"); asked > 0 && got < asked {
			t.Errorf("request %d holds %d pages: %s", asked+1, got, raw)
		}
		asked++
	}
	if asked != wireSteps+1 {
		t.Errorf("%d requests to %s, of %d", asked, path, len(requests))
	}
}

// TestWirePicture chats with the program itself about a picture: it arrives with its message and again with the next
// one, the thread names it, and what is none is refused with a word.
func TestWirePicture(t *testing.T) {
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, "my flow.png"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(png.Encode(file, image.NewGray(image.Rect(0, 0, 400, 300))), file.Close()); err != nil {
		t.Fatal(err)
	}
	var bodies []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		if strings.HasSuffix(r.URL.Path, "/chat/completions") {
			bodies = append(bodies, string(raw))
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"A diagram."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()
	cmd := exec.Command("foray", "chat", "--repo", dir, "--db", filepath.Join(dir, "c.db"), "--model", "openai/gpt-4o", "--base-url", server.URL+"/v1")
	cmd.Env = append(os.Environ(), "FORAY_MODEL=", "OPENAI_API_KEY="+wireKey)
	cmd.Stdin = strings.NewReader("/image " + strings.ReplaceAll(file.Name(), " ", `\ `) + "\nWhat is it?\n/image gone.png\nSure?\n/history\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		"my flow.png, PNG, 400×300 pixels, about 255 tokens: goes with your next message\n", "there is no file gone.png",
		"1 user: What is it? [picture: my flow.png, PNG, 400×300 pixels]\n", "3 user: Sure?\n",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if len(bodies) != 2 {
		t.Fatalf("%d requests", len(bodies))
	}
	for i, body := range bodies {
		if n := strings.Count(body, `{"type":"image_url","image_url":{"url":"data:image/png;base64,`); n != 1 {
			t.Errorf("request %d has %d pictures", i+1, n)
		}
	}
}
