package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/catalog"
)

// TestUnknownModels reads what services say about a model that they do not have, and about other things.
func TestUnknownModels(t *testing.T) {
	for _, tt := range []struct {
		status     int
		code, text string
		want       bool
	}{
		{404, "model_not_found", "The model `gpt-9` does not exist or you do not have access to it.", true}, // OpenAI, Groq
		{404, "not_found_error", "model: claude-opus-9", true},                                              // Anthropic
		{400, "invalid_request_error", "Model Not Exist", true},                                             // DeepSeek
		{400, "400", "foo/bar is not a valid model ID", true},                                               // OpenRouter
		{400, "1500", "Invalid model: mistral-huge", true},
		{404, "404", "The model `qwen` does not exist.", true}, // vLLM
		{404, "", `model "qwen9" not found, try pulling it first`, true},
		{404, "model_not_available", "Unable to access model x.", true}, // Together
		{404, "NOT_FOUND", "models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.", true},
		{404, "", "404 page not found", false},
		{404, "", "Not Found", false},
		{400, "", "This model's maximum output is 8192 tokens", false},
		{400, "invalid_request_error", "messages: at least one message is required", false},
		{401, "invalid_api_key", "Incorrect API key: no such model account", false},
	} {
		e := &providers.Error{Class: providers.Invalid, Status: tt.status, Code: tt.code, Err: errors.New(tt.text)}
		if tt.status == 401 {
			e.Class = providers.Auth
		}
		if got := (target{}).unknown(e); got != tt.want {
			t.Errorf("%d %s: unknown model is %v", tt.status, tt.text, got)
		}
	}
}

// TestEveryClassHasAHint goes through the classes of errors of every provider: each hint names something of it.
func TestEveryClassHasAHint(t *testing.T) {
	f := &modelFlags{}
	for _, b := range catalog.Endpoints() {
		for _, key := range []string{"", "sk-0123456789"} {
			t.Setenv(b.Keys[0], key)
			at, err := b.Target("some-model", f.options(nil))
			if err != nil {
				t.Fatal(err)
			}
			x := target{at}
			for _, tt := range []struct {
				e    providers.Error
				want string
			}{
				{providers.Error{Class: providers.Auth, Status: 401}, b.Keys[0]},
				{providers.Error{Class: providers.Auth, Status: 402}, "credit"},
				{providers.Error{Class: providers.Invalid, Status: 400}, "foray doctor --model " + b.Name + "/some-model"},
				{providers.Error{Class: providers.Invalid, Status: 404}, "--base-url"},
				{providers.Error{Class: providers.Overflow, Limit: 8192}, "--window 8192"},
				{providers.Error{Class: providers.Overflow}, "--budget"},
				{providers.Error{Class: providers.Rate, RetryAfter: 90 * time.Second}, "try again in 1m30s, at "},
				{providers.Error{Class: providers.Rate, Code: "insufficient_quota"}, "the quota is used up"},
				{providers.Error{Class: providers.Rate}, "try again in a minute"},
				{providers.Error{Class: providers.Transient}, "--fallback"},
				{providers.Error{Class: providers.Refused}, "other words"},
				{providers.Error{Class: providers.Network}, "the server"},
				{providers.Error{Class: providers.Malformed}, "--base-url"},
			} {
				if got := x.hint(t.Context(), &tt.e); !strings.Contains(got, tt.want) || strings.Contains(got, "0123456789") {
					t.Errorf("%s, %s %d: hint %q, want %q", b.Name, tt.e.Class, tt.e.Status, got, tt.want)
				}
			}
		}
	}
}

func TestSpeedText(t *testing.T) {
	for want, u := range map[string]providers.Usage{
		"": {Input: 100, Output: 10}, "read 1,735 anew at 50 a second, wrote at 9.5": {Read: 1735, ReadTime: 34.9, Output: 40, WriteTime: 4.2},
	} {
		if got := speedText(u); got != want {
			t.Errorf("%+v: %q, want %q", u, got, want)
		}
	}
}
