package anthropic

import (
	"cmp"
	"encoding/json"
	"net/http"
	"time"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
)

// classes is the class of an error by its type; docs.anthropic.com/en/api/errors.
var classes = wire.Codes(map[providers.Class]string{
	providers.Auth:      "authentication_error permission_error billing_error",
	providers.Invalid:   "invalid_request_error not_found_error",
	providers.Overflow:  "request_too_large",
	providers.Rate:      "rate_limit_error",
	providers.Transient: "api_error overloaded_error timeout_error",
})

// overloaded is the status of a service that has more requests than it can answer.
const overloaded = 529

// A fault is an error of the service.
type fault struct {
	Error struct{ Type, Message string }
}

// failure returns the error in raw; nil for another form. The status is that of the response, 200 inside an answer.
func (m *Model) failure(raw []byte, status int) *providers.Error {
	var f fault
	if json.Unmarshal(raw, &f) != nil || f.Error.Message == "" && f.Error.Type == "" {
		return nil
	}
	class := classes[f.Error.Type]
	switch {
	case class != "":
	case status == overloaded, status == http.StatusOK:
		class = providers.Transient
	default:
		class = wire.StatusClass(status)
	}
	e := m.report.Error(class, cmp.Or(f.Error.Message, f.Error.Type))
	e.Code = m.report.Redact(f.Error.Type)
	if status != http.StatusOK {
		e.Status = status
	}
	if limit, tokens, over := wire.ParseOverflow(f.Error.Message); over {
		e.Class, e.Limit, e.Tokens = providers.Overflow, limit, tokens
	}
	return e
}

// refused returns the error of a response whose status is not a success, with the time to wait from its headers.
func (m *Model) refused(resp *http.Response) error {
	e := m.report.Refused(resp, func(raw []byte) *providers.Error { return m.failure(raw, resp.StatusCode) })
	if e.Class == providers.Rate && e.RetryAfter == 0 {
		e.RetryAfter = untilReset(resp.Header, time.Now())
	}
	return e
}

// resets are the headers that say when a limit that is used up is free again.
var resets = []struct{ remaining, reset string }{
	{"anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"},
	{"anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"},
	{"anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"},
	{"anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"},
}

// maxReset bounds how long headers can ask to wait.
const maxReset = 24 * time.Hour

// untilReset returns how long the limits that are used up last; 0 if the headers do not say.
func untilReset(h http.Header, now time.Time) time.Duration {
	var wait time.Duration
	for _, r := range resets {
		at, err := time.Parse(time.RFC3339, h.Get(r.reset))
		if h.Get(r.remaining) == "0" && err == nil {
			wait = max(wait, min(at.Sub(now), maxReset))
		}
	}
	return wait
}
