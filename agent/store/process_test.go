//go:build unix

package store_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
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
	"github.com/forayhq/foray/contextwindow/memory/longterm"
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
	patient := open(t, path, &store.Options{Wait: time.Hour})
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
	_, err = appendTo(t.Context(), hasty, "t", 0, say("hasty"))
	if !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), path) {
		t.Errorf("no clear error: %v", err)
	}
	if _, err := hasty.Thread(t.Context(), "t"); err != nil {
		t.Errorf("reading beside a writer: %v", err)
	}
	ctx, giveUp := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer giveUp()
	if _, err := appendTo(ctx, patient, "t", 0, say("gives up")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a wait whose context ended: %v", err)
	}
	done := make(chan error)
	go func() {
		_, err := appendTo(context.Background(), patient, "t", 0, say("patient"))
		done <- err
	}()
	must(t, in.Close())
	must(t, <-done)
	must(t, other.Wait())
	if _, err = appendTo(t.Context(), hasty, "t", 1, say("hasty")); err != nil {
		t.Errorf("behind the other process: %v", err)
	}
	must(t, hasty.Check(t.Context()))
}

// openOnly opens a database that is not there yet, and writes to it.
func openOnly(path string) error {
	s, err := store.Open(context.Background(), path, &store.Options{Wait: time.Minute}) // the others may be slow
	if err != nil {
		return err
	}
	err = s.Memories().Put(context.Background(), longterm.Memory{ID: strconv.Itoa(os.Getpid()), Content: "x"})
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
		if _, err = appendTo(ctx, s, "t", last, say(strings.Repeat("x", 3000))); err == nil {
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
	if _, err := appendTo(t.Context(), s, "t", last, say("goes on")); err != nil {
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
