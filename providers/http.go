package providers

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// statuses says the class of an HTTP status that differs from its hundred's.
var statuses = map[int]Class{
	http.StatusUnauthorized:          Auth,
	http.StatusPaymentRequired:       Auth, // no credit left: waiting does not help
	http.StatusForbidden:             Auth,
	http.StatusProxyAuthRequired:     Auth,
	http.StatusRequestTimeout:        Transient,
	http.StatusConflict:              Transient, // a lock of the service, not of the request
	http.StatusRequestEntityTooLarge: Overflow,
	http.StatusTooEarly:              Transient,
	http.StatusTooManyRequests:       Rate,
	498:                              Rate, // Groq: capacity of the tier used up
}

// StatusClass returns the class of an HTTP status of a service that speaks some dialect: the last word where the body
// of the answer says nothing better. A 2xx or 3xx status has the class Malformed, for it is no error of the dialect.
func StatusClass(status int) Class {
	if c, ok := statuses[status]; ok {
		return c
	}
	switch {
	case status >= 500:
		return Transient
	case status >= 400:
		return Invalid
	}
	return Malformed
}

// maxWait bounds RetryAfter: what asks for longer is a quota of days, and no run waits for that.
const maxWait = 24 * time.Hour

// RetryAfter returns how long the headers of an answer ask to wait, seen at now: Retry-After-Ms, or Retry-After in
// seconds or as a date; 0 when they do not say, at most a day.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return wait(ms / 1000)
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		return wait(seconds)
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(at.Sub(now), 0), maxWait)
	}
	return 0
}

func wait(seconds float64) time.Duration {
	if !(seconds > 0) { // also NaN
		return 0
	}
	return time.Duration(min(seconds, maxWait.Seconds()) * float64(time.Second))
}
