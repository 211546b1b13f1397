package postgres_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/session/sessiontest"
	"github.com/forayhq/foray/agent/store/postgres"
	"github.com/forayhq/foray/internal/sessionwalk"
)

// A folder is a store of bodies with a file for each.
type folder string

func (f folder) path(hash [32]byte) string {
	return filepath.Join(string(f), hex.EncodeToString(hash[:]))
}

func (f folder) PutBody(_ context.Context, hash [32]byte, data []byte) error {
	return os.WriteFile(f.path(hash), data, 0o600)
}

func (f folder) GetBody(_ context.Context, hash [32]byte) ([]byte, error) {
	data, err := os.ReadFile(f.path(hash))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", session.ErrNoBody, f.path(hash))
	}
	return data, err
}

// openElsewhere opens a store whose texts over 1 KiB are in a folder.
func openElsewhere(t *testing.T) (*postgres.Store, string, folder) {
	t.Helper()
	_, schema := open(t)
	f := folder(t.TempDir())
	s, err := postgres.Open(t.Context(), dsn, &postgres.Options{Schema: schema, Bodies: f, BodyBytes: 1})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s, schema, f
}

func TestElsewhereFulfilsTheContract(t *testing.T) {
	open(t) // skips once
	sessiontest.Run(t, func(t *testing.T) session.Store {
		s, schema, _ := openElsewhere(t)
		t.Cleanup(func() { checkBodies(t, schema) })
		return s
	})
}

// Rule: only large texts go to the store of bodies, each once; without it, they cannot be read, and the error says why.
func TestLargeTextsAreElsewhere(t *testing.T) {
	_, schema := open(t)
	f := folder(t.TempDir())
	s, err := postgres.Open(t.Context(), dsn, &postgres.Options{Schema: schema, Bodies: f, BodyBytes: 50_000})
	must(t, err)
	defer s.Close()
	for i, id := range []string{"a", "b"} {
		records := sessionwalk.LongStep(1, strings.Repeat("large ", 10_000))
		records = append(prompts(0, 1, strings.Repeat("small ", 1000)), records...)
		must(t, s.AppendRecords(t.Context(), id, 0, records...))
		if files, err := os.ReadDir(string(f)); len(files) != 1 || err != nil {
			t.Errorf("%d sessions put %d texts elsewhere: %v", i+1, len(files), err)
		}
	}
	var bytes int
	query(t, &bytes, in(schema, `SELECT sum(coalesce(length(data), 0)) FROM $.bodies`))
	if bytes > 10_000 {
		t.Errorf("the database holds %d bytes of texts", bytes)
	}
	for _, err = range openIn(t, schema).Records(t.Context(), "a") {
	}
	if err == nil || !strings.Contains(err.Error(), "Options.Bodies") || errors.Is(err, postgres.ErrDamaged) {
		t.Errorf("without the store of bodies: %v", err)
	}
}

// Rule: a body that is missing elsewhere, or is another one, is an error that names it and the place.
func TestDamageElsewhere(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(path string) error
		says   string
	}{
		"missing": {os.Remove, session.ErrNoBody.Error()},
		"cut":     {func(path string) error { return os.Truncate(path, 10) }, "body "},
		"another": {func(path string) error { return os.WriteFile(path, []byte("\x04\x0cabcd"), 0o600) }, "body "},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, f := openElsewhere(t)
			must(t, s.AppendRecords(t.Context(), "a", 0, prompts(0, 1, "short")...))
			must(t, s.AppendRecords(t.Context(), "a", 1, sessionwalk.LongStep(1, strings.Repeat("long ", 9000))...))
			files, err := os.ReadDir(string(f))
			must(t, err)
			for _, file := range files {
				must(t, c.damage(filepath.Join(string(f), file.Name())))
			}
			for _, err = range s.Records(t.Context(), "a") {
			}
			if !errors.Is(err, postgres.ErrDamaged) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), `"a"`) {
				t.Errorf("error %v, want ErrDamaged and %q", err, c.says)
			}
		})
	}
}

// Rule: while the store of bodies refuses texts, nothing is added; afterwards the same append succeeds.
func TestElsewhereIsDown(t *testing.T) {
	s, schema, f := openElsewhere(t)
	must(t, os.Rename(string(f), string(f)+" gone"))
	records := append(prompts(0, 1, "p"), sessionwalk.LongStep(1, strings.Repeat("long ", 9000))...)
	if err := s.AppendRecords(t.Context(), "a", 0, records...); err == nil || !strings.Contains(err.Error(), "storing body") {
		t.Errorf("an append without the store of bodies: %v", err)
	}
	var sessions int
	query(t, &sessions, in(schema, `SELECT count(*) FROM $.sessions`))
	if sessions != 0 {
		t.Errorf("it added %d sessions", sessions)
	}
	must(t, os.Rename(string(f)+" gone", string(f)))
	must(t, s.AppendRecords(t.Context(), "a", 0, records...))
	n := 0
	for _, err := range s.Records(t.Context(), "a") {
		must(t, err)
		n++
	}
	if n != len(records) {
		t.Errorf("%d records, want %d", n, len(records))
	}
}
