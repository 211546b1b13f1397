package inspect

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/internal/browsertest"
)

// TestBrowser looks at the page of a run in Chromium while the run is in progress: content, keys, live updates that leave
// the reader where he is, two pages of one run, a wrong token, and 2,000 steps.
func TestBrowser(t *testing.T) {
	browsertest.Require(t)
	live, long := &Recording{Most: 64 << 20}, &Recording{Most: 512 << 20}
	run(t, 2_000, nil, nil, long)
	gate, done := make(chan struct{}), make(chan struct{})
	go func() { defer close(done); run(t, 12, gate, nil, live) }()
	page, end, err := Begin(t.Context(), recorded(live))
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	largePage, endLarge, err := Begin(t.Context(), recorded(long))
	if err != nil {
		t.Fatal(err)
	}
	defer endLarge()
	shown := &Recording{Most: 64 << 20}
	play(t, 24, nil, agent.Task{Prompt: "Which steps of the pipeline check their input, and which do not?"},
		"All steps check it but part3, which could not be read: its file denies permission.", "", shown)
	picture := recorded(shown)
	picture.Title = "Session 1124-tobika"
	pictured, endPictured, err := Begin(t.Context(), picture)
	if err != nil {
		t.Fatal(err)
	}
	defer endPictured()
	control := http.NewServeMux()
	control.HandleFunc("/next", func(http.ResponseWriter, *http.Request) { gate <- struct{}{} })
	control.HandleFunc("/stop", func(http.ResponseWriter, *http.Request) { end() })
	server := httptest.NewServer(control)
	defer server.Close()
	browsertest.Run(t, "testdata/browser.mjs", page, largePage, server.URL, pictured)
	<-done
}
