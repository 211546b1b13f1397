package gemini

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// canned answers every request with the same bytes.
type canned string

func (w canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(w)))}, nil
}

// FuzzStream answers with anything: the stream ends with a finish or an error of a class, calls can be stored, and what
// was kept can be sent again.
func FuzzStream(f *testing.F) {
	f.Add("data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"},{\"text\":\"\",\"thoughtSignature\":\"QUFB\"}]},\"finishReason\":\"STOP\"}]}\r\n\r\n")
	f.Add("data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\",\"args\":{\"a\":1}},\"thoughtSignature\":\"QUFB\"}]},\"finishReason\":\"STOP\"}]}\n\n")
	f.Add("[{\"candidates\":[{\"content\":{\"parts\":[{\"thought\":true,\"text\":\"t\"},{\"functionCall\":{\"name\":\"f\",\"args\":\"{x\"}}]}}]},\n{\"candidates\":[{\"finishReason\":\"MAX_TOKENS\"}],\"usageMetadata\":{\"promptTokenCount\":1}}]")
	f.Add(": c\n\ndata: {\"error\":{\"code\":429,\"details\":[{\"retryDelay\":\"1s\"}]}}\n\n")
	f.Add("\ufeff<html>")
	f.Fuzz(func(t *testing.T, answer string) {
		m, err := New(Config{Name: "gemini-3-pro", Key: "key-of-the-test", HTTPClient: &http.Client{Transport: canned(answer)}})
		if err != nil {
			t.Fatal(err)
		}
		req := &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: "go"}}}
		r, err := providers.Ask(context.Background(), m, req)
		if err != nil {
			if providers.ClassOf(err) == "" || providers.ClassOf(err) == providers.Cancelled {
				t.Errorf("error %v without a class", err)
			}
			return
		}
		if _, err := json.Marshal(r.Message); err != nil {
			t.Errorf("the message cannot be stored: %v", err)
		}
		if o := r.Message.ProviderData; o != nil {
			if parts, ids := m.restore(&r.Message); parts == nil || len(ids) != len(r.Message.Calls) {
				t.Errorf("what was kept is not taken back: %s for %+v", o.Data, r.Message)
			}
		}
		req.Messages = append(req.Messages, r.Message)
		if _, err := m.encode(req); err != nil {
			t.Errorf("the message cannot be sent: %v", err)
		}
	})
}
