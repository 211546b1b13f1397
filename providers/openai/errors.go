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

// codes is the class of an error by its code or type. It takes precedence over the HTTP status.
var codes = wire.Codes(map[providers.Class]string{
	providers.Auth: "invalid_api_key authentication_error permission_error permission_denied billing_hard_limit_reached",
	providers.Rate: "insufficient_quota rate_limit_exceeded rate_limit_error resource_exhausted too_many_requests",
	providers.Refused: "content_filter content_policy_violation bio_policy cyber_policy" +
		" data_inspection_failed", // DashScope
	providers.Transient: "server_error internal_server_error api_error overloaded_error service_unavailable unavailable" +
		" timeout" +
		" json_validate_failed" + // Groq: the model missed the schema this time
		" tool_use_failed", // Groq: the model wrote a call that cannot be read
	providers.Invalid: "invalid_prompt invalid_encrypted_content model_not_found not_found_error unsupported_parameter" +
		" unsupported_value",
})

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
	var outer struct{ Error, Detail json.RawMessage }
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
		Message, Code, Type, Status json.RawMessage

		Limit    int                           `json:"n_ctx"`           // llama.cpp
		Tokens   int                           `json:"n_prompt_tokens"` // llama.cpp
		Metadata struct{ Raw json.RawMessage } // OpenRouter: the error of the upstream service
	}
	if json.Unmarshal(raw, &o) != nil {
		return fault{message: string(raw)}, raw[0] == '['
	}
	f = fault{plain(o.Message), plain(o.Code), cmp.Or(plain(o.Type), plain(o.Status)), o.Limit, o.Tokens}
	if upstream := plain(o.Metadata.Raw); upstream != "" {
		f.message += ": " + upstream
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

// noTools is in the error of a llama.cpp that was started without tools. Its status is 500, but it never passes.
const noTools = "requires --jinja"

// classify converts f to an error with its class. The status is the HTTP status, or 200 for an error inside an answer.
func (m *Model) classify(f fault, status int) *providers.Error {
	e := m.report.Error(providers.Transient, f.message)
	e.Code = m.report.Redact(cmp.Or(f.code, f.kind))
	if status != http.StatusOK {
		e.Status = status
	}
	streamed, _ := strconv.Atoi(f.code) // inside a stream, services send the status as the code
	class := cmp.Or(codes[strings.ToLower(f.code)], codes[strings.ToLower(f.kind)])
	limit, size, over := wire.ParseOverflow(f.message + "\n" + f.code + "\n" + f.kind)
	switch {
	case over:
		e.Class, e.Limit, e.Tokens = providers.Overflow, cmp.Or(f.limit, limit), cmp.Or(f.tokens, size)
	case strings.Contains(f.message, noTools):
		e.Class = providers.Invalid
	case class != "":
		e.Class = class
	case status != http.StatusOK:
		e.Class = wire.StatusClass(status)
	case streamed >= 400 && streamed < 600:
		e.Class = wire.StatusClass(streamed)
	case f.kind == "invalid_request_error":
		e.Class = providers.Invalid
	}
	return e
}

// statusError returns the error of a response without a success status.
func (m *Model) statusError(resp *http.Response) error {
	return m.report.Refused(resp, func(body []byte) *providers.Error {
		if f, ok := readFault(body); ok {
			return m.classify(f, resp.StatusCode)
		}
		return nil
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
		if f, ok := eventFault(event.Data, named); ok {
			return m.classify(f, http.StatusOK)
		}
	}
	return nil
}

// eventFault parses the error in an event. Unless the event is named "error", it must have an error object or an error
// type.
func eventFault(data []byte, named bool) (fault, bool) {
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
	if !named && o.Object != "error" && o.Type != "error" {
		return fault{}, false
	}
	f, ok := readFault(data)
	if !ok {
		f.message = string(data)
	}
	return f, true
}
