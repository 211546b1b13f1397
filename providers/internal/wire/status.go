package wire

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/forayhq/foray/providers"
)

// statuses are the HTTP statuses whose class differs from that of their hundred.
var statuses = map[int]providers.Class{
	http.StatusUnauthorized:          providers.Auth,
	http.StatusPaymentRequired:       providers.Auth, // no credit left: waiting does not help
	http.StatusForbidden:             providers.Auth,
	http.StatusProxyAuthRequired:     providers.Auth,
	http.StatusRequestTimeout:        providers.Transient,
	http.StatusConflict:              providers.Transient, // a lock of the service, not of the request
	http.StatusRequestEntityTooLarge: providers.Overflow,
	http.StatusTooEarly:              providers.Transient,
	http.StatusTooManyRequests:       providers.Rate,
	498:                              providers.Rate, // Groq: the capacity of the tier is used up
}

// StatusClass returns the class of an HTTP status, for answers whose body does not say more. A status below 400 is
// Malformed: the dialects know no such answer.
func StatusClass(status int) providers.Class {
	if c, ok := statuses[status]; ok {
		return c
	}
	switch {
	case status >= 500:
		return providers.Transient
	case status >= 400:
		return providers.Invalid
	}
	return providers.Malformed
}

// Codes inverts a table of error codes: from the codes of each class, separated by spaces, to the class of each code.
func Codes(table map[providers.Class]string) map[string]providers.Class {
	all := map[string]providers.Class{}
	for class, codes := range table {
		for code := range strings.FieldsSeq(codes) {
			all[code] = class
		}
	}
	return all
}

// maxWait bounds [RetryAfter]: a longer wait is a quota of days, and no run waits for that.
const maxWait = 24 * time.Hour

// RetryAfter returns how long the headers of an answer received at now ask to wait, at most a day: Retry-After-Ms, or
// Retry-After in seconds or as a date. It returns 0 if they do not say.
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
