//go:build unix

package subject_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/subject"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/providers"
)

// program opens a shell script as a subject, and plays a task with it.
func program(t *testing.T, ctx context.Context, script string, in trial.Input) (*check.Outcome, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "agent.sh"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := subject.Open(ctx, "exec:sh agent.sh 'one word' two", subject.Env{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if in.Task == nil {
		in.Task = &task.Task{ID: "t", Prompt: "Say \"hello\"\n", Budget: task.Budget{Steps: 7}}
	}
	if in.Trace == nil {
		in.Trace = &bytes.Buffer{}
	}
	in.Trial = 3
	return s.Do(ctx, in)
}

func TestExec(t *testing.T) {
	var events bytes.Buffer
	dir := t.TempDir()
	o, err := program(t, t.Context(), `read -r line; printf "%s" "$line" > got.json; pwd > cwd; echo "$1|$2" > args
echo not json
echo '{"answer":"first","calls":[{"name":"a"}]}'
cat <<'E'
{"event":"tool_ended","seq":1,"call":{"id":"1","name":"read_file","args":"{\"path\":\"x\"}"},"error":"no such file"}
E
echo '{"event":"done","text":"last","steps":4,"usage":{"input":9,"output":1}}'
printf '{"calls":[{"name":"b","failed":true}],"cost":0.5,"stop":"bored","view":[{"role":"user","text":"seen"}]}'
`, trial.Input{Dir: dir, Trace: &events})
	if err != nil {
		t.Fatal(err)
	}
	calls := ""
	for _, c := range o.Calls {
		calls += fmt.Sprintf("%s%s%v ", c.Name, c.Args, c.Failed)
	}
	if o.Answer != "last" || o.Steps != 4 || o.Usage.Input != 9 || o.Cost != .5 || o.Stop != "bored" ||
		calls != `afalse read_file{"path":"x"}true btrue ` || len(o.View) != 1 || o.View[0].Text != "seen" {
		t.Errorf("%+v, calls %s", o, calls)
	}
	if n := strings.Count(events.String(), "\n"); n != 2 || !strings.Contains(events.String(), `"seq":1`) {
		t.Errorf("trace: %s", &events)
	}
	for name, want := range map[string]string{
		"got.json": `{"id":"t","prompt":"Say \"hello\"\n","dir":"` + dir + `","budget":{"steps":7},"trial":3}`,
		"args":     "one word|two",
		"cwd":      dir,
	} {
		if raw, err := os.ReadFile(filepath.Join(dir, name)); err != nil || strings.TrimSpace(string(raw)) != want {
			t.Errorf("%s: %q, %v, want %q", name, raw, err, want)
		}
	}
}

// What goes wrong with a program is in its failure.
func TestExecFails(t *testing.T) {
	ostest.SkipRaced(t)
	for script, want := range map[string]string{
		"echo boom >&2; exit 3": "exit status 3; standard error ends with: boom",
		"true":                  "no line with an answer",
		"echo hello":            `that was ignored: "hello"`,
		"echo '{\"answer\":1}'": "answer must be a string, not number",
		`echo '{"error":"out of money","class":"provider"}'`:   "out of money",
		`echo '{"answer":"x","error":"e","class":"nonsense"}'`: "e",
		"yes":                              "wrote more than 64 MB",
		"cat /dev/zero":                    "a line of more than 16 MB",
		"kill -9 $$":                       "signal: killed",
		`echo '{"answer":"x","steps":-1}'`: "a negative number",
		`echo '{"answer":"x","usage":{"output":-1}}'`:                "a negative number",
		`echo '{"answer":"x","cost":-0.5}'`:                          "a negative number",
		`echo '{"answer":"x","cost":1e308}'`:                         "0 and 0 tokens, 1e+308 dollars",
		`echo '{"answer":"x","steps":9223372036854775807}'`:          "an impossible number",
		`echo '{"answer":"x","usage":{"input":5,"cached":6}}'`:       "6 cached of 5 input tokens",
		`echo '{"error":"e","usage":{"input":9223372036854775807}}'`: "e",
		"yes | head -c 9000000 >&2; echo end >&2; exit 1":            "end",
	} {
		o, err := program(t, t.Context(), script, trial.Input{})
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 5000 || o == nil {
			t.Errorf("%s: %.300v, want %s", script, err, want)
		}
		if o != nil && (o.Steps != 0 || o.Usage != providers.Usage{} || o.Cost != 0 || o.Priced) {
			t.Errorf("%s: the outcome keeps what cannot be: %+v", script, o)
		}
		var f *trial.Failure
		if provider := strings.Contains(script, "money"); errors.As(err, &f) && (f.Class == trial.Provider) != provider {
			t.Errorf("%s: class %s", script, f.Class)
		}
	}
}

// A program that ignores its time-out is killed, with its children and what they hold open; so are children that outlive
// a program that ends.
func TestExecKillsAll(t *testing.T) {
	for _, script := range []string{
		`trap "" TERM INT; sleep 600 & echo $! > pid; while :; do sleep 1; done`,
		`sleep 600 & echo $! > pid; echo '{"answer":"x"}'`,
	} {
		dir := t.TempDir()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		go func() { // ends the first script once it has its child
			for ctx.Err() == nil && strings.HasPrefix(script, "trap") {
				if raw, err := os.ReadFile(filepath.Join(dir, "pid")); err == nil && strings.HasSuffix(string(raw), "\n") {
					cancel()
				}
			}
		}()
		_, err := program(t, ctx, script, trial.Input{Dir: dir})
		if (err != nil) != strings.HasPrefix(script, "trap") {
			t.Errorf("%s: %v", script, err)
		}
		cancel()
		raw, err := os.ReadFile(filepath.Join(dir, "pid"))
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
		if err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(20 * time.Second); alive(pid); {
			if time.Now().After(end) {
				t.Fatalf("%s: the child %d lives on", script, pid)
			}
		}
	}
}

// alive reports whether a process runs; one that nobody has waited for yet does not.
func alive(pid int) bool {
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		return !strings.Contains(string(stat), ") Z ")
	}
	return syscall.Kill(pid, 0) == nil
}
