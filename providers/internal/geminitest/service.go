package geminitest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/providertest"
)

// The forms of an answer.
const (
	Events = "events" // the finish in a separate event
	Late   = "late"   // the same, with signature and finish in a final empty text
	List   = "list"   // a list instead of events
)

// Answer returns a handler for requests of the suite in one of the forms.
func Answer(form string) func(http.ResponseWriter, *http.Request, providertest.Turn) {
	return func(w http.ResponseWriter, r *http.Request, turn providertest.Turn) {
		raw, _ := io.ReadAll(r.Body)
		fault := providertest.Missing(strings.Join(stringsInOrder(raw), "\n"), turn)
		switch {
		case fault != "":
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":%q}}`, fault)
		case turn.Class != "" && len(turn.Text) == 0:
			refuse(w, turn)
		default:
			w.Header().Set("Content-Type", "text/event-stream")
			providertest.Write(w, r, turn, events(form, turn))
		}
	}
}

// refusals are the service's errors by class.
var refusals = map[providers.Class]struct {
	status int
	body   string
}{
	providers.Auth: {
		400, `{"error":{"code":400,"message":"API key not valid: ` + Key + `","status":"INVALID_ARGUMENT",` +
			`"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID",` +
			`"domain":"googleapis.com"}]}}`,
	},
	providers.Invalid: {
		404, `{"error":{"code":404,"message":"models/x is not found for API version v1beta","status":"NOT_FOUND"}}`,
	},
	providers.Overflow: {
		400, `{"error":{"code":400,` +
			`"message":"The input token count (%[2]d) exceeds the maximum number of tokens allowed (%[1]d).",` +
			`"status":"INVALID_ARGUMENT"}}`,
	},
	providers.Rate: {
		429, `{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED",` +
			`"details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure",` +
			`"violations":[{"quotaId":"GenerateRequestsPerMinute"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"%vs"}]}}`,
	},
	providers.Transient: {503, `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`},
	providers.Malformed: {200, "<!doctype html><title>Welcome</title>"},
}

func refuse(w http.ResponseWriter, turn providertest.Turn) {
	refusal := refusals[turn.Class]
	body := refusal.body
	switch turn.Class {
	case providers.Overflow:
		body = fmt.Sprintf(body, turn.Limit, turn.Tokens)
	case providers.Rate:
		body = fmt.Sprintf(body, turn.Wait.Seconds())
	default:
		if turn.Wait > 0 {
			w.Header().Set("Retry-After", fmt.Sprint(turn.Wait.Seconds()))
		}
	}
	w.WriteHeader(refusal.status)
	fmt.Fprint(w, body)
}

// Object is shorthand for JSON.
type Object = map[string]any

// Chunk returns an event of an answer with parts and, if not empty, a finish reason.
func Chunk(finish string, parts ...Object) Object {
	candidate := Object{"index": 0}
	if len(parts) > 0 {
		candidate["content"] = Object{"role": "model", "parts": parts}
	}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	return Object{"candidates": []Object{candidate}, "modelVersion": "x", "responseId": "y"}
}

// Data returns an event on the wire.
func Data(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return "data: " + string(raw) + "\r\n\r\n"
}

var finishes = map[providers.Finish]string{
	providers.Stop: "STOP", providers.Calls: "STOP", providers.Length: "MAX_TOKENS", providers.Filtered: "SAFETY",
}

// events returns the turn as events on the wire.
func events(form string, turn providertest.Turn) []string {
	chunks := chunks(form, turn)
	var es []string
	for i, c := range chunks {
		switch {
		case form != List:
			es = append(es, Data(c))
		case i == 0:
			es = append(es, "["+strings.TrimPrefix(Data(c), "data: "))
		default:
			es = append(es, ",\r\n"+strings.TrimPrefix(Data(c), "data: "))
		}
	}
	switch {
	case turn.Fault == providertest.CutCall:
		last := es[len(es)-1]
		es[len(es)-1] = last[:len(last)*2/3]
	case form == List && turn.Fault == "" && turn.Class == "":
		es = append(es, "]")
	}
	return es
}

// chunks returns the events of the turn.
func chunks(form string, turn providertest.Turn) []Object {
	signature := base64.StdEncoding.EncodeToString([]byte(turn.Signature))
	var cs []Object
	for _, piece := range turn.Reasoning {
		cs = append(cs, Chunk("", Object{"text": piece, "thought": true}))
	}
	for _, piece := range turn.Text {
		cs = append(cs, Chunk("", Object{"text": piece}))
	}
	var calls []Object
	for i, c := range turn.Calls {
		part := Object{"functionCall": call(c)}
		if i == 0 && turn.Signature != "" && form != Late {
			part["thoughtSignature"] = signature
		}
		calls = append(calls, part)
	}
	switch {
	case len(calls) > 0 && turn.Fault == providertest.CutCall:
		return append(cs, Chunk("", calls[:len(calls)-1]...), Chunk("", calls[len(calls)-1]))
	case turn.Class != "":
		return append(cs, Object{"error": Object{"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}})
	case turn.Fault != "":
		return cs
	}
	if len(calls) > 0 {
		cs = append(cs, Chunk("", calls...))
	}
	last := Chunk(finishes[turn.Finish])
	if turn.Signature != "" && (form == Late || len(calls) == 0) {
		last = Chunk(finishes[turn.Finish], Object{"text": "", "thoughtSignature": signature})
	}
	if u := turn.Usage; u != (providers.Usage{}) {
		last["usageMetadata"] = Object{
			"promptTokenCount": u.Input, "cachedContentTokenCount": u.Cached, "candidatesTokenCount": u.Output - u.Reasoning,
			"thoughtsTokenCount": u.Reasoning, "totalTokenCount": u.Input + u.Output,
		}
	}
	return append(cs, last)
}

// call returns a call on the wire. Arguments that are not an object become a text, as from a proxy.
func call(c providertest.Call) Object {
	out := Object{"name": c.Name}
	if c.ID != "" {
		out["id"] = c.ID
	}
	text := strings.Join(c.Args, "")
	switch {
	case text == "":
	case json.Valid([]byte(text)):
		out["args"] = Verbatim(text)
	default:
		out["args"] = text
	}
	return out
}

// Verbatim is JSON that is written as it is.
type Verbatim string

// MarshalJSON returns the text.
func (v Verbatim) MarshalJSON() ([]byte, error) { return []byte(v), nil }

// stringsInOrder returns the strings of a request in the order in which the model reads them, whatever the order of its
// fields.
func stringsInOrder(raw []byte) []string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil
	}
	var out []string
	for _, name := range []string{"systemInstruction", "contents", "tools", "toolConfig", "generationConfig"} {
		out = append(out, values(fields[name])...)
	}
	return out
}

// values returns the values in a JSON text in order. Numbers are included, because a library may send choices as
// numbers; signatures are decoded.
func values(raw []byte) []string {
	var out []string
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	for {
		token, err := decoder.Token()
		if err != nil {
			return out
		}
		if _, isDelim := token.(json.Delim); isDelim {
			continue
		}
		value := fmt.Sprint(token)
		if len(out) > 0 && out[len(out)-1] == "thoughtSignature" {
			if decoded, err := base64.StdEncoding.DecodeString(value); err == nil {
				value = string(decoded)
			}
		}
		out = append(out, value)
	}
}

// Stream returns a handler that answers with these bytes as a stream of events.
func Stream(wire string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, wire)
	}
}
