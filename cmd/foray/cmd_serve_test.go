package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const serveToken = "token-0123456789abcdef"

// A servedForay is a process that serves.
type servedForay struct {
	t    *testing.T
	cmd  *exec.Cmd
	url  string
	logs bytes.Buffer
}

// smallRepo returns a folder with one file of code.
func smallRepo(t *testing.T) string {
	t.Helper()
	repo := t.TempDir()
	if err := os.WriteFile(filepath.Join(repo, "retry.go"), []byte("package x\n\n// Retry tries again.\nfunc Retry() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return repo
}

// serveTime is when a server that hangs is killed: whoever waits for it then fails, and prints what it said.
const serveTime = 5 * time.Minute

func startServe(t *testing.T, db string, args ...string) *servedForay {
	t.Helper()
	repo := smallRepo(t)
	ctx, cancel := context.WithTimeout(t.Context(), serveTime)
	p := &servedForay{t: t, cmd: exec.CommandContext(ctx, "foray", append([]string{"serve", "--addr", "127.0.0.1:0", "--db", db, "--repo", repo}, args...)...)}
	p.cmd.Stderr = &p.logs
	p.cmd.Env = append(os.Environ(), "FORAY_MODEL=", "OPENAI_API_KEY=sk-served")
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // also of a server that no test interrupts: what watches it would stay
		cancel()
		_ = p.cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("no address: %v; it said: %s", err, p.logs.String())
	}
	p.url = strings.TrimSpace(line)
	return p
}

func (p *servedForay) ask(method, path, token, accept, body string) (int, string) {
	p.t.Helper()
	req, err := http.NewRequest(method, p.url+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", accept)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

// interrupt ends the server as Ctrl-C does, and returns what it has said.
func (p *servedForay) interrupt() string {
	p.t.Helper()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		p.t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("the server ended with %v; it said: %s", err, p.logs.String())
	}
	return p.logs.String()
}

func TestServe(t *testing.T) {
	db := filepath.Join(t.TempDir(), "s.db")
	p := startServe(t, db, "--token", serveToken)
	large := `{"text":"` + strings.Repeat("x", 2<<20) + `"}`
	for _, step := range []struct {
		method, path, token, accept, body string
		status                            int
		want                              string
	}{
		{"GET", "/openapi.json", "", "", "", 200, `"openapi": "3.1.0"`},
		{"GET", "/v1/threads", "", "", "", 401, "the token is missing or wrong"},
		{"GET", "/v1/threads", serveToken + "x", "", "", 401, "the token is missing or wrong"},
		{"POST", "/v1/threads", serveToken, "", `{"id":"plans","user":"ada"}`, 201, `"id":"plans"`},
		{"POST", "/v1/threads", serveToken, "", `{"id":"plans"}`, 409, "a thread with this id exists"},
		{"POST", "/v1/threads/plans/messages", serveToken, "", `{"text":"where is Retry?"}`, 200, "rules, no language model"},
		{"POST", "/v1/threads/plans/messages", serveToken, "text/event-stream", `{"text":"who calls it?"}`, 200, "event: done"},
		{"POST", "/v1/threads/plans/messages", serveToken, "", large, 413, "1048576 bytes"},
		{"POST", "/v1/threads/plans/messages", serveToken, "", `{"words":"x"}`, 400, "unknown field"},
		{"GET", "/v1/threads/plans/context", serveToken, "", "", 200, `"sections"`},
		{"POST", "/v1/memories", serveToken, "", `{"user":"ada","content":"likes tea","importance":7}`, 201, "likes tea"},
		{"GET", "/v1/nothing", serveToken, "", "", 404, "openapi.json"},
	} {
		status, body := p.ask(step.method, step.path, step.token, step.accept, step.body)
		if status != step.status || !strings.Contains(body, step.want) {
			t.Errorf("%s %s: %d, want %d with %q: %.300s", step.method, step.path, status, step.status, step.want, body)
		}
		if strings.Contains(body, serveToken) {
			t.Errorf("%s %s: the answer holds the token", step.method, step.path)
		}
	}
	if said := p.interrupt(); strings.Contains(said, serveToken) || !strings.Contains(said, "heuristic explorer") {
		t.Errorf("the server said: %s", said)
	}

	// Another server goes on with what is in the database, and refuses names that a page could have made.
	p = startServe(t, db)
	if status, body := p.ask("GET", "/v1/threads/plans/messages?limit=1", "", "", ""); status != 200 || !strings.Contains(body, "where is Retry?") {
		t.Errorf("the thread is gone: %d %s", status, body)
	}
	if status, body := p.ask("GET", "/v1/memories?user=ada", "", "", ""); status != 200 || !strings.Contains(body, "likes tea") {
		t.Errorf("the memory is gone: %d %s", status, body)
	}
	if said := p.interrupt(); !strings.Contains(said, "no token") {
		t.Errorf("the server said: %s", said)
	}
}

// The curl commands in the help work as they are printed.
func TestServeHelp(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip(err)
	}
	help, err := exec.Command("foray", "serve", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, examples, _ := strings.Cut(string(help), "Examples:\n")
	examples, _, _ = strings.Cut(examples, "\n\n")
	_, script, found := strings.Cut(examples, "  curl ")
	if !found {
		t.Fatalf("no curl in %q", examples)
	}
	p := startServe(t, filepath.Join(t.TempDir(), "s.db"))
	script = strings.ReplaceAll("curl "+script, "http://127.0.0.1:7777", p.url)
	out, err := exec.Command("sh", "-ec", script).CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"id":"plans"`) || !strings.Contains(string(out), "event: ") {
		t.Errorf("%s: %v: %s", script, err, out)
	}
}

// explore --inspect shows the window of its run, and stays until Ctrl-C; the report and the exit code are as without.
func TestExploreInspect(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), serveTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "foray", "explore", "--inspect", "--repo", smallRepo(t), "where is Retry?")
	var report bytes.Buffer
	cmd.Stdout = &report
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &servedForay{t: t, cmd: cmd}
	token, lines := "", bufio.NewScanner(said)
	for lines.Scan() && !strings.Contains(lines.Text(), "stays up until Ctrl-C") {
		if _, address, ok := strings.Cut(lines.Text(), "the window of the run: "); ok {
			p.url, token, _ = strings.Cut(address, "/#token=")
		}
	}
	for _, step := range []struct {
		path, token, want string
		status            int
	}{
		{"/", "", "<title>where is Retry?</title>", 200},
		{"/session", "", "the token is missing or wrong", 401},
		{"/session", token, `"prompt":"where is Retry?"`, 200},
		{"/policies", token, `"policy":"lean"`, 200},
	} {
		if status, body := p.ask("GET", step.path, step.token, "", ""); status != step.status || !strings.Contains(body, step.want) {
			t.Errorf("%s: %d %.300s", step.path, status, body)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	p.interrupt()
	if !strings.Contains(report.String(), "retry.go:4") {
		t.Errorf("the report: %s", report.String())
	}
}
