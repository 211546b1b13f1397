//go:build unix

package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/agent/store"
)

// holds locks a thread, or fails the test.
func holds(t *testing.T, s *store.Store, id string) (unlock func()) {
	t.Helper()
	unlock, err := s.LockThread(t.Context(), id, time.Minute)
	must(t, err)
	return unlock
}

// refused expects that the lock of a thread is held, and returns by whom.
func refused(t *testing.T, s *store.Store, id string, wait time.Duration) *chat.InUseError {
	t.Helper()
	unlock, err := s.LockThread(t.Context(), id, wait)
	used := (*chat.InUseError)(nil)
	if !errors.As(err, &used) {
		if err == nil {
			unlock()
		}
		t.Fatalf("no one holds the lock: %v", err)
	}
	return used
}

// One at a time holds a thread, whatever name of the database it uses; the others learn who.
func TestLockThread(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f.db")
	a := open(t, path, &store.Options{Command: "foray serve"})
	must(t, os.Symlink(path, filepath.Join(dir, "link.db")))
	b := open(t, filepath.Join(dir, "link.db"), nil)
	before := time.Now().Add(-time.Second)
	unlock := holds(t, a, "plans")
	used := refused(t, b, "plans", 30*time.Millisecond)
	host, _ := os.Hostname()
	if used.Thread != "plans" || used.PID != os.Getpid() || used.Host != host || used.Command != "foray serve" ||
		used.Since.Before(before) || used.Waited < 30*time.Millisecond {
		t.Errorf("%+v", used)
	}
	for _, part := range []string{"foray serve", strconv.Itoa(os.Getpid()), "thread plans", "waited"} {
		if !strings.Contains(used.Error(), part) {
			t.Errorf("%v does not say %q", used, part)
		}
	}
	holds(t, b, "Plans")() // another thread
	ctx, end := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer end()
	if _, err := b.LockThread(ctx, "plans", time.Hour); !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &used) {
		t.Errorf("a wait whose context ended: %v", err)
	}
	time.AfterFunc(30*time.Millisecond, unlock)
	unlock = holds(t, b, "plans")
	unlock()
	unlock() // a second time is nothing
	holds(t, a, "plans")()
	if files, err := filepath.Glob(filepath.Join(dir, "*lock*")); len(files) > 0 || err != nil {
		t.Errorf("locks that nobody holds leave files: %q %v", files, err)
	}
	must(t, a.Check(t.Context()))
}

// The store in memory belongs to one process.
func TestLockThreadInMemory(t *testing.T) {
	s := open(t, "", nil)
	defer holds(t, s, "t")()
	holds(t, s, "t")()
}

// lockThreadUntilEnd holds the lock of a thread until its input ends.
func lockThreadUntilEnd(path string) error {
	s, err := store.Open(context.Background(), path, &store.Options{Command: "holder"})
	if err != nil {
		return err
	}
	unlock, err := s.LockThread(context.Background(), "t", time.Minute)
	if err != nil {
		return err
	}
	fmt.Println("locked")
	_, err = io.Copy(io.Discard, os.Stdin)
	unlock()
	return errors.Join(err, s.Close())
}

// A process that is stopped keeps its lock; when it is killed, the next one gets the lock by itself.
func TestLockOfAStoppedAndOfAKilledProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.db")
	s := open(t, path, nil)
	other := child(t, "lock thread", path)
	in, err := other.StdinPipe()
	must(t, err)
	defer in.Close()
	out, err := other.StdoutPipe()
	must(t, err)
	must(t, other.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "locked\n" || err != nil {
		t.Fatalf("the other process says %q: %v", line, err)
	}
	must(t, other.Process.Signal(syscall.SIGSTOP))
	if used := refused(t, s, "t", 100*time.Millisecond); used.PID != other.Process.Pid || used.Command != "holder" {
		t.Errorf("%+v, want process %d", used, other.Process.Pid)
	}
	must(t, other.Process.Kill())
	_ = other.Wait() // killed
	unlock := holds(t, s, "t")
	if used := refused(t, s, "t", 0); used.PID != os.Getpid() {
		t.Errorf("the lock is still said to be of %+v", used)
	}
	unlock()
}

// Who has lost the lock without knowing it, because someone removed its file, can still not write after another.
func TestConflictWithoutALock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.db")
	for name, b := range map[string]chat.Store{"file": open(t, path, nil), "memory": chat.InMemory()} {
		a := b
		if name == "file" {
			a = open(t, path, nil)
		}
		ctx := t.Context()
		must(t, a.CreateThread(ctx, threadOf("t")))
		late, err := a.Thread(ctx, "t")
		must(t, err)
		unlock, err := a.LockThread(ctx, "t", 0)
		must(t, err)
		defer unlock()
		if files, _ := filepath.Glob(path + "-lock-*"); name == "file" && len(files) == 1 {
			must(t, os.Remove(files[0]))
		}
		takeover, err := b.LockThread(ctx, "t", 0)
		must(t, err)
		_, err = b.SaveThread(ctx, late, say("question"), say("answer"))
		must(t, err)
		takeover()
		late.Title = "too late"
		if _, err := a.SaveThread(ctx, late, say("mixed in")); !errors.Is(err, chat.ErrConflict) {
			t.Errorf("%s: a late message: %v", name, err)
		}
		if _, err := a.SaveThread(ctx, late); !errors.Is(err, chat.ErrConflict) {
			t.Errorf("%s: a late state: %v", name, err)
		}
		if err := a.TruncateMessages(ctx, late, 1); !errors.Is(err, chat.ErrConflict) {
			t.Errorf("%s: a late undo: %v", name, err)
		}
		ms, err := b.Messages(ctx, "t", 0, 10)
		if th, _ := b.Thread(ctx, "t"); len(ms) != 2 || err != nil || th.Title == "too late" {
			t.Errorf("%s: %v %v %+v", name, ms, err, th)
		}
	}
}

// answerForEver adds turns to one thread: a question, and after a while its answer.
func answerForEver(path string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, path, nil)
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		turn := fmt.Sprintf("%d.%d", os.Getpid(), n)
		unlock, err := s.LockThread(ctx, "t", time.Minute)
		if err != nil {
			return err
		}
		th, err := s.Thread(ctx, "t")
		if err != nil {
			return err
		}
		for _, part := range []string{"question ", "answer "} {
			added, err := s.SaveThread(ctx, th, say(part+turn))
			if err != nil {
				return err
			}
			th.Last = added[0].Seq
			time.Sleep(time.Duration(rand.IntN(int(3 * time.Millisecond)))) // the model
		}
		unlock()
		fmt.Println(turn)
	}
}

// Processes that write turns to one thread, some of them killed in the middle, leave a conversation: each answer follows
// its question, each number is used once, and each turn that was acknowledged is there once.
func TestWritersOfOneThreadKilled(t *testing.T) {
	t.Parallel()
	kills, path := 6, filepath.Join(t.TempDir(), "f.db")
	if n, err := strconv.Atoi(os.Getenv(killEnv)); err == nil {
		kills = n
	}
	s := open(t, path, nil)
	must(t, s.CreateThread(t.Context(), threadOf("t")))
	var mu sync.Mutex
	var acknowledged []string
	var all sync.WaitGroup
	const writers = 3
	for w := range writers {
		all.Go(func() {
			for range (kills + writers - 1) / writers {
				turns := killWriter(t, path, 1+rand.IntN(8)+w)
				mu.Lock()
				acknowledged = append(acknowledged, turns...)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	checkTurns(t, s, acknowledged, kills+writers)
	holds(t, s, "t")()
}

// killWriter starts a process that answers, and kills it some time after so many turns. It returns the acknowledged ones.
func killWriter(t *testing.T, path string, after int) (turns []string) {
	other := child(t, "answer", path)
	other.Stderr = os.Stderr
	out, err := other.StdoutPipe()
	if err == nil {
		err = other.Start()
	}
	if err != nil {
		t.Error(err)
		return nil
	}
	killer := time.AfterFunc(5*time.Minute, func() { _ = other.Process.Kill() })
	defer killer.Stop()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if turns = append(turns, lines.Text()); len(turns) == after {
			killer.Reset(time.Duration(rand.IntN(int(10 * time.Millisecond))))
		}
	}
	if err := other.Wait(); other.ProcessState.ExitCode() > 0 || errors.Is(err, exec.ErrNotFound) {
		t.Errorf("it ended by itself: %v", err)
	}
	return turns
}

// checkTurns checks a thread against the turns that were acknowledged. At most so many questions have no answer.
func checkTurns(t *testing.T, s *store.Store, acknowledged []string, torn int) {
	t.Helper()
	ms, err := s.Messages(t.Context(), "t", 0, 1<<30)
	must(t, err)
	complete, open := map[string]int{}, ""
	for i, m := range ms {
		kind, turn, _ := strings.Cut(m.Text, " ")
		switch {
		case m.Seq != int64(i+1):
			t.Fatalf("message %d has the number %d", i+1, m.Seq)
		case kind == "question":
			open = turn
			torn--
		case kind == "answer" && turn == open:
			complete[turn]++
			open = ""
			torn++
		default:
			t.Fatalf("message %d is %q and follows the question %q", m.Seq, m.Text, open)
		}
	}
	if torn < 0 {
		t.Errorf("%d more questions without an answer than kills", -torn)
	}
	for _, turn := range acknowledged {
		if complete[turn] != 1 {
			t.Errorf("the turn %s was acknowledged and is there %d times", turn, complete[turn])
		}
	}
	if len(acknowledged) == 0 {
		t.Error("no turn was acknowledged")
	}
	must(t, s.Check(t.Context()))
	t.Logf("%d turns acknowledged, %d complete", len(acknowledged), len(complete))
}
