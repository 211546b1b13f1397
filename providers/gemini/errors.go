package gemini

import (
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

// codes says the class of an error by its status, of google.rpc.Code, or by the reason in its details.
var codes = map[string]providers.Class{
	"API_KEY_INVALID":               providers.Auth,
	"API_KEY_SERVICE_BLOCKED":       providers.Auth,
	"API_KEY_HTTP_REFERRER_BLOCKED": providers.Auth,
	"API_KEY_IP_ADDRESS_BLOCKED":    providers.Auth,
	"SERVICE_DISABLED":              providers.Auth,
	"UNAUTHENTICATED":               providers.Auth,
	"PERMISSION_DENIED":             providers.Auth,
	"FAILED_PRECONDITION":           providers.Auth, // the country or the plan: nothing but the user can help
	"INVALID_ARGUMENT":              providers.Invalid,
	"OUT_OF_RANGE":                  providers.Invalid,
	"NOT_FOUND":                     providers.Invalid,
	"UNIMPLEMENTED":                 providers.Invalid,
	"RESOURCE_EXHAUSTED":            providers.Rate,
	"RATE_LIMIT_EXCEEDED":           providers.Rate,
	"ABORTED":                       providers.Transient,
	"CANCELLED":                     providers.Transient,
	"DATA_LOSS":                     providers.Transient,
	"DEADLINE_EXCEEDED":             providers.Transient,
	"INTERNAL":                      providers.Transient,
	"UNAVAILABLE":                   providers.Transient,
	"UNKNOWN":                       providers.Transient,
}

// maxErrorBody is how much of an error's body is read, in bytes, and maxCause how much of it is told, in runes.
const (
	maxErrorBody = 64 << 10
	maxCause     = 500
)

// A fault is an error of the service: google.rpc.Status in its JSON form.
type fault struct {
	Code            int
	Message, Status string
	Details         []struct {
		Type       string `json:"@type"`
		Reason     string // ErrorInfo
		RetryDelay string // RetryInfo, as in "34.074824224s"
	}
}

// readFault reads {"error":{…}}, a list of one, or {"error":"text"}; the zero fault for anything else.
func readFault(raw []byte) fault {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
		raw = list[0]
	}
	var outer struct{ Error json.RawMessage }
	if json.Unmarshal(raw, &outer) != nil {
		return fault{}
	}
	var f fault
	if json.Unmarshal(outer.Error, &f) == nil {
		return f
	}
	if f = (fault{}); json.Unmarshal(outer.Error, &f.Message) != nil {
		f.Message = string(outer.Error)
	}
	return f
}

// reason returns what tells most about f in one word.
func (f *fault) reason() string {
	for _, d := range f.Details {
		if _, known := codes[d.Reason]; known {
			return d.Reason
		}
	}
	return cmp.Or(f.Status, codeText(f.Code))
}

func codeText(code int) string {
	if code == 0 {
		return ""
	}
	return strconv.Itoa(code)
}

// wait returns how long f asks to wait, at most a day; 0 when it does not say.
func (f *fault) wait() time.Duration {
	for _, d := range f.Details {
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil && strings.HasSuffix(d.RetryDelay, "s") {
			return min(max(wait, 0), 24*time.Hour)
		}
	}
	return 0
}

// classify returns f as an error; status is the HTTP status, or 0 for an error inside an answer.
func (m *Model) classify(f fault, status int) *providers.Error {
	e := m.error(providers.Transient, f.Message)
	e.Status, e.Code, e.RetryAfter = status, m.redact(f.reason()), f.wait()
	class, known := codes[f.reason()]
	limit, size, over := providers.ParseOverflow(f.Message)
	switch {
	case over:
		e.Class, e.Limit, e.Tokens = providers.Overflow, limit, size
	case known:
		e.Class = class
	case status != 0 || f.Code >= 400 && f.Code < 600:
		e.Class = providers.StatusClass(cmp.Or(status, f.Code))
	}
	return e
}

// refused returns the error of an answer whose status is no success.
func (m *Model) refused(resp *http.Response) error {
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	f := readFault(raw)
	var e *providers.Error
	switch {
	case f.Message != "" || f.Status != "":
		e = m.classify(f, resp.StatusCode)
	case resp.StatusCode < 400:
		e = m.error(providers.Malformed, "the service redirects to another address"+m.hint())
	case isPage(resp, raw):
		e = m.error(pageClass(resp.StatusCode), "the service answered with a web page"+m.hint())
	default:
		e = m.classify(fault{Message: cmp.Or(strings.TrimSpace(string(raw)), http.StatusText(resp.StatusCode))}, resp.StatusCode)
	}
	if err != nil && len(raw) == 0 {
		e.Err = fmt.Errorf("%w, and its text was not read: %w", e.Err, err)
	}
	e.Status, e.RetryAfter = resp.StatusCode, cmp.Or(e.RetryAfter, providers.RetryAfter(resp.Header, time.Now()))
	return e
}

// pageClass returns the class of a web page in place of an error: that of its status where waiting or a key may help.
func pageClass(status int) providers.Class {
	if class := providers.StatusClass(status); class != providers.Invalid {
		return class
	}
	return providers.Malformed
}

// hint says which address was asked, for an answer that shows that it is the wrong one.
func (m *Model) hint() string {
	return fmt.Sprintf("; is the base URL %s://%s%s right? The version is put behind it", m.base.Scheme, m.base.Host, m.base.Path)
}

// error returns an error with a cause in words, without the key, on one line, and not longer than maxCause runes.
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

// redact returns text without the key.
func (m *Model) redact(text string) string {
	const shortest = 6 // a shorter key is none and might be a common word
	if len(m.config.Key) < shortest {
		return text
	}
	return strings.ReplaceAll(text, m.config.Key, "[secret]")
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
	var form *json.UnmarshalTypeError
	switch {
	case errors.As(err, &form):
		return m.error(providers.Malformed, "reading the answer: "+err.Error())
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
