package generativeai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/generativeai"
	"github.com/forayhq/foray/providers/providertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// key is the key of the tests; no error, log or URL may show it.
const key = "AIzaSyTest-0123456789abcdef"

// newModel returns a model at url, whose connections end with the test.
func newModel(t testing.TB, url string, change ...func(*generativeai.Config)) *generativeai.Model {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c := generativeai.Config{Name: "gemini-2.5-flash", BaseURL: url, Key: key, HTTPClient: &http.Client{Transport: transport}}
	for _, f := range change {
		f(&c)
	}
	m, err := generativeai.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// serve returns a model whose service answers with handler, after a look at the request.
func serve(t testing.TB, handler http.HandlerFunc, change ...func(*generativeai.Config)) *generativeai.Model {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		if err := checkRequest(r, raw); err != nil {
			t.Errorf("the request is not the service's: %v\n%s", err, raw)
		}
		r.Body = io.NopCloser(strings.NewReader(string(raw)))
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	return newModel(t, server.URL, change...)
}

func TestContract(t *testing.T) {
	for _, form := range []string{"one", "list"} {
		t.Run(form, func(t *testing.T) {
			providertest.Run(t, providertest.Suite{
				NoClass:     []providers.Class{providers.Refused}, // withheld answers are answers here
				Choices:     map[providers.ToolChoice]string{providers.Required: "mode\n2", providers.None: "mode\n3"},
				NoReasoning: true, NoSignature: true, // the library has no word for them
				Structured: true,
				New: func(t *testing.T, turns ...providertest.Turn) providers.Model {
					var n atomic.Int32
					return serve(t, func(w http.ResponseWriter, r *http.Request) {
						i := int(n.Add(1)) - 1
						if i >= len(turns) {
							t.Errorf("request %d of %d", i+1, len(turns))
							return
						}
						service{w, r, form, turns[i]}.answer()
					})
				},
			})
		})
	}
}

// A service answers one request of the suite, as events ("one") or as a list in place of events ("list").
type service struct {
	w    http.ResponseWriter
	r    *http.Request
	form string
	turn providertest.Turn
}

// refusals are the answers of the errors by class.
var refusals = map[providers.Class]struct {
	status int
	body   string
}{
	providers.Auth:      {400, `{"error":{"code":400,"message":"API key not valid: ` + key + `","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}`},
	providers.Invalid:   {404, `{"error":{"code":404,"message":"models/x is not found for API version v1beta","status":"NOT_FOUND"}}`},
	providers.Overflow:  {400, `{"error":{"code":400,"message":"The input token count (%[2]d) exceeds the maximum number of tokens allowed (%[1]d).","status":"INVALID_ARGUMENT"}}`},
	providers.Rate:      {429, `{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerMinute"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"%vs"}]}}`},
	providers.Transient: {503, `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`},
	providers.Malformed: {200, "<!doctype html><title>Welcome</title>"},
}

func (s service) answer() {
	raw, _ := io.ReadAll(s.r.Body)
	if fault := providertest.Missing(strings.Join(toldInOrder(raw), "\n"), s.turn); fault != "" {
		s.w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(s.w, `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":%q}}`, fault)
		return
	}
	if s.turn.Class != "" && len(s.turn.Text) == 0 {
		s.refuse()
		return
	}
	s.w.Header().Set("Content-Type", "text/event-stream")
	if !s.write(s.events()) {
		return
	}
	if s.turn.Fault == providertest.Hang {
		<-s.r.Context().Done()
	}
}

func (s service) refuse() {
	refusal := refusals[s.turn.Class]
	body := refusal.body
	switch s.turn.Class {
	case providers.Overflow:
		body = fmt.Sprintf(body, s.turn.Limit, s.turn.Tokens)
	case providers.Rate:
		body = fmt.Sprintf(body, s.turn.Wait.Seconds())
	default:
		if s.turn.Wait > 0 {
			s.w.Header().Set("Retry-After", fmt.Sprint(s.turn.Wait.Seconds()))
		}
	}
	s.w.WriteHeader(refusal.status)
	fmt.Fprint(s.w, body)
}

// write sends events, each in a write of its own or scattered; false when the client is gone.
func (s service) write(events []string) bool {
	flusher := s.w.(http.Flusher)
	wire := strings.Join(events, "")
	for len(wire) > 0 {
		n := len(events[0])
		if s.turn.Scatter > 0 {
			n = min(s.turn.Scatter, len(wire))
		} else {
			events = events[1:]
		}
		if _, err := io.WriteString(s.w, wire[:n]); err != nil {
			return false
		}
		flusher.Flush()
		wire = wire[n:]
	}
	return true
}

// object is shorthand for JSON.
type object = map[string]any

// chunk returns an answer with parts and, if not empty, a finish reason.
func chunk(finish string, parts ...object) object {
	candidate := object{"index": 0}
	if len(parts) > 0 {
		candidate["content"] = object{"role": "model", "parts": parts}
	}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	return object{"candidates": []object{candidate}, "modelVersion": "x", "responseId": "y"}
}

func data(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return "data: " + string(raw) + "\r\n\r\n"
}

var finishes = map[providers.Finish]string{
	providers.Stop: "STOP", providers.Calls: "STOP", providers.Length: "MAX_TOKENS", providers.Filtered: "SAFETY",
}

// events returns the turn on the wire.
func (s service) events() []string {
	chunks := s.chunks()
	var es []string
	for i, c := range chunks {
		switch {
		case s.form != "list":
			es = append(es, data(c))
		case i == 0:
			es = append(es, "["+strings.TrimPrefix(data(c), "data: "))
		default:
			es = append(es, ",\r\n"+strings.TrimPrefix(data(c), "data: "))
		}
	}
	switch {
	case s.turn.Fault == providertest.CutCall:
		last := es[len(es)-1]
		es[len(es)-1] = last[:len(last)*2/3]
	case s.form == "list" && s.turn.Fault == "" && s.turn.Class == "":
		es = append(es, "]")
	}
	return es
}

// chunks returns the events of the turn.
func (s service) chunks() []object {
	turn := s.turn
	var cs []object
	for _, piece := range turn.Reasoning {
		cs = append(cs, chunk("", object{"text": piece, "thought": true}))
	}
	for _, piece := range turn.Text {
		cs = append(cs, chunk("", object{"text": piece}))
	}
	var calls []object
	for _, c := range turn.Calls {
		calls = append(calls, object{"functionCall": call(c)})
	}
	switch {
	case len(calls) > 0 && turn.Fault == providertest.CutCall:
		return append(cs, chunk("", calls[:len(calls)-1]...), chunk("", calls[len(calls)-1]))
	case turn.Class != "":
		return append(cs, object{"error": object{"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}})
	case turn.Fault != "":
		return cs
	}
	if len(calls) > 0 {
		cs = append(cs, chunk("", calls...))
	}
	last := chunk(finishes[turn.Finish])
	if u := turn.Usage; u != (providers.Usage{}) {
		last["usageMetadata"] = object{
			"promptTokenCount": u.Input, "cachedContentTokenCount": u.Cached, "candidatesTokenCount": u.Output - u.Reasoning,
			"thoughtsTokenCount": u.Reasoning, "totalTokenCount": u.Input + u.Output,
		}
	}
	return append(cs, last)
}

// call returns a call on the wire; arguments that are no object as the text that a proxy would write.
func call(c providertest.Call) object {
	out := object{"name": c.Name}
	if c.ID != "" {
		out["id"] = c.ID
	}
	text := strings.Join(c.Args, "")
	switch {
	case text == "":
	case json.Valid([]byte(text)):
		out["args"] = verbatim(text)
	default:
		out["args"] = text
	}
	return out
}

// verbatim is a JSON text that is not escaped.
type verbatim string

func (v verbatim) MarshalJSON() ([]byte, error) { return []byte(v), nil }

// toldInOrder returns the strings of a request in the order in which a model is told them: the order of its fields, by
// their names, says nothing.
func toldInOrder(raw []byte) []string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil
	}
	var out []string
	for _, name := range []string{"systemInstruction", "contents", "tools", "toolConfig", "generationConfig"} {
		out = append(out, told(fields[name])...)
	}
	return out
}

// told returns the values of a JSON text in their order: the library writes choices as numbers.
func told(raw []byte) []string {
	var out []string
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	for {
		token, err := decoder.Token()
		if err != nil {
			return out
		}
		if _, isDelim := token.(json.Delim); !isDelim {
			out = append(out, fmt.Sprint(token))
		}
	}
}

// stream returns a handler that answers with wire as a stream of events.
func stream(wire string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, wire)
	}
}
