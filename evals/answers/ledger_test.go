package answers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/tools/gitrepo"
	"github.com/forayhq/foray/tools/report"
)

// TestResumes interrupts a run in two modes: the next one asks only what is not in the rows, of this model and window.
func TestResumes(t *testing.T) {
	dir := t.TempDir()
	repository(t, filepath.Join(dir, "a+b", "repo"))
	var questions []*Question
	for i := range 4 {
		questions = append(questions, &Question{ID: fmt.Sprint(i), Repo: "a/b", Commit: "HEAD", Family: absent, Text: "where is X?"})
	}
	ctx, stop := context.WithCancel(t.Context())
	var rows bytes.Buffer
	var said []string
	clock, asked, most := time.Unix(0, 0), 0, 3
	cfg := Config{
		Dir: dir, Modes: []string{"rules", "evidence"}, Model: "m", Window: 8, Rows: &rows, Options: &evals.Options{Jobs: 1},
		Now: func() time.Time { return clock }, Say: func(text string) { said = append(said, text) },
		Ask: func(context.Context, *Question, string, *gitrepo.Tree, *gitrepo.Repo) (*report.Report, string, error) {
			clock = clock.Add(10 * time.Second)
			if asked++; asked == most {
				stop()
				return nil, "", errors.New("interrupted")
			}
			return &report.Report{}, "", nil
		},
	}
	if _, err := Run(ctx, questions, cfg); !errors.Is(err, context.Canceled) || strings.Count(rows.String(), "\n") != 2 {
		t.Fatalf("%v: rows\n%s", err, &rows)
	}
	if want := "2 of 8, 0 (evidence): right, 10 s; about 1m0s left"; len(said) != 2 || said[1] != want {
		t.Errorf("it said %q, want %q", said, want)
	}
	most, asked = 0, 0
	torn := `{"model":"m","window":8,"mode":"evidence","id":"3","ans`
	other := `{"model":"other","window":8,"mode":"rules","id":"2","answer":{},"seconds":1}` + "\n"
	cfg.Earlier = []byte(other + rows.String() + torn)
	r, err := Run(t.Context(), questions, cfg)
	if err != nil || asked != 6 || len(r.scores) != 8 {
		t.Fatalf("%v: asked %d times, %d answers", err, asked, len(r.scores))
	}
	for _, row := range r.Rows {
		if v, _ := row.percent(saidAbsent); v != 100 || row.median() != 10 || row.Questions != 4 {
			t.Errorf("%+v", row)
		}
	}
	cfg.Earlier = []byte("{\n{}\n")
	if _, err := Run(t.Context(), questions, cfg); err == nil || !strings.Contains(err.Error(), "line 1 of the rows") {
		t.Errorf("a broken row: %v", err)
	}
	cfg.Earlier, cfg.Rows = nil, broken{}
	if _, err := Run(t.Context(), questions, cfg); err == nil || !strings.Contains(err.Error(), "writing a row: full") {
		t.Errorf("a full disk: %v", err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("full") }

// TestSample takes of every family, and of every part of it before it takes a second one.
func TestSample(t *testing.T) {
	var questions []*Question
	for i := range 40 {
		q := &Question{ID: fmt.Sprint(i), Family: "overview"}
		if q.Notes.Sub = "what"; i%10 == 0 {
			q.Notes.Sub = "licence"
		}
		if i == 39 {
			q.Family, q.Notes.Sub = "docs", ""
		}
		questions = append(questions, q)
	}
	for n, want := range map[int]string{0: "40 39 4", 1: "2 1 ?", 2: "3 2 1", 100: "40 39 4"} {
		overviews, licences := 0, 0
		some := sampleOf(questions, n)
		for _, q := range some {
			if q.Family == "overview" {
				overviews++
			}
			if q.Notes.Sub == "licence" {
				licences++
			}
		}
		got := fmt.Sprint(len(some), overviews, licences)
		if want = strings.ReplaceAll(want, "?", fmt.Sprint(licences)); got != want {
			t.Errorf("%d of each: %s, want %s", n, got, want)
		}
	}
	if a, b := sampleOf(questions, 1)[0], sampleOf(questions, 1)[0]; a != b {
		t.Error("two samples differ")
	}
}
