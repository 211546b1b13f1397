package store_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/session/sessiontest"
	"github.com/forayhq/foray/agent/store"
)

func TestSessionsFulfilTheContract(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"file": "f.db", "memory": ""} {
		t.Run(name, func(t *testing.T) {
			sessiontest.Run(t, func(t *testing.T) session.Store {
				if path != "" {
					path = filepath.Join(t.TempDir(), "f.db")
				}
				s := open(t, path, nil)
				t.Cleanup(func() { must(t, s.Check(context.Background())) })
				return s.Sessions()
			})
		})
	}
}

// recordsOf returns the records of a session.
func recordsOf(t testing.TB, s *store.Store, id string) (records []session.Record) {
	t.Helper()
	for r, err := range s.Sessions().Records(t.Context(), id) {
		must(t, err)
		records = append(records, r)
	}
	return records
}
