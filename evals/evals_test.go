package evals_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/forayhq/foray/evals"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// words is a suite of three contenders: one that works, one that fails on some cases, one that panics on one.
func words() evals.Suite[string, int] {
	return evals.Suite[string, int]{
		Cases: []evals.Case[string]{{ID: "a", Group: "short", Input: "x"}, {ID: "b", Group: "long", Input: "xxxx"}, {ID: "c", Group: "long", Input: "xxxxx"}},
		Contenders: []evals.Contender[string, int]{
			{Name: "length", Run: func(_ context.Context, s string) (int, error) { return len(s), nil }},
			{Name: "fails", Run: func(_ context.Context, s string) (int, error) {
				if len(s) > 4 {
					return 9, errors.New("too long")
				}
				return -1, nil
			}},
			{Name: "panics", Run: func(_ context.Context, s string) (int, error) { return 12 / (len(s) - 4), nil }},
		},
		Checks: []evals.Check[string, int]{{Name: "positive", Holds: func(in string, out int) error {
			if out <= 0 {
				return fmt.Errorf("%s gave %d", in, out)
			}
			return nil
		}}},
	}
}

func TestRun(t *testing.T) {
	for _, jobs := range []int{0, 1, 8} {
		suite := words()
		var last [2]int
		outcomes, err := suite.Run(t.Context(), &evals.Options{Jobs: jobs, Progress: func(done, total int) { last = [2]int{done, total} }})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range outcomes {
			line := fmt.Sprintf("%s/%s %s %d", o.Group, o.Case, o.Contender, o.Output)
			if o.Err != nil {
				line += " " + o.Err.Error()
			}
			for _, b := range o.Breaches {
				line += " !" + b.Check + ": " + b.Err.Error()
			}
			got = append(got, line)
		}
		want := []string{
			"short/a length 1", "short/a fails -1 !positive: x gave -1", "short/a panics -4 !positive: x gave -4",
			"long/b length 4", "long/b fails -1 !positive: xxxx gave -1",
			"long/b panics 0 playing panics on b: panic: runtime error: integer divide by zero",
			"long/c length 5", "long/c fails 0 playing fails on c: too long", "long/c panics 12",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d jobs:\n%s", jobs, diff)
		}
		if last != [2]int{9, 9} {
			t.Errorf("%d jobs: the last progress is %v", jobs, last)
		}
	}
}

func TestRunEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	played := 0
	suite := evals.Suite[string, int]{Cases: make([]evals.Case[string], 100), Contenders: []evals.Contender[string, int]{{
		Run: func(context.Context, string) (int, error) {
			if played++; played == 3 {
				cancel()
			}
			return 0, nil
		},
	}}}
	if outcomes, err := suite.Run(ctx, nil); !errors.Is(err, context.Canceled) || outcomes != nil || played > 3 {
		t.Errorf("played %d, outcomes %d, error %v", played, len(outcomes), err)
	}
}

func TestWriteMarkdown(t *testing.T) {
	var b strings.Builder
	err := evals.WriteMarkdown(&b,
		evals.Table{Title: "One", Note: "A note."},
		evals.Table{Title: "Two\nlines", Columns: []string{"a", "größe"}, Rows: [][]string{{"x|y", "1", "left out"}, {"longer"}}},
	)
	want := "## One\n\nA note.\n\n## Two lines\n\n| a      | größe |\n|--------|-------|\n| x\\|y   | 1     |\n| longer |       |\n"
	if err != nil || b.String() != want {
		t.Errorf("error %v, got:\n%s", err, b.String())
	}
}

func TestEachLine(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprint(z, "four\nbad five")
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	write("a.jsonl", "one\n\n  \nbad two\nthree")
	write("sub/b.jsonl.gz", packed.String())
	write("sub/c.jsonl.gz", packed.String()[:packed.Len()-9])
	write("notes.txt", "not read")
	single := write("any.name", "six")
	whole := write("whole.json", "\n[\n  1,\n  2\n]\n")
	torn := write("torn.json", "{\n7\nbad eight")

	var got []string
	read := func(file string, line []byte) error {
		if strings.HasPrefix(string(line), "bad") {
			return errors.New("no good")
		}
		got = append(got, filepath.Base(file)+" "+string(line))
		return nil
	}
	skipped, err := evals.EachLine(t.Context(), []string{dir, single, whole, torn}, read)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a.jsonl one", "a.jsonl three", "b.jsonl.gz four", "c.jsonl.gz four", "any.name six", "whole.json \n[\n  1,\n  2\n]\n",
		"torn.json {", "torn.json 7"}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a.jsonl:4: no good", "b.jsonl.gz:2: no good", "c.jsonl.gz:2: no good", "c.jsonl.gz:3: unexpected EOF", "torn.json:3: no good"}, skipped); diff != "" {
		t.Error(diff)
	}
	for _, path := range []string{filepath.Join(dir, "nowhere"), write("not.gz", "plain")} {
		if _, err := evals.EachLine(t.Context(), []string{path}, read); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v", path, err)
		}
	}
}
