package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"
)

// maxTurns is more than any script asks of a server.
const maxTurns = 100

// A modelServer answers as a model's server, or as something that is none.
type modelServer struct {
	asked <-chan struct{} // gets a value with each request
	cmd   *exec.Cmd       // that was interrupted

	receiver *otlpReceiver // of spans and metrics; nil: none

	facts map[string]string // by path: what the server answers about itself
}

func startServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: server KIND [FILE]")
	}
	state := ts.Value("server").(*modelServer)
	asked := make(chan struct{}, maxTurns)
	state.asked = asked
	var answer http.HandlerFunc
	switch args[0] {
	case "html":
		answer = func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<!doctype html><title>Welcome</title>") }
	case "unauthorized":
		answer = func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s","code":"invalid_api_key"}}`, r.Header.Get("Authorization"))
		}
	case "loading":
		state.facts = nil
		answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }
	case "vectors":
		answer = vectors
	case "says":
		answer = says(strings.Split(strings.TrimSpace(ts.ReadFile(args[1])), "\n"))
	case "claude":
		answer = claude(strings.Split(strings.TrimSpace(ts.ReadFile(args[1])), "\n"))
	default:
		ts.Fatalf("there is no server that %s", args[0])
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // or the end of the request would not be noticed
		r.Body = io.NopCloser(bytes.NewReader(body))
		if facts, ok := state.facts[r.URL.Path]; ok {
			fmt.Fprint(w, facts)
			return
		}
		if r.Method == http.MethodPost && r.URL.Path == "/api/show" {
			http.NotFound(w, r)
			return
		}
		asked <- struct{}{}
		answer(w, r)
	}))
	ts.Defer(server.Close)
	name := "BASE"
	if len(args) == 3 {
		name = args[2]
	}
	ts.Setenv(name, server.URL+"/v1")
}

// vectors answers as an embedding model that knows a few words by their subjects.
func vectors(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || !strings.HasSuffix(r.URL.Path, "/embeddings") {
		http.NotFound(w, r)
		return
	}
	var data []object
	for i, text := range asked.Input {
		v := make([]float32, 8)
		v[2+len(text)%6] = .1
		for subject, words := range []string{"ship deploy", "food allergic"} {
			for word := range strings.FieldsSeq(words) {
				if strings.Contains(strings.ToLower(text), word) {
					v[subject]++
				}
			}
		}
		data = append(data, object{"index": i, "embedding": v})
	}
	json.NewEncoder(w).Encode(object{"data": data})
}

// startFacts sets what servers answer about themselves at a path.
func startFacts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: facts PATH FILE")
	}
	state := ts.Value("server").(*modelServer)
	facts := maps.Clone(state.facts)
	if facts == nil {
		facts = map[string]string{}
	}
	facts[args[0]] = ts.ReadFile(args[1])
	state.facts = facts
}

// says answers each request with the next turn: a line "call NAME {json}", "text words", "fail STATUS WAIT BODY", which
// asks to wait for so many seconds, or for nothing with -, or "hang", which waits for the end of the request. In front
// may stand "list NAMES...", the models of the server, and "cached N", the tokens of each request that are cached.
func says(turns []string) http.HandlerFunc {
	var n atomic.Int32
	var names []string
	cached := 0
	for ; ; turns = turns[1:] {
		kind, rest, _ := strings.Cut(turns[0], " ")
		if kind == "list" {
			names = strings.Fields(rest)
		} else if kind == "cached" {
			cached, _ = strconv.Atoi(rest)
		} else {
			break
		}
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			listModels(w, names)
			return
		}
		i := int(n.Add(1)) - 1
		if i >= len(turns) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		kind, rest, _ := strings.Cut(turns[i], " ")
		delta, finish := object{"content": strings.ReplaceAll(rest, `\n`, "\n")}, "stop"
		switch kind {
		case "hang":
			<-r.Context().Done()
			return
		case "fail":
			failing(w, rest)
			return
		case "call":
			name, args, _ := strings.Cut(rest, " ")
			delta = object{"tool_calls": []object{{
				"index": 0, "id": fmt.Sprintf("c%d", i), "type": "function", "function": object{"name": name, "arguments": args},
			}}}
			finish = "tool_calls"
		}
		if r.URL.Path == "/api/chat" {
			native(w, delta)
			return
		}
		events(w, marshalled(object{"choices": []object{{"index": 0, "delta": delta}}}))
		events(w, marshalled(object{"choices": []object{{"index": 0, "delta": object{}, "finish_reason": finish}}}))
		events(w, marshalled(object{"choices": []object{}, "usage": object{
			"prompt_tokens": 1000, "completion_tokens": 50, "prompt_tokens_details": object{"cached_tokens": cached},
		}}))
		events(w, "[DONE]")
	}
}

// native answers as Ollama's own API.
func native(w http.ResponseWriter, delta object) {
	message := object{"role": "assistant", "content": delta["content"]}
	if calls, ok := delta["tool_calls"].([]object); ok {
		f := calls[0]["function"].(object)
		message["tool_calls"] = []object{{"function": object{
			"name": f["name"], "arguments": json.RawMessage(f["arguments"].(string)),
		}}}
	}
	fmt.Fprintln(w, marshalled(object{"message": message, "done": true, "done_reason": "stop",
		"prompt_eval_count": 1000, "eval_count": 50}))
}

// listModels names the models of a server, if it does.
func listModels(w http.ResponseWriter, names []string) {
	if names == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	var list []object
	for _, name := range names {
		list = append(list, object{"id": name})
	}
	fmt.Fprint(w, marshalled(object{"data": list}))
}

// failing answers with an error: STATUS WAIT BODY.
func failing(w http.ResponseWriter, text string) {
	status, rest, _ := strings.Cut(text, " ")
	wait, body, _ := strings.Cut(rest, " ")
	if wait != "-" {
		w.Header().Set("Retry-After", wait)
	}
	code, _ := strconv.Atoi(status)
	w.WriteHeader(code)
	fmt.Fprint(w, body)
}

// claude answers the Messages API: each request with the next turn, a line as for says, with "compact" in front if the
// service compacts before it. It refuses a compaction that is not first, not whole, or not asked for.
func claude(turns []string) http.HandlerFunc {
	const block = `{"content":"Summary: <b>","encrypted_content":"Eu+/=","type":"compaction"}`
	var n atomic.Int32
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asks := strings.Contains(string(body), `"edits":[{"type":"compact_20260112","trigger":{"type":"input_tokens","value":100000}}]`)
		blocks := strings.Count(string(body), `"type":"compaction"`)
		first := strings.Contains(string(body), `"messages":[{"role":"assistant","content":[`+block)
		if i := int(n.Add(1)) - 1; i >= len(turns) || asks != strings.Contains(r.Header.Get("anthropic-beta"), "compact-2026-01-12") ||
			blocks > 0 && (!asks || !first || blocks > 1) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, marshalled(object{"type": "error", "error": object{"type": "invalid_request_error", "message": "out of place"}}))
			return
		}
		turn, compacts := strings.CutPrefix(turns[n.Load()-1], "compact ")
		usage, content, reason := object{"input_tokens": 20_000, "output_tokens": 50}, []any{}, "end_turn"
		if compacts && asks {
			content = append(content, json.RawMessage(block))
			usage["iterations"] = []object{{"type": "compaction", "input_tokens": 100_000, "output_tokens": 900},
				{"type": "message", "input_tokens": 20_000, "output_tokens": 50}}
		}
		kind, rest, _ := strings.Cut(turn, " ")
		switch kind {
		case "hang":
			<-r.Context().Done()
			return
		case "call":
			name, args, _ := strings.Cut(rest, " ")
			content = append(content, object{"type": "tool_use", "id": fmt.Sprint("toolu_", n.Load()), "name": name, "input": json.RawMessage(args)})
			reason = "tool_use"
		default:
			content = append(content, object{"type": "text", "text": rest})
		}
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(object{"type": "message", "content": content, "stop_reason": reason, "usage": usage})
	}
}
