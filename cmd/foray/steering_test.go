package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/internal/ostest"
)

// steering has a character of each kind that steers a terminal, reorders text or is invisible.
const steering = "\x1b[31m\x1b]0;title\a\b\r\x7f\u0085\u009b31m\u061c\u200e\u200f\u202a\u202eabc\u202c\u2066\u2069" + unseen

// unseen are characters of each kind that hide text.
const unseen = "\u00ad\u180e\u200b\u200c\u200d\u2028\u2060\ufeff\U000e0041"

// steers returns the first character of an output that steers a terminal or is invisible, with what surrounds it.
func steers(output string) string {
	i := strings.IndexFunc(output, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\t' || strings.ContainsRune(unseen+"\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", r)
	})
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("%q", output[max(i-80, 0):min(i+20, len(output))])
}

// TestNothingSteers has characters that steer a terminal in all that someone else wrote: names and texts of files,
// answers, calls and errors of a model, names of models, threads and memories. Each command prints them harmlessly, in
// each format.
func TestNothingSteers(t *testing.T) {
	ostest.SkipRaced(t)
	repo, out := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"retry.go":                          "package x\n\n// Retry tries again. " + strings.ReplaceAll(steering, "\r", "") + "\nfunc Retry() {}\n",
		"retry\u202eog\u009b31m\x1b[31m.go": "package x\n\n// Retry tries again.\nfunc RetryAll() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(repo, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(steered())
	t.Cleanup(server.Close)
	another := httptest.NewServer(steered()) // which begins with the call
	t.Cleanup(another.Close)
	db := filepath.Join(out, "x.db")
	model := []string{"--model", "llamacpp/some-model", "--base-url", server.URL + "/v1"}
	for _, tt := range []struct {
		input string
		args  []string
		plain bool // without a model
	}{
		{"", []string{"explore", "-v", "--repo", repo, "where is Retry?" + steering}, true},
		{"", []string{"explore", "--format", "json", "--repo", repo, "where is Retry?" + steering}, true},
		{"", []string{"explore", "-v", "--repo", repo, "--trace", filepath.Join(out, "trace"), "where is Retry?"}, false},
		{"", []string{"explore", "--format", "json", "--repo", repo, "where is Retry?"}, false},
		{"", []string{"explore", "--format", "text", "--repo", repo, "where is Retry?"}, false},
		{"", []string{"explore", "--session", "s", "--db", db, "--repo", repo, "--model", "llamacpp/some-model", "--base-url", another.URL + "/v1", "where is Retry?" + steering}, true},
		{"", []string{"sessions", "ls", "--db", db}, true},
		{"", []string{"sessions", "show", "s", "--db", db}, true},
		{"", []string{"sessions", "show", "s", "--step", "1", "--db", db}, true},
		{"", []string{"sessions", "show", "s", "--step", "1", "--as-sent", "--db", db}, true},
		{"", []string{"insight", "--repo", repo}, true},
		{"", []string{"insight", "--format", "json", "--repo", repo}, false},
		{"hello " + steering + "\n/history\n/context\n/threads\n/task\n/pin\n/compact\n/memory\n/help\n/no" + steering + "\n", []string{"chat", "--db", db, "--repo", repo, "--thread", "t"}, false},
		{"", []string{"threads", "ls", "--db", db}, true},
		{"", []string{"threads", "ls", "--format", "json", "--db", db}, true},
		{"", []string{"threads", "show", "t", "--db", db}, true},
		{"", []string{"threads", "show", "t", "--format", "json", "--db", db}, true},
		{"", []string{"threads", "export", "t", "--db", db}, true},
		{"", []string{"memory", "add", "--db", db, "prefers tabs " + steering}, true},
		{"", []string{"memory", "ls", "--db", db}, true},
		{"", []string{"memory", "ls", "--format", "json", "--db", db}, true},
		{"", []string{"memory", "search", "tabs", "--db", db}, true},
		{"", []string{"memory", "export", "--db", db}, true},
		{"", []string{"memory", "rm", "--superseded", "--db", db}, true},
		{"", []string{"threads", "rm", "t", "--db", db}, true},
		{"", []string{"tools", "call", "list_dir", `{"path":"."}`, "--repo", repo}, true},
		{"", []string{"tools", "call", "list_dir", `{"path":"."}`, "--format", "json", "--repo", repo}, true},
		{"", []string{"tools", "call", "read_file", `{"path":"retry.go"}`, "--repo", repo}, true},
		{"", []string{"tools", "call", "search", `{"pattern":"Retry"}`, "--repo", repo}, true},
		{"", []string{"tools", "call", "outline", `{"path":"."}`, "--repo", repo}, true},
		{"", []string{"tools", "call", "repo_map", `{}`, "--repo", repo}, true},
		{"", []string{"tools", "call", "no" + steering, `{}`, "--repo", repo}, true},
		{"", []string{"doctor"}, false},
		{"", []string{"doctor", "--format", "json"}, false},
		{"", []string{"models"}, true},
		{"", []string{steering}, true},
		{"", []string{"explore", "--" + steering}, true},
		{"", []string{"explore", "--repo", repo + steering, "x"}, true},
	} {
		var output bytes.Buffer
		t.Setenv("FORAY_MODEL", "")
		args := tt.args
		if !tt.plain {
			args = append(args[:len(args):len(args)], model...)
		}
		root := newRoot()
		root.SetArgs(args)
		root.SetIn(strings.NewReader(tt.input))
		root.SetOut(&output)
		root.SetErr(&output)
		cli.PrintError(&output, root.ExecuteContext(t.Context()))
		if bad := steers(output.String()); bad != "" {
			t.Errorf("foray %q prints %s", args, bad)
		}
		if args[0] == "explore" && args[len(args)-1] == "where is Retry?"+steering && args[1] == "--format" && !strings.Contains(output.String(), `\u009b31m\u061c`) {
			t.Errorf("the question is not what was asked:\n%s", output.String())
		}
		if testing.Verbose() {
			t.Logf("foray %q:\n%s", args, output.String())
		}
	}
	raw, err := os.ReadFile(filepath.Join(out, "trace"))
	if bad := steers(string(raw)); bad != "" || err != nil || !strings.Contains(string(raw), `\u202e`) {
		t.Errorf("the trace holds %s, error %v", bad, err)
	}
}

// steered answers as a model whose texts and calls steer a terminal: first a call, then a text, then errors.
func steered() http.HandlerFunc {
	n := 0
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if r.Method == http.MethodGet {
			fmt.Fprint(w, marshalled(object{"data": []object{{"id": "some-model"}, {"id": "m" + steering}}}))
			return
		}
		switch n++; n % 3 {
		case 1:
			call := object{"index": 0, "id": "c" + steering, "function": object{"name": "read_file" + steering, "arguments": `{"path":"a` + `\u202e` + `"}`}}
			good := object{"index": 1, "id": "d", "function": object{"name": "search_code", "arguments": marshalled(object{"pattern": "Retry" + steering, "query": "x" + steering})}}
			events(w, marshalled(object{"choices": []object{{"index": 0, "delta": object{"reasoning_content": "Hm " + steering, "tool_calls": []object{call, good}}}}}))
			events(w, marshalled(object{"choices": []object{{"index": 0, "delta": object{}, "finish_reason": "tool_calls"}}}))
		case 2:
			events(w, piece(r, "It is in "+steering+" [retry.go:3]."))
			events(w, ending(r))
		default:
			jsonError(w, http.StatusBadRequest, "no "+steering)
		}
	}
}
