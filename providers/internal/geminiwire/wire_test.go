package geminiwire_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/aimock"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/gemini"
	"github.com/forayhq/foray/providers/generativeai"
	"github.com/forayhq/foray/providers/internal/geminitest"
	"github.com/forayhq/foray/providers/providertest"
	"github.com/forayhq/foray/tools"
)

// dialects are the models that speak the wire, and how each sends the arguments of a call again: as they came, or in the
// order of their names.
var dialects = map[string]struct {
	model     func(address string, c *http.Client) (providers.Model, error)
	older     bool
	arguments string
}{
	"gemini": {
		model: func(address string, c *http.Client) (providers.Model, error) {
			return gemini.New(gemini.Config{Name: "gemini-3-pro-preview", BaseURL: address, Key: geminitest.Key, HTTPClient: c})
		},
		arguments: `{"query":"level %[1]d","limit":%[1]d}`,
	},
	"generativeai": {
		model: func(address string, c *http.Client) (providers.Model, error) {
			return generativeai.New(generativeai.Config{Name: "gemini-2.5-flash", BaseURL: address, Key: geminitest.Key, HTTPClient: c})
		},
		older:     true,
		arguments: `{"limit":%[1]d,"query":"level %[1]d"}`,
	},
}

// TestWireRun has each dialect run the loop for twelve steps, two calls each, against a server that others wrote, and
// reads what arrived there. Every request is held to the protos of the service on its way.
func TestWireRun(t *testing.T) {
	for name, dialect := range dialects {
		t.Run(name, func(t *testing.T) {
			address := aimock.Start(t, "testdata/wire.json")
			client := providertest.Client(t)
			client.Transport = &checked{t, client.Transport, dialect.older}
			model, err := dialect.model(address, client)
			if err != nil {
				t.Fatal(err)
			}
			explore(t, model)
			arrived(t, aimock.Journal(t, address), dialect.arguments)
			wireFaults(t, model)
		})
	}
}

// explore runs the loop.
func explore(t *testing.T, model providers.Model) {
	read := tools.New("read", "Read a file.", func(_ context.Context, in struct {
		Path string `json:"path"`
	}) (string, error) {
		return "text of " + in.Path, nil
	})
	search := tools.New("search", "Search the files.", func(_ context.Context, in struct {
		Query string `json:"query"`
		Limit int    `json:"limit"`
	}) (string, error) {
		if in.Limit == 3 {
			return "", errors.New("no such index")
		}
		return fmt.Sprintf("%d hits of %s", in.Limit, in.Query), nil
	})
	a, err := agent.New(agent.Config{Model: model, System: "You read code.", Tools: []tools.Tool{read, search}})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Run(t.Context(), "How is a level chosen?")
	if err != nil {
		t.Fatal(err)
	}
	if result.Text != "By usage [policy.go:12-30]. 级别 🙂" || result.Stop != agent.Answered || result.Steps != 12 || len(result.Tools) != 22 {
		t.Errorf("%s after %d steps and %d calls: %q", result.Stop, result.Steps, len(result.Tools), result.Text)
	}
}

// A checked is a transport that holds requests to the protos.
type checked struct {
	t     *testing.T
	under http.RoundTripper
	older bool
}

func (c *checked) RoundTrip(req *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	if err := geminitest.Check(req, raw, c.older); err != nil {
		c.t.Errorf("the request is not the service's: %v\n%s", err, raw)
	}
	req = req.Clone(req.Context())
	req.Body = io.NopCloser(bytes.NewReader(raw))
	return c.under.RoundTrip(req)
}

// arrived compares the last request of a journal with what was meant: the calls as the server made them, and behind
// them their results.
func arrived(t *testing.T, requests []aimock.Request, arguments string) {
	var asked int
	var body struct {
		Messages []struct {
			Role, Content string
			ToolCalls     []struct {
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
	}
	for _, r := range requests {
		if strings.HasSuffix(r.Path, ":streamGenerateContent") || strings.Contains(r.Path, ":streamGenerateContent?") {
			asked++
			if err := json.Unmarshal(r.Body, &body); err != nil {
				t.Fatal(err)
			}
		}
		if raw, _ := json.Marshal(r); strings.Contains(r.Path, "key=") || strings.Contains(string(r.Body), geminitest.Key) {
			t.Errorf("the key is in a request: %s", raw)
		}
	}
	var got []string
	for _, m := range body.Messages {
		text, _, _ := strings.Cut(m.Content, "\n")
		for _, c := range m.ToolCalls {
			text = strings.TrimSpace(fmt.Sprintf("%s %s%s", text, c.Function.Name, c.Function.Arguments))
		}
		got = append(got, strings.TrimSpace(m.Role+" "+text))
	}
	want := []string{"system You read code.", "user How is a level chosen?"}
	for i, path := range strings.Fields("plan.go fit.go docs/日本.md quota.go policy.go undo.go fold.go mark.go load.go meter.go note.go") {
		said := map[bool]string{true: "Let me look. "}[i == 0]
		found := fmt.Sprintf(`{"output":"%d hits of level %d"}`, i, i)
		if i == 3 {
			found = `{"error":"no such index"}`
		}
		want = append(want,
			fmt.Sprintf(`assistant %sread{"path":"%s"} search`, said, path)+fmt.Sprintf(arguments, i),
			fmt.Sprintf(`tool {"output":"text of %s"}`, path), "tool "+found)
	}
	if diff := cmp.Diff(want, got); diff != "" || asked != 12 {
		t.Errorf("the last of %d requests (-want +got):\n%s", asked, diff)
	}
}

// wireFaults makes the server fail in all the ways that it knows.
func wireFaults(t *testing.T, m providers.Model) {
	for text, want := range map[string]providers.Error{
		"Too much":   {Class: providers.Rate, RetryAfter: time.Second, Status: 429},
		"Too long":   {Class: providers.Overflow, Limit: 8192, Tokens: 9021, Status: 400},
		"Break off":  {Class: providers.Network},
		"Disconnect": {Class: providers.Network},
		"Malformed":  {Class: providers.Malformed},
	} {
		_, err := providers.Ask(t.Context(), m, &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: text}}})
		var e *providers.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: error %v", text, err)
			continue
		}
		if got := (providers.Error{Class: e.Class, Status: e.Status, RetryAfter: e.RetryAfter, Limit: e.Limit, Tokens: e.Tokens}); got != want {
			t.Errorf("%s: %+v (%v), want %+v", text, got, err, want)
		}
	}
}
