package sessionfile

import (
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const opencodeSchema = `
	CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, parent_id TEXT, directory TEXT NOT NULL,
		title TEXT NOT NULL, revert TEXT, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL);
	CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER NOT NULL, data TEXT NOT NULL);
	CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL, data TEXT NOT NULL);`

// opencodeDatabase writes the exported session as a database.
func opencodeDatabase(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/opencode-export.json")
	if err != nil {
		t.Fatal(err)
	}
	var export struct {
		Messages []struct {
			Info  map[string]any
			Parts []map[string]any
		}
	}
	if err := json.Unmarshal(text, &export); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "opencode.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	data := func(v map[string]any) string {
		for _, column := range []string{"id", "sessionID", "messageID"} {
			delete(v, column)
		}
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	exec("PRAGMA journal_mode = wal")
	exec(opencodeSchema)
	exec(`INSERT INTO session VALUES ('ses_1', 'p1', NULL, '/w', 'Parser work', '{"messageID":"msg_9"}', 1767323045678, 0),
		('ses_0', 'p1', NULL, '/w', 'Empty', NULL, 1767323045000, 0)`)
	for _, m := range export.Messages {
		id := m.Info["id"]
		exec("INSERT INTO message VALUES (?, 'ses_1', 0, ?)", id, data(m.Info))
		for _, p := range m.Parts {
			part := p["id"]
			exec("INSERT INTO part VALUES (?, ?, 'ses_1', ?)", part, id, data(p))
		}
	}
	return path
}

// The database gives what the export gives, and stays as it was.
func TestOpencodeDatabase(t *testing.T) {
	path := opencodeDatabase(t)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{path, filepath.Dir(path)} {
		runs, report, err := Read(t.Context(), at, nil)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, run := range runs {
			checkRun(t, run)
			b.WriteString(outline(run))
		}
		want, err := os.ReadFile("testdata/opencode-export.json.want")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), b.String()+"---\n"+report.String()+"\n"); diff != "" {
			t.Error(diff)
		}
	}
	after, err := os.ReadFile(path)
	if err != nil || string(after) != string(before) {
		t.Errorf("the database has changed: %v", err)
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Errorf("files beside it: %v %v", files, err)
	}
}

func TestOpencodeDatabaseDamaged(t *testing.T) {
	whole, err := os.ReadFile(opencodeDatabase(t))
	if err != nil {
		t.Fatal(err)
	}
	damaged := append([]byte{}, whole...)
	for i := 4096; i < len(damaged); i += 64 {
		damaged[i] ^= 0xff
	}
	for name, text := range map[string][]byte{"cut": whole[:len(whole)/2], "header": whole[:100], "damaged": damaged} {
		path := filepath.Join(t.TempDir(), "opencode.db")
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Read(t.Context(), path, nil); err == nil || !strings.Contains(err.Error(), "opencode.db") {
			t.Errorf("%s: %v", name, err)
		}
	}
	path := filepath.Join(t.TempDir(), "other.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE thread (id TEXT)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Read(t.Context(), path, nil); !errors.Is(err, ErrUnrecognized) {
		t.Errorf("another database: %v", err)
	}
	// A row that is too long is skipped.
	_, report, err := Read(t.Context(), opencodeDatabase(t), &Options{MaxLine: 110})
	want := Skip{"message msg_2", "it has more than 110 bytes, or none"}
	if err != nil || !slices.Contains(report.Skipped, want) || slices.ContainsFunc(report.Skipped, func(s Skip) bool {
		return s.Place == "message msg_1" || s.Place == "part prt_msg_1_0"
	}) {
		t.Errorf("%v, %v", err, report)
	}
}

// While opencode runs, the newest data is in the write-ahead log.
func TestOpencodeDatabaseInUse(t *testing.T) {
	path := opencodeDatabase(t)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "UPDATE session SET title = 'Changed' WHERE id = 'ses_1'"); err != nil {
		t.Fatal(err)
	}
	runs, _, err := Read(t.Context(), path, nil)
	if err != nil || len(runs) == 0 || runs[0].Title != "Changed" {
		t.Errorf("%v: %+v", err, runs)
	}
}
