package main

import (
	"bytes"
	"context"
	"errors"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	durable "github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/providers/providertest"
)

// A new question to a session that another process runs is refused with the name of that process, and so is resuming
// it. Once it is gone, the hint says how to continue.
func TestQuestionToARunningSession(t *testing.T) {
	server := httptest.NewServer(new(providertest.Hostile))
	defer server.Close()
	t.Setenv("OPENAI_API_KEY", "sk-"+"x")
	t.Setenv("FORAY_MODEL", "")
	db := filepath.Join(t.TempDir(), "db")
	run := func(args ...string) string {
		var out bytes.Buffer
		root := newRoot()
		root.SetArgs(args)
		root.SetOut(&out)
		root.SetErr(&out)
		cli.PrintError(&out, root.ExecuteContext(t.Context()))
		return out.String()
	}
	explore := func() string {
		return run("explore", "--repo", smallRepo(t), "--db", db, "--session", "one", "--model", "openai/endless-event",
			"--base-url", server.URL+"/v1", "where is it?")
	}
	if said := explore(); !strings.Contains(said, "foray sessions resume one --db ") {
		t.Fatalf("the run is finished: %s", said)
	}
	s, err := store.Open(t.Context(), db, &store.Options{Command: "foray explore"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	unlock, err := s.Sessions().LockSession(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	if said := explore(); !strings.Contains(said, "the session is in use: foray explore (process ") {
		t.Errorf("while it runs: %s", said)
	}
	said := run("sessions", "resume", "one", "--db", db)
	if !strings.Contains(said, "the session is in use: foray explore (process ") ||
		!strings.Contains(said, "hint: try again when the other process is done") || strings.Contains(said, "usable answer") {
		t.Errorf("resumed while it runs: %s", said)
	}
	unlock()
	if said := explore(); !strings.Contains(said, `the last question of session "one" has no answer yet`) {
		t.Errorf("after it ran: %s", said)
	}
}

// A chat whose answers cannot be written ends with an error that says where they are.
func TestChatToAFullDisk(t *testing.T) {
	t.Setenv("FORAY_MODEL", "")
	var said bytes.Buffer
	root := newRoot()
	root.SetArgs([]string{"chat", "--repo", smallRepo(t), "--db", filepath.Join(t.TempDir(), "db"), "--thread", "plans"})
	root.SetIn(strings.NewReader("where is Retry?\nand who calls it?\n"))
	root.SetOut(fullDisk{})
	root.SetErr(&said)
	code := cli.PrintError(&said, root.ExecuteContext(t.Context()))
	if want := "foray: error: writing the answer: no space"; code != cli.ExitPartial || !strings.Contains(said.String(), want) ||
		!strings.Contains(said.String(), "the thread has it: foray threads show plans --db ") {
		t.Errorf("code %d: %s", code, said.String())
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space") }

// A new session never gets the id of another one, whose run it would continue with its own question in the other's
// place.
func TestNewSessionIDIsFree(t *testing.T) {
	now, asked := time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC), 0
	taken := func(_ context.Context, id string) (store.SessionInfo, error) {
		if asked++; len(id) > len("0309-babibubo") {
			return store.SessionInfo{}, durable.ErrUnknown
		}
		return store.SessionInfo{ID: id}, nil
	}
	if id, err := newSessionID(t.Context(), now, taken); len(id) != len("0309-babibubobe") || asked != 3 || err != nil {
		t.Errorf("%q, %v after %d questions, want five syllables after 3", id, err, asked)
	}
	broken := errors.New("broken")
	_, err := newSessionID(t.Context(), now, func(context.Context, string) (store.SessionInfo, error) {
		return store.SessionInfo{}, broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("%v, want the error of the store", err)
	}
}
