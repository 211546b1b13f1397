package openai

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/forayhq/foray/providers"
)

// codes says the class of an error by its code or type, where services give one, whatever the status.
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

// maxErrorBody is how much of an error's body is read, in bytes, and maxCause how much of it is told, in runes.
const (
	maxErrorBody = 64 << 10
	maxCause     = 500
)

// A fault is the error object of a service, from any of its forms.
type fault struct {
	message, code, kind string
	limit, tokens       int
}

// readFault reads an error from a body: {"error":{…}}, {"error":"text"}, {"message":…}, {"detail":…}, or a list of one.
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

// readFaultObject reads what stands in the place of an error: a text, or an object with at least a message or a code.
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
		Metadata struct{ Raw json.RawMessage } // OpenRouter: what the service behind it said
	}
	if json.Unmarshal(raw, &o) != nil {
		return fault{message: string(raw)}, raw[0] == '['
	}
	f = fault{message: plain(o.Message), code: plain(o.Code), kind: cmp.Or(plain(o.Type), plain(o.Status)), limit: o.Limit, tokens: o.Tokens}
	if behind := plain(o.Metadata.Raw); behind != "" {
		f.message += ": " + behind
	}
	return f, f.message != "" || f.code != ""
}

// plain returns a JSON string's text, any other value as it is written, and "" for null.
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

// classify returns f as an error; status is the HTTP status, or 200 for an error inside an answer.
func (m *Model) classify(f fault, status int) *providers.Error {
	e := m.error(providers.Transient, f.message)
	e.Code = m.redact(cmp.Or(f.code, f.kind))
	if status != http.StatusOK {
		e.Status = status
	}
	said, _ := strconv.Atoi(f.code) // services inside a stream give the status as the code
	class, known := codes[strings.ToLower(f.code)]
	if !known {
		class, known = codes[strings.ToLower(f.kind)]
	}
	limit, size, over := providers.ParseOverflow(f.message + "\n" + f.code + "\n" + f.kind)
	switch {
	case over:
		e.Class, e.Limit, e.Tokens = providers.Overflow, cmp.Or(f.limit, limit), cmp.Or(f.tokens, size)
	case known:
		e.Class = class
	case status != http.StatusOK:
		e.Class = providers.StatusClass(status)
	case said >= 400 && said < 600:
		e.Class = providers.StatusClass(said)
	case f.kind == "invalid_request_error":
		e.Class = providers.Invalid
	}
	return e
}

// refused returns the error of an answer whose status is no success.
func (m *Model) refused(resp *http.Response) error {
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	f, ok := readFault(raw)
	var e *providers.Error
	switch {
	case ok:
		e = m.classify(f, resp.StatusCode)
	case resp.StatusCode < 400:
		e = m.error(providers.Malformed, fmt.Sprintf("the server redirects to another address%s", m.hint()))
	case isPage(resp, raw):
		e = m.error(pageClass(resp.StatusCode), "the server answered with a web page"+m.hint())
	default:
		e = m.classify(fault{message: cmp.Or(strings.TrimSpace(string(raw)), http.StatusText(resp.StatusCode))}, resp.StatusCode)
	}
	if err != nil && len(raw) == 0 {
		e.Err = fmt.Errorf("%w, and its text was not read: %w", e.Err, err)
	}
	e.Status, e.RetryAfter = resp.StatusCode, providers.RetryAfter(resp.Header, time.Now())
	return e
}

// pageClass returns the class of a web page in place of an error: that of its status where waiting or a key may help.
func pageClass(status int) providers.Class {
	if class := providers.StatusClass(status); class != providers.Invalid {
		return class
	}
	return providers.Malformed
}

// isPage reports whether an answer is a web page.
func isPage(resp *http.Response, start []byte) bool {
	return strings.Contains(resp.Header.Get("Content-Type"), "html") || bytes.HasPrefix(bytes.TrimSpace(start), []byte("<"))
}

// hint says which address was asked, for an answer that shows that it is the wrong one.
func (m *Model) hint() string {
	return fmt.Sprintf("; is the base URL %s://%s%s right? For most servers it ends in /v1", m.base.Scheme, m.base.Host, m.base.Path)
}

// error returns an error with a cause in words, without secrets, on one line, and not longer than maxCause runes.
func (m *Model) error(class providers.Class, cause string) *providers.Error {
	cause = cause[:min(len(cause), maxErrorBody)]
	cause = strings.Join(strings.Fields(strings.ToValidUTF8(m.redact(cause), "\uFFFD")), " ")
	if runes := []rune(cause); len(runes) > maxCause {
		cause = string(runes[:maxCause]) + "…"
	}
	return m.wrap(class, errors.New(cmp.Or(cause, "no reason given")))
}

func (m *Model) wrap(class providers.Class, cause error) *providers.Error {
	return &providers.Error{Class: class, Provider: m.config.Info.Provider, Model: m.config.Name, Err: cause}
}

// redact returns text without what must not be seen.
func (m *Model) redact(text string) string {
	for _, secret := range m.secrets {
		text = strings.ReplaceAll(text, secret, "[secret]")
	}
	return text
}

// failed returns err, of the transport or of this package, as an *providers.Error. The end of the caller's context
// goes before all else: it is why the transport failed.
func (m *Model) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return m.wrap(providers.Cancelled, ctx.Err())
	}
	var e *providers.Error
	if errors.As(err, &e) {
		return e
	}
	class := providers.Network
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, http.ErrSchemeMismatch):
		class = providers.Malformed
	case errors.As(err, &certificate):
		class = providers.Invalid // trying again does not help
	}
	if text := err.Error(); m.redact(text) != text {
		return m.error(class, text)
	}
	return m.wrap(class, err)
}
