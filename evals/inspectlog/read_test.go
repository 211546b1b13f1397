package inspectlog

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/evals/trial"
)

// A log that Inspect 0.3.285 wrote, compressed with zstd: two tasks, two epochs, one answer of the model mockllm is wrong.
func TestReadInspects(t *testing.T) {
	info, rows, err := Read("testdata/capitals.eval")
	if err != nil {
		t.Fatal(err)
	}
	if info.Set != "capitals" || info.Tasks != 2 || info.Trials != 2 || info.Subjects[0] != "mockllm/model" {
		t.Errorf("%+v", info)
	}
	var got []string
	for _, r := range rows {
		got = append(got, fmt.Sprintf("%s %d %t %g %s %d+%d", r.Task, r.Trial, r.Passed, r.Score, r.Checks[0].Check, r.Usage.Input,
			r.Usage.Output))
		if r.Seconds <= 0 || r.Started.IsZero() || r.Failure != nil {
			t.Errorf("%+v", r)
		}
	}
	want := "france 1 true 1 includes 6+21, 7 1 true 1 includes 4+10, france 2 false 0 includes 6+14, 7 2 true 1 includes 4+21"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("read %s\nwant %s", s, want)
	}
}

// What Write wrote comes back, but for what a summary has no place for.
func TestReadWhatWasWritten(t *testing.T) {
	dir := sampleFolder(t)
	path := filepath.Join(t.TempDir(), "log.eval")
	var b bytes.Buffer
	if err := errors.Join(Write(t.Context(), &b, dir, "scripted/model"), os.WriteFile(path, b.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
	info, rows, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := rowsOf(dir, "scripted/model")
	if err != nil {
		t.Fatal(err)
	}
	wantInfo, err := trial.ReadInfo(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wantInfo, info); diff != "" {
		t.Error(diff)
	}
	for i := range want {
		want[i].Trace = ""
		if diff := cmp.Diff(*want[i], rows[i]); diff != "" {
			t.Error(diff)
		}
	}
}

// A log of an eval that still runs has no header and no summaries of all samples.
func TestReadUnfinished(t *testing.T) {
	raw, err := os.ReadFile("testdata/capitals.eval")
	if err != nil {
		t.Fatal(err)
	}
	from, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "running.eval")
	var b bytes.Buffer
	to := zip.NewWriter(&b)
	for _, f := range from.File {
		if strings.HasPrefix(f.Name, "_journal/") && !strings.HasSuffix(f.Name, "/4.json") {
			err = errors.Join(err, to.Copy(f))
		}
	}
	if err := errors.Join(err, to.Close(), os.WriteFile(path, b.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
	if _, rows, err := Read(path); err != nil || len(rows) == 0 || len(rows) > 4 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	whole := written(t)
	var other bytes.Buffer
	z := zip.NewWriter(&other)
	if _, err := z.Create("header.json"); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for name, raw := range map[string][]byte{"empty": nil, "text": []byte("hello"), "cut": whole[:len(whole)/2], "other": other.Bytes()} {
		path := filepath.Join(dir, name+".eval")
		if err := os.WriteFile(path, raw, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Read(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	raw, err := os.ReadFile("testdata/capitals.eval")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Fuzz(func(t *testing.T, raw []byte) {
		path := filepath.Join(t.TempDir(), "log.eval")
		if err := os.WriteFile(path, raw, 0o666); err != nil {
			t.Fatal(err)
		}
		_, rows, err := Read(path)
		for _, r := range rows {
			if err == nil && (r.Trial < 1 || r.Subject == "" || !(r.Score >= 0 && r.Score <= 1.0000001)) {
				t.Errorf("%+v", r)
			}
		}
	})
}
