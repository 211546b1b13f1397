package openai_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/openai"
	"github.com/forayhq/foray/providers/providertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// key is the key of the tests; no error may show it.
const key = "sk-test-0123456789abcdef"

// newModel returns a model at url, whose connections end with the test.
func newModel(t testing.TB, url string, change ...func(*openai.Config)) *openai.Model {
	t.Helper()
	c := openai.Config{Name: "model-1", BaseURL: url + "/v1", Key: key, HTTPClient: providertest.Client(t)}
	if _, bench := t.(*testing.B); !bench {
		c.HTTPClient.Transport = validator{t, c.HTTPClient.Transport}
	}
	for _, f := range change {
		f(&c)
	}
	m, err := openai.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// onResponses has a model use the responses wire; of a server on this machine it is chat otherwise.
func onResponses(c *openai.Config) { c.Wire = openai.Responses }

// serve returns a model whose server answers with handler.
func serve(t testing.TB, handler http.HandlerFunc, change ...func(*openai.Config)) *openai.Model {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return newModel(t, server.URL, change...)
}

func TestContract(t *testing.T) {
	for _, form := range []string{"openai", "openrouter", "responses", "responses bare"} {
		t.Run(form, func(t *testing.T) {
			model := func(t *testing.T, turns []providertest.Turn, change ...func(*openai.Config)) providers.Model {
				return serve(t, providertest.Turns(t, turns, func(w http.ResponseWriter, r *http.Request, turn providertest.Turn) {
					service{w, r, form, turn}.answer()
				}), change...)
			}
			suite := providertest.Suite{
				Choices: map[providers.ToolChoice]string{
					providers.Required: "tool_choice\nrequired", providers.None: "tool_choice\nnone", providers.Auto: "",
				},
				TextSignature: form != "openai",
				Structured:    true,
				New:           func(t *testing.T, turns ...providertest.Turn) providers.Model { return model(t, turns) },
			}
			if strings.HasPrefix(form, "responses") {
				suite.New = func(t *testing.T, turns ...providertest.Turn) providers.Model { return model(t, turns, onResponses) }
				suite.Compacting = func(t *testing.T, turns ...providertest.Turn) providers.Model {
					return model(t, turns, onResponses, compacting)
				}
			}
			providertest.Run(t, suite)
		})
	}
}

// compacting has the service compact.
func compacting(c *openai.Config) { c.Compact = 20_000 }

// A service answers one request of the suite on one of the wires, in the form of one of its servers.
type service struct {
	w    http.ResponseWriter
	r    *http.Request
	form string
	turn providertest.Turn
}

// refusals are the answers of the errors by class; Rate, Transient and Overflow have more to say.
var refusals = map[providers.Class]struct {
	status int
	body   string
}{
	providers.Auth:      {401, `{"error":{"message":"Incorrect API key provided: ` + key + `","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`},
	providers.Invalid:   {404, `{"error":{"message":"The model does not exist","type":"invalid_request_error","code":"model_not_found"}}`},
	providers.Overflow:  {400, `{"error":{"message":"This model's maximum context length is %d tokens. However, your messages resulted in %d tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}`},
	providers.Rate:      {429, `{"error":{"message":"Rate limit reached","type":"tokens","code":"rate_limit_exceeded"}}`},
	providers.Transient: {503, `{"error":{"message":"The engine is overloaded","type":"server_error"}}`},
	providers.Refused:   {400, `{"error":{"message":"The response was filtered","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`},
	providers.Malformed: {200, "<!doctype html><title>Welcome</title>"},
}

func (s service) answer() {
	raw, _ := io.ReadAll(s.r.Body)
	if fault := providertest.Missing(strings.Join(told(raw), "\n"), s.turn); fault != "" {
		s.w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(s.w, `{"error":{"message":%q}}`, fault)
		return
	}
	inside := len(s.turn.Text) > 0
	if s.turn.Class != "" && !inside {
		s.refuse()
		return
	}
	s.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	events := s.events
	if strings.HasPrefix(s.form, "responses") {
		events = s.responsesEvents
	}
	providertest.Write(s.w, s.r, s.turn, events())
}

func (s service) refuse() {
	refusal := refusals[s.turn.Class]
	if s.turn.Wait > 0 {
		s.w.Header().Set("Retry-After", fmt.Sprint(s.turn.Wait.Seconds()))
	}
	s.w.WriteHeader(refusal.status)
	body := refusal.body
	if s.turn.Limit > 0 {
		body = fmt.Sprintf(body, s.turn.Limit, s.turn.Tokens)
	}
	fmt.Fprint(s.w, body)
}

// object is shorthand for JSON.
type object = map[string]any

func event(delta object, finish any) string {
	return data(object{"id": "x", "object": "chat.completion.chunk", "choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}}})
}

func data(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return "data: " + string(raw) + "\n\n"
}

// events returns the turn on the wire.
func (s service) events() []string {
	turn := s.turn
	es := []string{event(object{"role": "assistant", "content": ""}, nil)}
	name := map[string]string{"openai": "reasoning_content", "openrouter": "reasoning"}[s.form]
	for _, piece := range turn.Reasoning {
		es = append(es, event(object{name: piece}, nil))
	}
	if s.form == "openrouter" && turn.Signature != "" {
		es = append(es, event(object{"reasoning_details": []object{{"type": "reasoning.encrypted", "data": turn.Signature, "index": 0}}}, nil))
	}
	for _, piece := range turn.Text {
		es = append(es, event(object{"content": piece}, nil))
	}
	for i, call := range turn.Calls {
		es = append(es, s.call(i, call)...)
	}
	switch {
	case turn.Class != "":
		return append(es, data(object{"error": object{"message": "overloaded", "code": 503}}))
	case turn.Fault == providertest.CutCall:
		return es[:len(es)-1]
	case turn.Fault != "":
		return es
	}
	es = append(es, event(object{}, finishes[turn.Finish]))
	if u := turn.Usage; u != (providers.Usage{}) {
		es = append(es, data(object{"choices": []object{}, "usage": object{
			"prompt_tokens": u.Input, "completion_tokens": u.Output,
			"prompt_tokens_details":     object{"cached_tokens": u.Cached},
			"completion_tokens_details": object{"reasoning_tokens": u.Reasoning},
		}}))
	}
	return append(es, "data: [DONE]\n\n")
}

var finishes = map[providers.Finish]string{
	providers.Stop: "stop", providers.Calls: "tool_calls", providers.Length: "length", providers.Filtered: "content_filter",
}

// call returns the events of one call: openai names it first, openrouter brings its id late.
func (s service) call(i int, c providertest.Call) []string {
	first := object{"index": i, "type": "function", "function": object{"name": c.Name, "arguments": ""}}
	if s.form == "openai" {
		first["id"] = c.ID
		if i == 0 && s.turn.Signature != "" {
			first["extra_content"] = object{"google": object{"thought_signature": s.turn.Signature}}
		}
	}
	es := []string{event(object{"tool_calls": []object{first}}, nil)}
	if c.Late {
		delete(first, "id")
		es[0] = event(object{"tool_calls": []object{first}}, nil)
	}
	for _, piece := range c.Args {
		es = append(es, event(object{"tool_calls": []object{{"index": i, "function": object{"arguments": piece}}}}, nil))
	}
	if s.form == "openrouter" || c.Late {
		late := object{"index": i, "id": c.ID, "function": object{"arguments": ""}}
		es = slices.Insert(es, min(2, len(es)), event(object{"tool_calls": []object{late}}, nil))
	}
	return es
}

// told returns the strings of a JSON text in their order; those that are JSON objects are followed by what they hold.
func told(raw []byte) []string {
	var out []string
	decoder := json.NewDecoder(bytes.NewReader(raw))
	for {
		token, err := decoder.Token()
		if err != nil {
			return out
		}
		if s, ok := token.(string); ok {
			out = append(out, s)
			if strings.HasPrefix(s, "{") && json.Valid([]byte(s)) {
				out = append(out, told([]byte(s))...)
			}
		}
	}
}

// stream returns a handler that answers with wire as a stream of events.
func stream(wire string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", cmp.Or(append(headers, "text/event-stream")...))
		io.WriteString(w, wire)
	}
}
