package geminiwire

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
)

// codes is the class of an error by its status, a google.rpc.Code, or by the reason in its details. Other errors get
// their class from the HTTP status.
var codes = wire.Codes(map[providers.Class]string{
	providers.Auth: "UNAUTHENTICATED PERMISSION_DENIED API_KEY_INVALID API_KEY_SERVICE_BLOCKED SERVICE_DISABLED" +
		" API_KEY_HTTP_REFERRER_BLOCKED API_KEY_IP_ADDRESS_BLOCKED" +
		" FAILED_PRECONDITION", // the country or the plan: only the user can help
	providers.Invalid:   "INVALID_ARGUMENT OUT_OF_RANGE NOT_FOUND UNIMPLEMENTED",
	providers.Rate:      "RESOURCE_EXHAUSTED RATE_LIMIT_EXCEEDED",
	providers.Transient: "ABORTED CANCELLED DATA_LOSS DEADLINE_EXCEEDED INTERNAL UNAVAILABLE UNKNOWN",
})

// A fault is an error of the service: google.rpc.Status as JSON.
type fault struct {
	Code            int
	Message, Status string
	Details         []struct {
		Type       string `json:"@type"`
		Reason     string // ErrorInfo
		RetryDelay string // RetryInfo, as in "34.074824224s"
	}
}

// readFault parses {"error":{…}}, a list of one, or {"error":"text"}. It returns the zero fault for anything else.
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

// present reports whether f says anything.
func (f *fault) present() bool { return f.Message != "" || f.Status != "" }

// reason returns the most specific word in f.
func (f *fault) reason() string {
	for _, d := range f.Details {
		if _, known := codes[d.Reason]; known {
			return d.Reason
		}
	}
	if f.Status == "" && f.Code != 0 {
		return strconv.Itoa(f.Code)
	}
	return f.Status
}

// wait returns how long f asks to wait, at most a day; 0 if it does not say.
func (f *fault) wait() time.Duration {
	for _, d := range f.Details {
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil && strings.HasSuffix(d.RetryDelay, "s") {
			return min(max(wait, 0), 24*time.Hour)
		}
	}
	return 0
}

// classify returns f as an error. The status is the HTTP status, or 0 for an error inside an answer.
func (s *Service) classify(f fault, status int) *providers.Error {
	e := s.Error(providers.Transient, f.Message)
	e.Status, e.Code, e.RetryAfter = status, s.Redact(f.reason()), f.wait()
	class, known := codes[f.reason()]
	limit, size, over := wire.ParseOverflow(f.Message)
	switch {
	case over:
		e.Class, e.Limit, e.Tokens = providers.Overflow, limit, size
	case known:
		e.Class = class
	case status != 0 || f.Code >= 400 && f.Code < 600:
		e.Class = wire.StatusClass(cmp.Or(status, f.Code))
	}
	return e
}

// Fault returns the error that an event of an answer contains, and whether it contains one.
func (s *Service) Fault(event []byte) (e *providers.Error, present bool) {
	f := readFault(event)
	return s.classify(f, 0), f.present()
}

// refused returns the error of an answer whose status is not a success.
func (s *Service) refused(resp *http.Response) error {
	return s.Refused(resp, func(body []byte) *providers.Error {
		if f := readFault(body); f.present() {
			return s.classify(f, resp.StatusCode)
		}
		return nil
	})
}
