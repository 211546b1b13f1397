package sessionfile

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/sqliteread"
)

// opencodeQueries read a session, its messages and their parts. Rows of more than ?2 bytes come without data.
const (
	tablesQuery  = `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('session', 'message', 'part')`
	sessionQuery = `SELECT id, coalesce(parent_id, ''), directory, title, time_created, coalesce(revert, '')
		FROM session ORDER BY time_created, id`
	messageQuery = `SELECT id, CASE WHEN length(data) <= ?2 THEN data ELSE '' END
		FROM message WHERE session_id = ?1 ORDER BY id`
	partQuery = `SELECT part.message_id, part.id, CASE WHEN length(part.data) <= ?2 THEN part.data ELSE '' END
		FROM part JOIN message ON message.id = part.message_id WHERE message.session_id = ?1 ORDER BY part.id`
)

// database adds the sessions of opencode's database, one after the other.
func (r *Reader) database(ctx context.Context, path string) error {
	db, err := sqliteread.Open(path)
	if err != nil {
		return err
	}
	defer db.Close()
	tables := 0
	if err := db.QueryRowContext(ctx, tablesQuery).Scan(&tables); err != nil {
		return fmt.Errorf("reading the tables: %w", err)
	}
	if tables < 3 {
		return nil // of another program
	}
	r.formats[opencode] = true
	var all []opencodeSession
	err = each(ctx, db, func(rows *sql.Rows) error {
		var s opencodeSession
		var at, revert string
		if err := rows.Scan(&s.ID, &s.Parent, &s.Dir, &s.Title, &at, &revert); err != nil {
			return err
		}
		s.Time.Created = json.RawMessage(at)
		_ = json.Unmarshal([]byte(revert), &s.Revert) // nothing else is known of it
		all = append(all, s)
		return nil
	}, sessionQuery)
	if err != nil {
		return fmt.Errorf("reading the sessions of opencode: %w", err)
	}
	for i := range all {
		if r.kept = 0; r.stopped {
			break
		}
		messages, err := r.messages(ctx, db, all[i].ID)
		if err != nil {
			return fmt.Errorf("reading session %s of opencode: %w", all[i].ID, err)
		}
		r.sessions(opencode, all[i].runs(messages)...)
	}
	return nil
}

// messages reads the messages of a session.
func (r *Reader) messages(ctx context.Context, db *sql.DB, session string) (all []opencodeMessage, err error) {
	index := make(map[string]int)
	err = each(ctx, db, func(rows *sql.Rows) error {
		var id string
		var data []byte
		if err := rows.Scan(&id, &data); err != nil {
			return err
		}
		if err := r.keep(len(data)); err != nil {
			return err
		}
		var m opencodeMessage
		if err := json.Unmarshal(data, &m); err != nil {
			r.report.skip(place{id: "message " + id}, r.rowError(data, err))
			return nil
		}
		m.ID = id
		index[id] = len(all)
		all = append(all, m)
		return nil
	}, messageQuery, session, r.options.MaxLine)
	if err != nil {
		return nil, err
	}
	return all, each(ctx, db, func(rows *sql.Rows) error {
		var message, id string
		var data []byte
		if err := rows.Scan(&message, &id, &data); err != nil {
			return err
		}
		if err := r.keep(len(data)); err != nil {
			return err
		}
		at := place{id: "part " + id}
		if m, ok := index[message]; ok && len(data) > 0 {
			all[m].add(data, id, at, r.report)
		} else if ok {
			r.report.skip(at, r.rowError(data, nil))
		}
		return nil
	}, partQuery, session, r.options.MaxLine)
}

func (r *Reader) rowError(data []byte, err error) error {
	if len(data) == 0 {
		return fmt.Errorf("it has more than %d bytes, or none", r.options.MaxLine)
	}
	return plain(err)
}

// each calls scan with the rows of a query.
func each(ctx context.Context, db *sql.DB, scan func(*sql.Rows) error, query string, args ...any) error {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// folder adds the sessions of a folder of opencode: one with a database, or one of JSON files, which older versions
// wrote: storage/session/PROJECT/SESSION.json, storage/message/SESSION/MESSAGE.json, storage/part/MESSAGE/PART.json.
func (r *Reader) folder(ctx context.Context, dir string) error {
	file := filepath.Join(dir, "opencode.db")
	if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
		return r.database(ctx, file)
	}
	root, err := os.OpenRoot(dir) // ids in the files name other files
	if err != nil {
		return err
	}
	defer root.Close()
	tree := root.FS()
	if filepath.Base(dir) != "storage" {
		if tree, err = fs.Sub(tree, "storage"); err != nil {
			return err
		}
	}
	files, err := fs.Glob(tree, "session/*/*.json")
	if err != nil {
		return err
	}
	slices.SortFunc(files, func(a, b string) int { return strings.Compare(path.Base(a), path.Base(b)) })
	for _, file := range files {
		if err := ctx.Err(); err != nil || r.stopped {
			return err
		}
		var s opencodeSession
		if r.decode(tree, file, &s) && s.ID != "" {
			r.formats[opencode] = true
			r.sessions(opencode, s.runs(r.stored(tree, s.ID))...)
		}
	}
	return nil
}

// stored reads the messages of a session in files.
func (r *Reader) stored(tree fs.FS, session string) (all []opencodeMessage) {
	for _, name := range jsonFiles(tree, "message/"+session) {
		var m opencodeMessage
		if !r.decode(tree, name, &m) {
			continue
		}
		for _, part := range jsonFiles(tree, "part/"+m.ID) {
			var p opencodePart
			if r.decode(tree, part, &p) {
				m.parts = append(m.parts, p)
			}
		}
		all = append(all, m)
	}
	return all
}

// jsonFiles returns the JSON files of a folder; none if it cannot be read, since a message may have no parts.
func jsonFiles(tree fs.FS, dir string) (files []string) {
	entries, err := fs.ReadDir(tree, dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.Type().IsRegular() && path.Ext(e.Name()) == ".json" {
			files = append(files, path.Join(dir, e.Name()))
		}
	}
	return files
}

// decode reads a JSON file. It reports one that cannot be read.
func (r *Reader) decode(tree fs.FS, file string, v any) bool {
	err := func() error {
		info, err := fs.Stat(tree, file)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() || info.Size() > int64(r.options.MaxLine) {
			return fmt.Errorf("it is not a file of at most %d bytes", r.options.MaxLine)
		}
		raw, err := fs.ReadFile(tree, file)
		if err != nil {
			return err
		}
		return json.Unmarshal(raw, v)
	}()
	if err != nil {
		r.report.skip(place{id: file}, plain(err))
	}
	return err == nil
}
