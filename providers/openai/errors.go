package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
)

// codes maps the code or type of an error to its class, whatever the status.
var codes = map[string]providers.Class{
	"invalid_api_key":            providers.Auth,
	"authentication_error":       providers.Auth,
	"permission_error":           providers.Auth,
	"permission_denied":          providers.Auth,
	"insufficient_quota":         providers.Rate,
	"rate_limit_exceeded":        providers.Rate,
	"rate_limit_error":           providers.Rate,
	"resource_exhausted":         providers.Rate,
	"too_many_requests":          providers.Rate,
	"content_filter":             providers.Refused,
	"content_policy_violation":   providers.Refused,
	"data_inspection_failed":     providers.Refused, // DashScope
	"server_error":               providers.Transient,
	"internal_server_error":      providers.Transient,
	"api_error":                  providers.Transient,
	"overloaded_error":           providers.Transient,
	"service_unavailable":        providers.Transient,
	"unavailable":                providers.Transient,
	"timeout":                    providers.Transient,
	"invalid_prompt":             providers.Invalid,
	"invalid_encrypted_content":  providers.Invalid,
	"bio_policy":                 providers.Refused,
	"cyber_policy":               providers.Refused,
	"model_not_found":            providers.Invalid,
	"not_found_error":            providers.Invalid,
	"unsupported_parameter":      providers.Invalid,
	"unsupported_value":          providers.Invalid,
	"json_validate_failed":       providers.Transient, // Groq: the model missed the schema this time
	"tool_use_failed":            providers.Transient, // Groq: the model wrote a call that cannot be read
	"billing_hard_limit_reached": providers.Auth,
}

// A fault is the error object of a service, parsed from any of its forms.
type fault struct {
	message, code, kind string
	limit, tokens       int
}

// readFault parses the error in a body: {"error":{…}}, {"error":"text"}, {"message":…}, {"detail":…}, or a list of one.
func readFault(raw []byte) (f fault, ok bool) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
		raw = list[0]
	}
	var outer struct {
		Error  json.RawMessage
		Detail json.RawMessage
	}
	if json.Unmarshal(raw, &outer) != nil {
		return fault{}, false
	}
	for _, inner := range []json.RawMessage{outer.Error, outer.Detail, raw} {
		if f, ok = readFaultObject(inner); ok {
			return f, true
		}
	}
	return fault{}, false
}

// readFaultObject parses an error: a text, or an object with a message or a code.
func readFaultObject(raw json.RawMessage) (f fault, ok bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return fault{}, false
	}
	if json.Unmarshal(raw, &f.message) == nil {
		return f, true
	}
	var o struct {
		Message  json.RawMessage
		Code     json.RawMessage
		Type     json.RawMessage
		Status   json.RawMessage
		Limit    int                           `json:"n_ctx"`           // llama.cpp
		Tokens   int                           `json:"n_prompt_tokens"` // llama.cpp
		Metadata struct{ Raw json.RawMessage } // OpenRouter: the error of the upstream service
	}
	if json.Unmarshal(raw, &o) != nil {
		return fault{message: string(raw)}, raw[0] == '['
	}
	f = fault{
		message: plain(o.Message), code: plain(o.Code), kind: cmp.Or(
			plain(o.Type), plain(o.Status),
		), limit: o.Limit, tokens: o.Tokens,
	}
	if behind := plain(o.Metadata.Raw); behind != "" {
		f.message += ": " + behind
	}
	return f, f.message != "" || f.code != ""
}

// plain returns the text of a JSON string, any other value as JSON, and "" for null.
func plain(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// classify returns f as an error. The status is the HTTP status, or 200 for an error inside an answer.
func (m *Model) classify(f fault, status int) *providers.Error {
	e := m.report.Error(providers.Transient, f.message)
	e.Code = m.report.Redact(cmp.Or(f.code, f.kind))
	if status != http.StatusOK {
		e.Status = status
	}
	said, _ := strconv.Atoi(f.code) // inside a stream, services send the status as the code
	class, known := codes[strings.ToLower(f.code)]
	if !known {
		class, known = codes[strings.ToLower(f.kind)]
	}
	limit, size, over := wire.ParseOverflow(f.message + "\n" + f.code + "\n" + f.kind)
	switch {
	case over:
		e.Class, e.Limit, e.Tokens = providers.Overflow, cmp.Or(f.limit, limit), cmp.Or(f.tokens, size)
	case known:
		e.Class = class
	case status != http.StatusOK:
		e.Class = wire.StatusClass(status)
	case said >= 400 && said < 600:
		e.Class = wire.StatusClass(said)
	case f.kind == "invalid_request_error":
		e.Class = providers.Invalid
	}
	return e
}

// refused returns the error of an answer whose status is not a success.
func (m *Model) refused(resp *http.Response) error {
	return m.report.Refused(resp, func(body []byte) *providers.Error {
		f, ok := readFault(body)
		if !ok {
			return nil
		}
		return m.classify(f, resp.StatusCode)
	})
}

// fault returns the error that an event contains, or nil.
func (m *Model) fault(event wire.Event) error {
	named := event.Name == "error"
	switch {
	case !event.JSON && named:
		return m.classify(fault{message: string(event.Data)}, http.StatusOK)
	case !event.JSON:
		return m.report.Error(providers.Malformed, "an event of the answer is not JSON: "+string(event.Data))
	case named || bytes.Contains(event.Data, []byte(`"error"`)):
		if f, ok := inside(event.Data, named); ok {
			return m.classify(f, http.StatusOK)
		}
	}
	return nil
}

// inside parses the error in an event. An event that is not named an error is one only if it says so.
func inside(data []byte, named bool) (fault, bool) {
	var o struct {
		Error        json.RawMessage
		Object, Type string
	}
	if data[0] == '[' {
		return readFault(data)
	}
	if json.Unmarshal(data, &o) != nil && !named {
		return fault{}, false
	}
	if f, ok := readFaultObject(o.Error); ok {
		return f, true
	}
	if named || o.Object == "error" || o.Type == "error" {
		f, ok := readFault(data)
		if !ok {
			f = fault{message: string(data)}
		}
		return f, true
	}
	return fault{}, false
}
