//go:build unix

package store_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/contextwindow/memory"
)

// child returns this program as one of its children.
func child(t testing.TB, name, path string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), childEnv+"="+name, pathEnv+"="+path)
	return cmd
}

// lockUntilEnd holds the lock of a writer until its input ends.
func lockUntilEnd(path string) error {
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate")
	if err != nil {
		return err
	}
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	fmt.Println("locked")
	_, err = io.Copy(io.Discard, os.Stdin)
	return errors.Join(err, tx.Commit(), db.Close())
}

// A second process that writes makes the first wait: as long as it was told, and no longer than needed.
func TestSecondWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.db")
	hasty := open(t, path, &store.Options{Wait: 50 * time.Millisecond})
	patient := open(t, path, &store.Options{Wait: time.Minute})
	must(t, hasty.CreateThread(t.Context(), threadOf("t")))
	other := child(t, "lock", path)
	in, err := other.StdinPipe()
	must(t, err)
	out, err := other.StdoutPipe()
	must(t, err)
	must(t, other.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	if line != "locked\n" || err != nil {
		t.Fatalf("the other process says %q: %v", line, err)
	}
	_, err = hasty.AppendMessages(t.Context(), "t", 0, say("hasty"))
	if !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), path) {
		t.Errorf("no clear error: %v", err)
	}
	if _, err := hasty.Thread(t.Context(), "t"); err != nil {
		t.Errorf("reading beside a writer: %v", err)
	}
	done := make(chan error)
	go func() {
		_, err := patient.AppendMessages(context.Background(), "t", 0, say("patient"))
		done <- err
	}()
	must(t, in.Close())
	must(t, <-done)
	must(t, other.Wait())
	if _, err = hasty.AppendMessages(t.Context(), "t", 1, say("hasty")); err != nil {
		t.Errorf("behind the other process: %v", err)
	}
	must(t, hasty.Check(t.Context()))
}

// openOnly opens a database that is not there yet, and writes to it.
func openOnly(path string) error {
	s, err := store.Open(context.Background(), path, nil)
	if err != nil {
		return err
	}
	err = s.Memories().Put(context.Background(), memory.Memory{ID: strconv.Itoa(os.Getpid()), Content: "x"})
	return errors.Join(err, s.Close())
}

// Processes that come at once to a database that is not there make it once.
func TestOpenedAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", "f.db")
	const n = 4
	var others [n]*exec.Cmd
	for i := range others {
		others[i] = child(t, "open", path)
		others[i].Stderr = os.Stderr
		must(t, others[i].Start())
	}
	for _, other := range others {
		if err := other.Wait(); err != nil {
			t.Error(err)
		}
	}
	s := open(t, path, nil)
	if got := len(all(t, s)); got != n {
		t.Errorf("%d memories of %d", got, n)
	}
	must(t, s.Check(t.Context()))
}

// writeBeyondLimit opens a database and writes until the system lets it grow no more, then goes on in a smaller way.
func writeBeyondLimit(path string) error {
	signal.Ignore(syscall.SIGXFSZ)
	ctx := context.Background()
	s, err := store.Open(ctx, path, nil)
	if err != nil {
		return err
	}
	limit := syscall.Rlimit{Cur: 300 << 10, Max: 300 << 10}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	last := int64(0)
	for err == nil {
		if _, err = s.AppendMessages(ctx, "t", last, say(strings.Repeat("x", 3000))); err == nil {
			last++
		}
	}
	th, readErr := s.Thread(ctx, "t")
	fmt.Println(last, th.Last, err)
	return errors.Join(readErr, s.Check(ctx))
}

// When the system refuses a write in the middle, the transaction is undone and all before it stays.
func TestWriteRefusedBySystem(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.db")
	s, err := store.Open(t.Context(), path, nil)
	must(t, err)
	must(t, s.CreateThread(t.Context(), threadOf("t")))
	must(t, s.Close())
	other := child(t, "narrow", path)
	other.Stderr = os.Stderr
	out, err := other.Output()
	must(t, err)
	var last, has int64
	if _, err := fmt.Sscan(string(out), &last, &has); err != nil || has != last || last == 0 {
		t.Fatalf("%s: %v", out, err)
	}
	if !strings.Contains(string(out), path) {
		t.Errorf("no clear error: %s", out)
	}
	s = open(t, path, nil)
	if th, err := s.Thread(t.Context(), "t"); th.Last != last || err != nil {
		t.Errorf("%+v, want up to %d: %v", th, last, err)
	}
	if _, err := s.AppendMessages(t.Context(), "t", last, say("goes on")); err != nil {
		t.Error(err)
	}
	must(t, s.Check(t.Context()))
}

// A folder that may not be written is an error that says so, for a new database and for one that is there.
func TestReadOnly(t *testing.T) {
	dir, err := os.MkdirTemp("", "foray-readonly") // not below a folder that only we may enter
	must(t, err)
	t.Cleanup(func() {
		if err := errors.Join(os.Chmod(dir, 0o700), os.RemoveAll(dir)); err != nil {
			t.Error(err)
		}
	})
	path := filepath.Join(dir, "f.db")
	fill(t, path)
	must(t, os.Chmod(path, 0o444))
	must(t, os.Chmod(dir, 0o555))
	for _, path := range []string{path, filepath.Join(dir, "new.db"), filepath.Join(dir, "folder", "new.db")} {
		other := child(t, "open", path)
		if os.Getuid() == 0 {
			other.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			other.Path = copyOfSelf(t)
		}
		out, err := other.CombinedOutput()
		if err == nil || !strings.Contains(string(out), path) || !strings.Contains(string(out), store.ErrReadOnly.Error()) {
			t.Errorf("%s: %v: %s", path, err, out)
		}
	}
	if files, err := os.ReadDir(dir); len(files) != 1 || err != nil {
		t.Errorf("something was made: %v %v", files, err)
	}
	if _, checked, err := contentOf(path); checked != nil || err != nil {
		t.Errorf("the database has changed: %v %v", checked, err)
	}
}

// copyOfSelf is this program where another user may run it.
func copyOfSelf(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	data, err := os.ReadFile(self)
	must(t, err)
	dir, err := os.MkdirTemp("", "foray-self")
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(dir)) })
	must(t, os.Chmod(dir, 0o755))
	path := filepath.Join(dir, "self")
	must(t, os.WriteFile(path, data, 0o755))
	return path
}

// appendForEver adds to everything that a database holds, and says how far it is sure to have come.
func appendForEver(path string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, path, nil)
	if err != nil {
		return err
	}
	if _, err := s.Thread(ctx, "t"); err != nil {
		if err := s.CreateThread(ctx, threadOf("t")); err != nil {
			return err
		}
	}
	th, err := s.Thread(ctx, "t")
	if err != nil {
		return err
	}
	for n := th.Last; ; {
		size := rand.IntN(20_000)
		added, err := s.AppendMessages(ctx, "t", n, say(numbered(n+1, size)), say(numbered(n+2, size/7)))
		if err != nil {
			return err
		}
		n = added[1].Seq
		fmt.Println(n)
		id := strconv.FormatInt(n%50, 10)
		es, err := s.Entries(ctx, id)
		if err := errors.Join(err,
			s.Memories().Put(ctx, remembered(id, numbered(n, 200))),
			s.Bodies("t").Put(id, numbered(n, size)),
			s.AppendEntries(ctx, id, len(es), notes(3)...)); err != nil {
			return err
		}
		if n%40 == 0 {
			sum, err := s.LoadSummary(ctx, "t")
			err = errors.Join(err, s.SaveSummary(ctx, "t", sum.Last, memory.Summary{Text: numbered(n, 300), Last: n}))
			if err := errors.Join(err, s.Memories().Delete(ctx, "7", "8")); err != nil {
				return err
			}
		}
	}
}

// numbered is a text of about a size that tells whether it is whole.
func numbered(n int64, size int) string {
	return fmt.Sprintf("%d %s %d", n, strings.Repeat("abcdefghij ", size/11), n)
}

// killEnv, as a number, is how often TestKilled kills.
const killEnv = "FORAY_KILL"

// A process may be killed at any moment: the database opens, all that was acknowledged is there, messages are whole,
// and their numbers have no gap.
func TestKilled(t *testing.T) {
	t.Parallel()
	kills := 6
	if n, err := strconv.Atoi(os.Getenv(killEnv)); err == nil {
		kills = n
	}
	random := rand.New(rand.NewPCG(3, 4))
	path := ""
	sure, most := int64(0), int64(0)
	for i := range kills {
		if i%20 == 0 { // a new file now and then, so that its making is interrupted too
			path = filepath.Join(t.TempDir(), "f.db")
			sure = 0
		}
		sure = max(sure, killOne(t, path, random))
		most = max(most, sure)
		if last := checkKilled(t, path, sure); last > 0 {
			sure = last
		}
		if t.Failed() {
			t.Fatalf("after %d kills", i+1)
		}
	}
	if most == 0 {
		t.Error("no process got as far as to write")
	}
	t.Logf("%d kills, up to %d messages", kills, most)
}

// killOne starts a process that writes, kills it at a random time and returns the last number that it was sure of.
func killOne(t *testing.T, path string, random *rand.Rand) int64 {
	t.Helper()
	other := child(t, "append", path)
	other.Stderr = os.Stderr
	out, err := other.StdoutPipe()
	must(t, err)
	must(t, other.Start())
	after := random.IntN(40) // numbers to wait for; fewer than 10 are none, and the kill comes while it opens
	killer := time.AfterFunc(time.Hour, func() { _ = other.Process.Kill() })
	defer killer.Stop()
	if after < 10 {
		killer.Reset(time.Duration(random.IntN(int(80 * time.Millisecond))))
	}
	sure := int64(0)
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		if sure, err = strconv.ParseInt(lines.Text(), 10, 64); err != nil {
			t.Fatal(err)
		}
		if n == after {
			killer.Reset(time.Duration(random.IntN(int(10 * time.Millisecond))))
		}
	}
	if err := other.Wait(); err == nil || other.ProcessState.ExitCode() > 0 {
		t.Errorf("it ended by itself: %v", err)
	}
	return sure
}

// checkKilled returns the number of the last message.
func checkKilled(t *testing.T, path string, sure int64) int64 {
	t.Helper()
	ctx := context.Background()
	s, err := store.Open(ctx, path, nil)
	must(t, err)
	defer func() { must(t, s.Close()) }()
	if err := s.Check(ctx); err != nil {
		t.Error(err)
	}
	ms, err := s.Messages(ctx, "t", 0, 1<<30)
	if err != nil && sure > 0 {
		t.Errorf("the thread is gone: %v", err)
	}
	for i, m := range ms {
		first, _, _ := strings.Cut(m.Text, " ")
		if want := strconv.Itoa(i + 1); m.Seq != int64(i+1) || first != want || !strings.HasSuffix(m.Text, " "+want) {
			t.Fatalf("message %d has the number %d and the text %.20q", i+1, m.Seq, m.Text)
		}
	}
	last := int64(len(ms))
	if last < sure || last > sure+2 || last%2 != 0 {
		t.Errorf("%d messages, and %d were acknowledged", last, sure)
	}
	for m, err := range s.Memories().All(ctx) {
		first, _, _ := strings.Cut(m.Content, " ")
		if err != nil || !strings.HasSuffix(m.Content, " "+first) {
			t.Errorf("memory %q: %.20q %v", m.ID, m.Content, err)
		}
		es, err := s.Entries(ctx, m.ID)
		if len(es)%3 != 0 || err != nil {
			t.Errorf("%d entries of %q: %v", len(es), m.ID, err)
		}
	}
	return last
}
