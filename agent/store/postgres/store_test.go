package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/session/sessiontest"
	"github.com/forayhq/foray/agent/store/postgres"
	"github.com/jackc/pgx/v5"
)

var schemas atomic.Int64

// open opens a store in a schema of its own. The test skips without a server.
func open(t testing.TB) (s *postgres.Store, schema string) {
	t.Helper()
	if dsn == "" {
		t.Skipf("no PostgreSQL (%s): install it, or set %s to a connection string", why, dsnEnv)
	}
	schema = fmt.Sprintf("foray test %d", schemas.Add(1))
	query(t, nil, `DROP SCHEMA IF EXISTS `+pgx.Identifier{schema}.Sanitize()+` CASCADE`)
	return openIn(t, schema), schema
}

func openIn(t testing.TB, schema string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(context.Background(), dsn, &postgres.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// query runs a statement as somebody else, and stores its row in into.
func query(t testing.TB, into any, statement string) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if into == nil {
		_, err = conn.Exec(context.Background(), statement)
	} else {
		err = conn.QueryRow(context.Background(), statement).Scan(into)
	}
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// in puts the quoted schema before tables, written as $.table.
func in(schema, statement string) string {
	return strings.ReplaceAll(statement, "$.", pgx.Identifier{schema}.Sanitize()+".")
}

func TestStoreFulfilsTheContract(t *testing.T) {
	open(t) // skips once
	sessiontest.Run(t, func(t *testing.T) session.Store {
		s, schema := open(t)
		t.Cleanup(func() { checkBodies(t, schema) })
		return s
	})
}

// checkBodies fails the test if a body belongs to no session, or if a session has fewer records than it counts.
func checkBodies(t *testing.T, schema string) {
	t.Helper()
	var wrong string
	query(t, &wrong, in(schema, `SELECT concat(
		(SELECT count(*) FROM $.bodies WHERE hash NOT IN (SELECT body FROM $.session_bodies)), ' bodies, ',
		(SELECT count(*) FROM $.sessions s WHERE records <> (SELECT count(*) FROM $.records WHERE session = s.key)),
		' sessions')`))
	if wrong != "0 bodies, 0 sessions" {
		t.Errorf("orphans: %s", wrong)
	}
}

func prompts(from, n int, text string) []session.Record {
	records := make([]session.Record, n)
	for i := range records {
		records[i].Run = &session.Run{Prompt: fmt.Sprintf("%d %s", from+i, text)}
	}
	return records
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestList(t *testing.T) {
	s, _ := open(t)
	for i, id := range []string{"a", "b", "c", "a"} {
		must(t, s.AppendRecords(t.Context(), id, i/3, prompts(i, 1, "")...))
	}
	list, err := s.List(t.Context(), 0, 2)
	must(t, err)
	if len(list) != 2 || list[0].ID != "a" || list[0].Records != 2 || list[1].ID != "c" {
		t.Errorf("%+v", list)
	}
	if !list[0].Updated.After(list[1].Created) || list[0].Updated.Before(list[0].Created) {
		t.Errorf("times: %+v", list)
	}
}

// A schema of a newer program is refused and left alone; one that is there is taken as it is.
func TestVersions(t *testing.T) {
	s, schema := open(t)
	must(t, s.AppendRecords(t.Context(), "a", 0, prompts(0, 2, "")...))
	other := openIn(t, schema)
	must(t, other.AppendRecords(t.Context(), "a", 2, prompts(2, 1, "")...))
	query(t, nil, in(schema, `INSERT INTO $.version VALUES (99)`))
	_, err := postgres.Open(t.Context(), dsn, &postgres.Options{Schema: schema})
	if !errors.Is(err, postgres.ErrNewer) || !strings.Contains(err.Error(), schema) {
		t.Errorf("a newer version: %v", err)
	}
}

// Many processes may open a schema that is not there.
func TestOpenedAtOnce(t *testing.T) {
	_, schema := open(t)
	schema += " at once"
	failed := make(chan error, 8)
	for range cap(failed) {
		go func() {
			s, err := postgres.Open(context.Background(), dsn, &postgres.Options{Schema: schema})
			if err == nil {
				err = s.Close()
			}
			failed <- err
		}()
	}
	for range cap(failed) {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
}

// What is not as it was written is an error that says which record, after the records before it.
func TestDamage(t *testing.T) {
	for name, damage := range map[string]string{
		"record 1":     `UPDATE $.records SET data = '{"run": 1' WHERE n = 1`,
		"body":         `UPDATE $.bodies SET data = data || '\x00'`,
		"other text":   `UPDATE $.bodies b SET data = o.data, size = o.size FROM $.bodies o WHERE o.hash <> b.hash`,
		"is missing":   `TRUNCATE $.bodies CASCADE`,
		"record 3 is ": `DELETE FROM $.records WHERE n = 3`,
	} {
		t.Run(name, func(t *testing.T) {
			s, schema := open(t)
			long := strings.Repeat("long ", 1000)
			must(t, s.AppendRecords(t.Context(), "a", 0, prompts(0, 5, "")...))
			must(t, s.AppendRecords(t.Context(), "a", 5, prompts(0, 2, long)...))
			query(t, nil, in(schema, damage))
			var failed error
			for _, err := range s.Records(t.Context(), "a") {
				failed = err
			}
			if !errors.Is(failed, postgres.ErrDamaged) || !strings.Contains(failed.Error(), `"a"`) {
				t.Errorf("error %v, want ErrDamaged", failed)
			}
		})
	}
}

// When the server ends the connection that holds the locks, the store connects again.
func TestLostConnection(t *testing.T) {
	s, schema := open(t)
	unlock, err := s.LockSession(t.Context(), "a")
	must(t, err)
	query(t, new(bool), `SELECT bool_and(pg_terminate_backend(pid)) FROM pg_locks WHERE locktype = 'advisory'`)
	if _, err := s.LockSession(t.Context(), "a"); !errors.Is(err, session.ErrInUse) {
		t.Errorf("the session that this process runs: %v", err)
	}
	second, err := s.LockSession(t.Context(), "b")
	must(t, err)
	if _, err := openIn(t, schema).LockSession(t.Context(), "b"); !errors.Is(err, session.ErrInUse) {
		t.Errorf("after a new connection: %v", err)
	}
	unlock()
	second()
	third, err := s.LockSession(t.Context(), "a")
	must(t, err)
	third()
}
