package inspect

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/forayhq/foray/agent"
)

// TestBrowser looks at the page of a run in Chromium while it goes on: content, keys, what follows, what stays, two
// pages on one run, a wrong token, and 2,000 steps.
func TestBrowser(t *testing.T) {
	if os.Getenv("FORAY_PAGE") == "" {
		t.Skip("set FORAY_PAGE=1 to look at pages in a browser (`make test-page`); it needs Chromium, Node and npm")
	}
	chromium := chromiumPath()
	if _, err := exec.LookPath("node"); err != nil || chromium == "" {
		t.Skip("no Node or no Chromium: apt-get install nodejs chromium, or name the browser in CHROMIUM")
	}
	tools, err := filepath.Abs("../../../../.tools")
	if err != nil {
		t.Fatal(err)
	}
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
	cmd := exec.CommandContext(t.Context(), "node", "testdata/browser.mjs", chromium, tools, page, largePage, server.URL,
		pictured)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
	<-done
}

// chromiumPath returns the browser's program; "" if it is not installed.
func chromiumPath() string {
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
