package postgres_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/store/postgres"
	"github.com/forayhq/foray/internal/sessionwalk"
)

// The tests run themselves as other processes: these name what such a process does, where, and when it dies.
const (
	childEnv  = "FORAY_POSTGRES_CHILD"
	schemaEnv = "FORAY_POSTGRES_SCHEMA"
	dieEnv    = "FORAY_POSTGRES_DIE"
	killEnv   = "FORAY_KILL" // how often to kill
)

var children = map[string]func() error{"append": appendForEver, "walk": walk}

func child(what, schema string, die int) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+what, schemaEnv+"="+schema, dsnEnv+"="+dsn, fmt.Sprint(dieEnv, "=", die))
	cmd.Stderr = os.Stderr
	return cmd
}

func openChild() (*postgres.Store, error) {
	o := &postgres.Options{Schema: os.Getenv(schemaEnv)}
	return postgres.Open(context.Background(), os.Getenv(dsnEnv), o)
}

func kills(few int) int {
	if n, err := strconv.Atoi(os.Getenv(killEnv)); err == nil {
		return n
	}
	return few
}

// appendForEver holds a session, adds three records at a time and prints how many are sure.
func appendForEver() error {
	s, err := openChild()
	if err != nil {
		return err
	}
	ctx, n := context.Background(), 0
	if _, err := s.LockSession(ctx, "a"); err != nil {
		return err
	}
	for _, err := range s.Records(ctx, "a") {
		if err == nil {
			n++
		}
	}
	for ; ; n += 3 {
		text := strings.Repeat(fmt.Sprint(n, " abc "), rand.IntN(5000))
		if err := s.AppendRecords(ctx, "a", n, prompts(n, 3, text)...); err != nil {
			return err
		}
		fmt.Println(n + 3)
	}
}

// Rule: a process that is killed while it writes loses nothing that was acknowledged, leaves no append in part and no
// body without a session, and its lock is free.
func TestKilled(t *testing.T) {
	s, schema := open(t)
	sure := 0
	for range kills(6) {
		cmd := child("append", schema, 0)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		after := rand.IntN(40)
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			if sure, err = strconv.Atoi(lines.Text()); err != nil {
				t.Fatal(err)
			}
			if n == after {
				time.AfterFunc(time.Duration(rand.IntN(int(10*time.Millisecond))), func() { _ = cmd.Process.Kill() })
			}
		}
		if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() > 0 {
			t.Fatalf("it ended by itself: %v", err)
		}
		sure = checkKilled(t, s, schema, sure)
	}
	t.Logf("%d records", sure)
}

// checkKilled returns how many records the session has.
func checkKilled(t *testing.T, s session.Store, schema string, sure int) (has int) {
	t.Helper()
	waitForLock(t, s, "a")()
	for r, err := range s.Records(t.Context(), "a") {
		must(t, err)
		if !strings.HasPrefix(r.Run.Prompt, fmt.Sprint(has, " ")) {
			t.Fatalf("record %d is %.20q", has, r.Run.Prompt)
		}
		has++
	}
	if has < sure || has > sure+3 || has%3 != 0 {
		t.Errorf("%d records, and %d were acknowledged", has, sure)
	}
	checkBodies(t, schema)
	return has
}

// waitForLock locks a session once the server has seen that its process is dead.
func waitForLock(t *testing.T, s session.Store, id string) (unlock func()) {
	t.Helper()
	for {
		unlock, err := s.LockSession(t.Context(), id)
		if err == nil {
			return unlock
		}
		if !errors.Is(err, session.ErrInUse) || t.Context().Err() != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// A mortal process dies at one of its points: before and after each append.
type mortal struct {
	session.Store
	left int
}

func (m *mortal) point() {
	if m.left--; m.left == 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

func (m *mortal) AppendRecords(ctx context.Context, id string, from int, records ...session.Record) error {
	m.point()
	defer m.point()
	return m.Store.AppendRecords(ctx, id, from, records...)
}

// walk begins or resumes a run and prints its requests and its result.
func walk() error {
	s, err := openChild()
	if err != nil {
		return err
	}
	ctx := context.Background()
	die, _ := strconv.Atoi(os.Getenv(dieEnv))
	sent := func(request string) { fmt.Printf("sent %q\n", request) }
	write := func(key string) error {
		fmt.Println("wrote", key)
		return nil
	}
	unsure := func(string) bool { return false }
	a, err := sessionwalk.New(&sessionwalk.Walker{Pages: 40, Sent: sent}, sessionwalk.Tools(write, unsure))
	if err != nil {
		return err
	}
	m := &mortal{s, die}
	result, err := a.Resume(ctx, m, "walk")
	if errors.Is(err, session.ErrUnknown) {
		task := agent.Task{Prompt: "Read all pages.", Session: &agent.Session{Store: m, ID: "walk"}}
		result, err = a.Do(ctx, task)
	}
	if err != nil {
		return err
	}
	fmt.Println("result", result.Stop, result.Text, result.Steps, result.Usage, len(result.Tools))
	return s.Close()
}

// Rule: a run that is killed at any moment and resumed elsewhere, again and again, sends the bytes of an undisturbed
// one and ends with its result.
func TestKilledRuns(t *testing.T) {
	_, schema := open(t)
	want, err := child("walk", schema, 0).Output()
	must(t, err)
	requests := slices.Compact(strings.Split(string(want), "\n"))
	for i := range kills(2) {
		t.Run(strconv.Itoa(i), func(t *testing.T) { // which closes its connections
			_, schema := open(t)
			s := openIn(t, schema)
			var got []string
			died := 0
			for {
				waitForLock(t, s, "walk")()
				cmd := child("walk", schema, 1+rand.IntN(60))
				out, err := cmd.Output()
				got = append(got, strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")...)
				if err == nil {
					break
				}
				if died++; cmd.ProcessState.ExitCode() > 0 {
					t.Fatalf("it failed: %v", err)
				}
			}
			checkBodies(t, schema)
			var distinct []string // a request whose answer was not kept is sent again
			for _, line := range got {
				if line != "" && !slices.Contains(distinct, line) {
					distinct = append(distinct, line)
				}
			}
			if first := requests[:len(requests)-1]; !slices.Equal(withoutKeys(distinct), withoutKeys(first)) {
				t.Fatalf("run %d, killed %d times: %d lines, want %d as undisturbed", i, died, len(distinct), len(first))
			}
			t.Logf("run %d was killed %d times: %d requests as undisturbed", i, died, len(distinct))
		})
	}
}

// withoutKeys returns lines without the keys of calls, which name the session's records: a call that is made again has
// another record.
func withoutKeys(lines []string) []string {
	plain := slices.Clone(lines)
	for i, l := range plain {
		if strings.HasPrefix(l, "wrote ") {
			plain[i] = "wrote"
		}
	}
	return plain
}
