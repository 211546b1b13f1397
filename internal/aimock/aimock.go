// Package aimock runs aimock in tests: a server that imitates the APIs of OpenAI and Gemini, written by others.
//
// Start with [Start].
package aimock

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"
)

// variable is the environment variable that turns these tests on.
const variable = "FORAY_WIRE"

// command is where `make test-wire` installs the server, below the root of the module.
const command = ".tools/node_modules/.bin/llmock"

// maxStart is how long the server may take to listen.
const maxStart = 30 * time.Second

// Start starts a server with a file of fixtures on a free port of this machine and returns its address, as in
// "http://127.0.0.1:4010"; the chat dialect is below /v1. The server ends with the test. Start skips the test unless
// FORAY_WIRE is set and both the server and Node are installed.
func Start(t testing.TB, fixtures string) (address string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, find(t), "-p", "0", "-f", fixtures, "--validate-on-load", "--strict")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	listening := make(chan string, 1)
	output := &log{listening: listening}
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		cancel()
		t.Fatalf("starting aimock: %v", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		cancel()
		<-ended
		if t.Failed() {
			t.Logf("aimock said:\n%s", output)
		}
	})
	select {
	case address = <-listening:
	case err := <-ended:
		ended <- err
		t.Fatalf("aimock ended: %v", err)
	case <-time.After(maxStart):
		t.Fatalf("aimock does not listen after %v", maxStart)
	}
	var models struct{ Object string }
	getJSON(t, address+"/v1/models", &models)
	return address
}

// find returns the path of the server, or skips the test and says why.
func find(t testing.TB) string {
	t.Helper()
	if os.Getenv(variable) == "" {
		t.Skipf("wire tests are off: set %s=1, or run make test-wire", variable)
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skipf("no wire tests: %v", err)
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Skip("no wire tests: not inside a module")
		}
	}
	path := filepath.Join(dir, filepath.FromSlash(command))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no wire tests: %v; make test-wire installs it", err)
	}
	return path
}

// A log keeps what the server writes and finds the address in it.
type log struct {
	mu        sync.Mutex
	text      bytes.Buffer
	listening chan string // nil once the address was sent
}

var listens = regexp.MustCompile(`listening on (http://\S+)\s`)

// Write adds what the server writes.
func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	if m := listens.FindSubmatch(l.text.Bytes()); m != nil && l.listening != nil {
		l.listening <- string(m[1])
		l.listening = nil
	}
	return len(p), nil
}

// String returns what the server wrote.
func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// A Request is one request that a server received.
type Request struct {
	Method, Path string
	Headers      map[string]string
	Body         json.RawMessage
	Response     struct{ Status int }
}

// Journal returns the requests that the server at address received, in order.
func Journal(t testing.TB, address string) []Request {
	t.Helper()
	var all []Request
	getJSON(t, address+"/__aimock/journal", &all)
	return all
}

// getJSON decodes the answer of url into v.
func getJSON(t testing.TB, url string, v any) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(v); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s answers with status %d, error %v", url, resp.StatusCode, err)
	}
}
