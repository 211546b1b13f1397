package task_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/task"
	"github.com/google/go-cmp/cmp"
)

const (
	testSh   = "if grep -q hello /app/hello.txt; then echo 1; else echo 0; fi > /logs/verifier/reward.txt\n"
	taskToml = "version = \"1.0\"\n[metadata]\ntags = [\"files\"]\ndifficulty = \"easy\"\n[verifier]\ntimeout_sec = 30.0\n" +
		"[agent]\ntimeout_sec = 120.0\n[environment]\nmemory = \"2G\"\n"
)

func TestHarbor(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"good/instruction.md":           "Write hello into /app/hello.txt. Leave the rest of /app alone.",
		"good/task.toml":                taskToml,
		"good/tests/test.sh":            testSh,
		"good/environment/Dockerfile":   "FROM ubuntu:24.04\n# nothing\nWORKDIR /app\nCOPY seed/ /app/\n",
		"good/environment/seed/old.txt": "old",
		"image/instruction.md":          "x",
		"image/task.toml":               "[environment]\ndocker_image = \"x/y:1\"\n",
		"image/tests/test.sh":           testSh,
		"built/instruction.md":          "x",
		"built/task.toml":               taskToml,
		"built/tests/test.sh":           testSh,
		"built/environment/Dockerfile":  "FROM ubuntu:24.04\nRUN make\n",
		"setup/instruction.md":          "x",
		"setup/task.toml":               taskToml,
		"setup/tests/test.sh":           "apt-get -y install curl\n" + testSh,
		"broken/instruction.md":         "x",
		"broken/task.toml":              "[metadata\n",
		"broken/tests/test.sh":          testSh,
		"untested/instruction.md":       "x",
		"untested/task.toml":            taskToml,
		"solo/task.toml":                taskToml,
		"notes/readme.txt":              "no task",
	})
	s, err := task.Load(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Tasks) != 1 {
		t.Fatalf("%d tasks; problems %v", len(s.Tasks), s.Problems)
	}
	one := &s.Tasks[0]
	if one.ID != "good" || one.Budget.Seconds != 120 || strings.Join(one.Tags, " ") != "files easy" ||
		one.Prompt != "Write hello into ./hello.txt. Leave the rest of . alone." {
		t.Errorf("%+v", one)
	}
	var problems []string
	for _, p := range s.Problems {
		problems = append(problems, p.String())
	}
	want := []string{"broken/task.toml:2:10: expected", "built: needs a container: environment/Dockerfile:2: RUN make",
		"image: needs a container: the image x/y:1", "setup: needs a container: tests/test.sh runs apt-get",
		"solo: open solo/instruction.md", "untested: open untested/tests/test.sh"}
	same := len(problems) == len(want)
	for i := range want {
		same = same && strings.HasPrefix(problems[i], want[i])
	}
	if !same {
		t.Error(cmp.Diff(want, problems))
	}
	copied := t.TempDir()
	if err := s.Materialize(t.Context(), one, copied); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(copied, "old.txt")); err != nil {
		t.Error(err)
	}
	for text, passed := range map[string]bool{"nothing": false, "hello": true} {
		write(t, copied, map[string]string{"hello.txt": text})
		if v := check.Judge(t.Context(), one.Judges, &check.Outcome{Dir: copied})[0]; v.Passed != passed || v.Err != "" {
			t.Errorf("with %q: %+v", text, v)
		}
	}
	alone, err := task.Load(t.Context(), filepath.Join(dir, "good"), nil)
	if err != nil || len(alone.Tasks) != 1 || alone.Tasks[0].ID != "good" {
		t.Errorf("one folder alone: %+v, %v", alone, err)
	}
}
