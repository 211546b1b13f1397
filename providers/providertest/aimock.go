package providertest

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

// WireVariable is the environment variable that turns the wire run on: tests against a server of other people's making.
const WireVariable = "FORAY_WIRE"

// aimockCommand is where `make test-wire` installs the server, below the root of the module.
const aimockCommand = ".tools/node_modules/.bin/llmock"

// aimockStart is how long the server may take until it listens.
const aimockStart = 30 * time.Second

// StartAimock starts an aimock server with a file of fixtures on a free port of this machine, and returns its address,
// as in "http://127.0.0.1:4010"; the chat dialect is below /v1. The server ends with the test. The test is skipped when
// the wire run is off, or the server or Node is not installed.
func StartAimock(t testing.TB, fixtures string) (address string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, findAimock(t), "-p", "0", "-f", fixtures, "--validate-on-load", "--strict")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	listening := make(chan string, 1)
	log := &aimockLog{listening: listening}
	cmd.Stdout, cmd.Stderr = log, log
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
			t.Logf("aimock said:\n%s", log)
		}
	})
	select {
	case address = <-listening:
	case err := <-ended:
		ended <- err
		t.Fatalf("aimock ended: %v", err)
	case <-time.After(aimockStart):
		t.Fatalf("aimock does not listen after %v", aimockStart)
	}
	var models struct{ Object string }
	getJSON(t, address+"/v1/models", &models)
	return address
}

// findAimock returns the path of the server, or skips the test with the reason why there is none.
func findAimock(t testing.TB) string {
	t.Helper()
	if os.Getenv(WireVariable) == "" {
		t.Skipf("the wire run is off: set %s=1, or say make test-wire", WireVariable)
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skipf("no wire run: %v", err)
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
			t.Skip("no wire run: not inside a module")
		}
	}
	path := filepath.Join(dir, filepath.FromSlash(aimockCommand))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no wire run: %v; make test-wire installs it", err)
	}
	return path
}

// An aimockLog keeps what the server writes, and finds the address in it.
type aimockLog struct {
	mu        sync.Mutex
	text      bytes.Buffer
	listening chan string // nil when it was told
}

var aimockListens = regexp.MustCompile(`listening on (http://\S+)\s`)

// Write takes what the server writes.
func (l *aimockLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	if m := aimockListens.FindSubmatch(l.text.Bytes()); m != nil && l.listening != nil {
		l.listening <- string(m[1])
		l.listening = nil
	}
	return len(p), nil
}

// String returns what the server wrote.
func (l *aimockLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// A Journaled is one request that an aimock server received.
type Journaled struct {
	Method, Path string
	Headers      map[string]string
	Body         json.RawMessage
	Response     struct{ Status int }
}

// Journal returns the requests that the server at address has received, in order.
func Journal(t testing.TB, address string) []Journaled {
	t.Helper()
	var all []Journaled
	getJSON(t, address+"/__aimock/journal", &all)
	return all
}

// getJSON reads what url answers into v.
func getJSON(t testing.TB, url string, v any) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: limit}
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(v); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s answers with status %d, error %v", url, resp.StatusCode, err)
	}
}
