package sessionfile

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/jsonlines"
)

var update = flag.Bool("update", false, "rewrite the expected outcomes")

// outline tells a run: what is known of it, and its messages, a unit a line as "role text(call:name args)=result".
func outline(r *Run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s/%s", r.Source, r.ID)
	for _, field := range [][2]string{{"session", r.Session}, {"parent", r.Parent}, {"title", r.Title},
		{"model", r.Model}, {"dir", r.Dir}, {"system", r.System}} {
		if field[1] != "" {
			fmt.Fprintf(&b, "\n%s: %s", field[0], field[1])
		}
	}
	if !r.Created.IsZero() {
		fmt.Fprintf(&b, "\ncreated: %s", r.Created.Format("2006-01-02T15:04:05Z07:00"))
	}
	var open []transcript.ToolCall
	for i, m := range r.Messages {
		if m.Role == transcript.Tool {
			failed := ""
			if m.Failed {
				failed = "failed "
			}
			fmt.Fprintf(&b, "(%s:%s %s)=%s%s", open[0].ID, open[0].Name, open[0].Args, failed, m.Text)
			open = open[1:]
			continue
		}
		fmt.Fprintf(&b, "\n%s ", m.Role)
		if text := r.Reasoning[i]; text != "" {
			fmt.Fprintf(&b, "{%s} ", text)
		}
		b.WriteString(m.Text)
		open = m.Calls
	}
	return b.String() + "\n"
}

// checkRun fails unless the run is valid once a prompt follows it.
func checkRun(t *testing.T, r *Run) {
	t.Helper()
	all := append(slices.Clone(r.Messages), transcript.Message{Role: transcript.User, Text: "Next."})
	if err := transcript.Check(all, transcript.AnyProvider); err != nil {
		t.Errorf("%s: %v", r.ID, err)
	}
	for i := range r.Reasoning {
		if r.Messages[i].Role != transcript.Assistant {
			t.Errorf("%s: message %d has reasoning", r.ID, i)
		}
	}
}

// TestFormats reads a small file of each form, and compares with the file.want next to it.
func TestFormats(t *testing.T) {
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, ".want") || filepath.Base(path) == "fuzz" {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			runs, report, err := Read(t.Context(), path, nil)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, run := range runs {
				checkRun(t, run)
				b.WriteString(outline(run))
			}
			b.WriteString("---\n" + report.String() + "\n")
			if *update {
				if err := os.WriteFile(path+".want", []byte(b.String()), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path + ".want")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), b.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func readLines(t *testing.T, o *Options, lines ...string) ([]*Run, *Report) {
	t.Helper()
	var runs []*Run
	r, err := NewReader("case.jsonl", o, func(r *Run) bool {
		runs = append(runs, r)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range lines {
		if err := r.Line([]byte(line)); err != nil {
			r.report.skip(place{line: i + 1}, err)
		}
	}
	report := r.End()
	for _, run := range runs {
		checkRun(t, run)
	}
	return runs, report
}

// FuzzRead reads anything in any format: it must not panic, and what comes of it must be valid.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json*")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(byte(0), text)
	}
	f.Fuzz(func(t *testing.T, format byte, text []byte) {
		names := []string{""}
		for _, known := range Formats() {
			names = append(names, known.Name)
		}
		o := &Options{Format: names[int(format)%len(names)], MaxLine: 1 << 12, Strict: format > 128}
		messages := 0
		r, err := NewReader("x.jsonl", o, func(r *Run) bool {
			checkRun(t, r)
			messages += len(r.Messages)
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		_ = jsonlines.EachOf(t.Context(), bytes.NewReader(text), o.MaxLine, func(_ int, line []byte, err error) bool {
			if err == nil {
				_ = r.Line(line) // any error is about the line
			}
			return true
		})
		if report := r.End(); report.Messages != messages || report.String() == "" {
			t.Errorf("%d messages, reported %d", messages, report.Messages)
		}
	})
}
