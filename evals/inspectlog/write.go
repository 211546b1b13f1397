package inspectlog

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/forayhq/foray/evals/internal/turns"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/internal/jsonlines"
)

// Write writes the log of one subject of a folder of results. Of several results of a trial the last one counts. A
// trace that is missing or damaged leaves its sample without the events that it would have had.
func Write(ctx context.Context, w io.Writer, dir, subject string) error {
	info, err := trial.ReadInfo(dir)
	if err != nil {
		return err
	}
	l := &logWriter{
		dir: dir, zip: zip.NewWriter(w), tasks: make(map[string]*task.Task),
		totals: totals{info: info, subject: subject, scores: make(map[string]map[string][]float64)},
	}
	for t, err := range trial.Tasks(dir) {
		if err == nil { // a task only adds its prompt
			l.tasks[t.ID] = t
		}
	}
	rows, err := rowsOf(dir, subject)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := l.sample(row); err != nil {
			return fmt.Errorf("writing the log of %s: %w", subject, err)
		}
	}
	if err := l.finish(); err != nil {
		return fmt.Errorf("writing the log of %s: %w", subject, err)
	}
	return nil
}

// rowsOf returns the results of a subject.
func rowsOf(dir, subject string) ([]*trial.Row, error) {
	type key struct {
		task  string
		trial int
	}
	var rows []*trial.Row
	seen := make(map[key]int)
	for row, err := range trial.Rows(dir) {
		if row == nil || row.Subject != subject {
			if row == nil && errors.Is(err, os.ErrNotExist) {
				return nil, err
			}
			continue
		}
		k := key{row.Task, row.Trial}
		i, again := seen[k]
		if !again {
			i = len(rows)
			seen[k], rows = i, append(rows, row)
		}
		rows[i] = row
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s has no results of subject %q", dir, subject)
	}
	return rows, nil
}

// A logWriter writes the parts of a log.
type logWriter struct {
	dir       string
	zip       *zip.Writer
	tasks     map[string]*task.Task
	totals    totals
	summaries []*summary
}

// sample writes the sample of a row.
func (l *logWriter) sample(row *trial.Row) error {
	s := sampleOf(row, l.tasks[row.Task])
	w := eventWriter{sample: s, row: row, tools: make(map[string][]object)}
	if row.Trace != "" {
		run, err := turns.Read(func() (io.ReadCloser, error) { return openTrace(l.dir, row.Trace) })
		if err == nil {
			w.run = run
		} else {
			w.add("info", 0, object{"source": "foray", "data": "No trace: " + err.Error()})
		}
	}
	w.write()
	l.totals.add(row, l.tasks[row.Task])
	y, err := summaryOf(row, s)
	if err != nil {
		return err
	}
	l.summaries = append(l.summaries, y)
	return l.part(fmt.Sprintf("samples/%s_epoch_%d.json", s.ID, s.Epoch), row.Started, s)
}

// finish writes what sums up the samples.
func (l *logWriter) finish() error {
	h, at := l.totals.header(), l.totals.last
	start := object{"version": h.Version, "eval": h.Eval, "plan": h.Plan}
	for _, file := range []struct {
		name string
		data any
	}{
		{"_journal/start.json", start}, {"_journal/summaries/1.json", l.summaries}, {"summaries.json", l.summaries},
		{"header.json", h},
	} {
		if err := l.part(file.name, at, file.data); err != nil {
			return err
		}
	}
	return l.zip.Close()
}

// part writes one file of the log. Its time is that of the run, so that equal results give equal bytes.
func (l *logWriter) part(name string, at time.Time, v any) error {
	f, err := l.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: at.UTC()})
	if err != nil {
		return err
	}
	e := json.NewEncoder(f)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// openTrace opens a trace of a folder of results. A path that leads out of the folder is refused.
func openTrace(dir, name string) (io.ReadCloser, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, fmt.Errorf("the trace %q is not in %s", name, dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.Open(filepath.FromSlash(name)) // follows no link out of the folder
	if err != nil || !strings.HasSuffix(name, ".gz") {
		return f, err
	}
	return jsonlines.Unzip(f)
}
