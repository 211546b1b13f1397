package main

import (
	"bytes"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/providers/providertest"
)

// A new question to a session that another process runs is refused with the name of that process. Once it is gone, the
// hint says how to continue.
func TestQuestionToARunningSession(t *testing.T) {
	server := httptest.NewServer(new(providertest.Hostile))
	defer server.Close()
	t.Setenv("OPENAI_API_KEY", "sk-"+"x")
	t.Setenv("FORAY_MODEL", "")
	db := filepath.Join(t.TempDir(), "db")
	explore := func() string {
		var out bytes.Buffer
		root := newRoot()
		root.SetArgs([]string{"explore", "--repo", smallRepo(t), "--db", db, "--session", "one", "--model", "openai/endless-event",
			"--base-url", server.URL + "/v1", "where is it?"})
		root.SetOut(&out)
		root.SetErr(&out)
		cli.PrintError(&out, root.ExecuteContext(t.Context()))
		return out.String()
	}
	if said := explore(); !strings.Contains(said, "foray sessions resume one") {
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
	unlock()
	if said := explore(); !strings.Contains(said, `the last question of session "one" has no answer yet`) {
		t.Errorf("after it ran: %s", said)
	}
}
