package providers_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
)

func TestClassOf(t *testing.T) {
	cause := &providers.Error{Class: providers.Network, Err: context.DeadlineExceeded}
	for _, tt := range []struct {
		err  error
		want providers.Class
	}{
		{nil, ""},
		{errors.New("disk full"), ""},
		{context.Canceled, providers.Cancelled},
		{fmt.Errorf("asking: %w", context.DeadlineExceeded), providers.Cancelled},
		{fmt.Errorf("asking: %w", &providers.Error{Class: providers.Rate}), providers.Rate},
		{fmt.Errorf("asking: %w", cause), providers.Network}, // a time limit of the transport is not the caller's
	} {
		if got := providers.ClassOf(tt.err); got != tt.want {
			t.Errorf("%v has the class %q, want %q", tt.err, got, tt.want)
		}
	}
}

func TestStatusClass(t *testing.T) {
	want := map[providers.Class][]int{
		providers.Auth:      {401, 402, 403, 407},
		providers.Invalid:   {400, 404, 405, 422, 451},
		providers.Overflow:  {413},
		providers.Rate:      {429, 498},
		providers.Transient: {408, 409, 425, 500, 502, 503, 504, 524, 529},
		providers.Malformed: {200, 204, 301, 307},
	}
	for class, statuses := range want {
		for _, status := range statuses {
			if got := wire.StatusClass(status); got != class {
				t.Errorf("status %d has the class %q, want %q", status, got, class)
			}
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		key, value string
		want       time.Duration
	}{
		{"Retry-After", "7", 7 * time.Second},
		{"Retry-After", " 0.5 ", 500 * time.Millisecond},
		{"Retry-After", "Sun, 01 Mar 2026 12:01:30 GMT", 90 * time.Second},
		{"Retry-After", "Sun, 01 Mar 2026 11:00:00 GMT", 0},
		{"Retry-After", "Sun, 01 Mar 2099 11:00:00 GMT", 24 * time.Hour},
		{"Retry-After", "1e300", 24 * time.Hour},
		{"Retry-After", "NaN", 0},
		{"Retry-After", "-3", 0},
		{"Retry-After", "soon", 0},
		{"Retry-After-Ms", "250", 250 * time.Millisecond},
		{"X-Other", "250", 0},
	} {
		if got := wire.RetryAfter(http.Header{tt.key: {tt.value}}, now); got != tt.want {
			t.Errorf("%s: %s asks for %v, want %v", tt.key, tt.value, got, tt.want)
		}
	}
}

func TestErrorText(t *testing.T) {
	cause := errors.New("try later")
	tests := map[string]*providers.Error{
		"acme/m1: rate (HTTP 429): try later": {Class: providers.Rate, Status: 429, Provider: "acme", Model: "m1", Err: cause},
		"m1: rate: try later":                 {Class: providers.Rate, Model: "m1", Err: cause},
		"rate: try later":                     {Class: providers.Rate, Err: cause},
		"(HTTP 429)":                          {Status: 429},
		"try later":                           {Err: cause},
	}
	for want, err := range tests {
		if got := err.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
