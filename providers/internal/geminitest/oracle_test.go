package geminitest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/forayhq/foray/providers/internal/geminitest"
)

// Example is an answer as the service writes it.
func Example() {
	fmt.Print(geminitest.Data(geminitest.Chunk("STOP", geminitest.Object{"text": "Hello"})))
	// Output:
	// data: {"candidates":[{"content":{"parts":[{"text":"Hello"}],"role":"model"},"finishReason":"STOP","index":0}],"modelVersion":"x","responseId":"y"}
}

// TestCheckRefuses shows that Check finds what the service refuses.
func TestCheckRefuses(t *testing.T) {
	const hello = `{"role":"user","parts":[{"text":"Hello"}]}`
	const call = `{"role":"model","parts":[{"functionCall":{"name":"f","args":{"a":1}},"thoughtSignature":"QUFB"}]}`
	const result = `{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}`
	for _, tt := range []struct{ name, contents, rest, url, key, says string }{
		{name: "whole", contents: hello + "," + call + "," + result, rest: `,"generationConfig":{"thinkingConfig":{"thinkingLevel":"LOW"}}`},
		{name: "neighbours of a role", contents: hello + "," + hello, says: `role "user" after "user"`},
		{name: "no parts", contents: `{"role":"user","parts":[]}`, says: "0 parts"},
		{name: "an empty part", contents: `{"role":"user","parts":[{"text":""}]}`, says: "part 0 is empty"},
		{name: "a call without its result", contents: hello + "," + call + "," + hello, says: "results [] for calls"},
		{name: "a result without its call", contents: result, says: "for calls []"},
		{name: "an unknown field", contents: hello, rest: `,"think":true`, says: "think"},
		{name: "a level that is none", contents: hello, rest: `,"generationConfig":{"thinkingConfig":{"thinkingLevel":"much"}}`, says: "thinkingLevel cannot be much"},
		{name: "a signature that is not base64", contents: `{"role":"model","parts":[{"text":"a","thoughtSignature":"é"}]}`, says: "thoughtSignature cannot be"},
		{name: "the model twice", contents: hello, rest: `,"model":"models/m"`, says: "the model is named twice"},
		{name: "no events", contents: hello, url: "/m:streamGenerateContent", says: "no stream of events"},
		{name: "another method", contents: hello, url: "/m:predict", says: "no method"},
		{name: "no key", contents: hello, key: "another", says: "the key is not in its header"},
		{name: "the key in the URL", contents: hello, url: "/m:streamGenerateContent?alt=sse&key=" + geminitest.Key, says: "the key is not in its header, or in"},
	} {
		url, key := tt.url, tt.key
		if url == "" {
			url = "/v1beta/models/m:streamGenerateContent?alt=sse"
		}
		if key == "" {
			key = geminitest.Key
		}
		r, err := http.NewRequest(http.MethodPost, "http://localhost"+url, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Goog-Api-Key", key)
		raw := []byte(`{"contents":[` + tt.contents + `]` + tt.rest + `}`)
		err = geminitest.Check(r, raw, false)
		if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.says)
		}
		if older := geminitest.Check(r, raw, true); tt.name == "whole" && (older == nil || !strings.Contains(older.Error(), "thoughtSignature")) {
			t.Errorf("%s, by the older protos: %v", tt.name, older)
		}
	}
}
