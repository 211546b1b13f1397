//go:build unix

package store_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/store"
)

// transaction returns what transaction n of a session adds: two records, with a text of its own, one that all sessions
// share, or a short one.
func transaction(id string, n int) []session.Record {
	text := []string{numbered(int64(n), 3000) + id, numbered(int64(n/3), 5000), "short"}[n%3]
	return noted(2*n, 2, text)
}

// transactions returns how many transactions each session has, and fails the test unless all of them are whole.
func transactions(t *testing.T, s *store.Store) map[string]int {
	t.Helper()
	must(t, s.Check(t.Context()))
	list, err := s.Sessions().List(t.Context(), 0, 1000)
	must(t, err)
	count := make(map[string]int)
	for _, info := range list {
		records := recordsOf(t, s, info.ID)
		if len(records)%2 > 0 || len(records) != info.Records {
			t.Errorf("session %s has %d records, and says %d", info.ID, len(records), info.Records)
		}
		var want []session.Record
		for n := range len(records) / 2 {
			want = append(want, transaction(info.ID, n)...)
		}
		if diff := gocmp.Diff(want, records); diff != "" {
			t.Errorf("session %s: %.2000s", info.ID, diff)
		}
		count[info.ID] = len(records) / 2
	}
	return count
}

// times returns how often a test does something: more often in the long form.
func times(short int) int {
	if n, err := strconv.Atoi(os.Getenv(tortureEnv)); err == nil {
		return n
	}
	return short
}

// A power loss cuts the write-ahead log at any byte, or leaves anything after it: the database opens, and holds the first
// transactions, each whole, and none after one that is missing.
func TestTorturePowerLoss(t *testing.T) {
	alone(t)
	t.Parallel()
	random := rand.New(rand.NewPCG(11, 12))
	dir := t.TempDir()
	path := filepath.Join(dir, "f.db")
	s := open(t, path, nil)
	var order []string // the session of each transaction
	count := make(map[string]int)
	for range 120 {
		id := fmt.Sprint("s", random.IntN(5))
		must(t, s.Sessions().AppendRecords(t.Context(), id, 2*count[id], transaction(id, count[id])...))
		order = append(order, id)
		count[id]++
	}
	database, err := os.ReadFile(path)
	must(t, err)
	log, err := os.ReadFile(path + "-wal")
	must(t, err)
	type cut struct{ at, left int }
	var cuts []cut
	for i := range times(16) {
		at := random.IntN(len(log) + 1)
		if i < 2 {
			at = i * len(log)
		}
		left := log[:at:at]
		if i%2 == 0 { // the disk had room for what was never written
			left = append(left, make([]byte, random.IntN(9000))...)
		}
		copied := filepath.Join(dir, fmt.Sprint(i, ".db"))
		must(t, errors.Join(os.WriteFile(copied, database, 0o600), os.WriteFile(copied+"-wal", left, 0o600)))
		again, err := store.Open(t.Context(), copied, nil)
		must(t, err)
		got, total := transactions(t, again), 0
		for _, n := range got {
			total += n
		}
		want := make(map[string]int)
		for _, id := range order[:total] {
			want[id]++
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("cut at %d of %d: not the first %d transactions: %s", at, len(log), total, diff)
		}
		cuts = append(cuts, cut{at, total})
		must(t, again.Sessions().AppendRecords(t.Context(), "s0", 2*got["s0"], transaction("s0", got["s0"])...))
		must(t, errors.Join(again.Check(t.Context()), again.Close(), os.Remove(copied)))
	}
	slices.SortFunc(cuts, func(a, b cut) int { return cmp.Compare(a.at, b.at) })
	if !slices.IsSortedFunc(cuts, func(a, b cut) int { return cmp.Compare(a.left, b.left) }) ||
		cuts[len(cuts)-1].left != len(order) || cuts[0].left == len(order) {
		t.Errorf("transactions left of %d: %v", len(order), cuts)
	}
	t.Logf("%d cuts of a log of %d bytes", len(cuts), len(log))
}

// recorders is how many sessions a process writes at once.
const recorders = 25

// recordForEver adds to sessions at once, and says which transactions are acknowledged.
func recordForEver(path string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, path, nil)
	if err != nil {
		return err
	}
	failed := make(chan error)
	for i := range recorders {
		go func() {
			id := fmt.Sprint("s", i)
			info, err := s.Sessions().Info(ctx, id)
			if errors.Is(err, session.ErrUnknown) {
				err = nil
			}
			for n := info.Records / 2; err == nil; n++ {
				if err = s.Sessions().AppendRecords(ctx, id, 2*n, transaction(id, n)...); err == nil {
					_, _ = os.Stdout.WriteString(fmt.Sprintln(id, n+1)) // one write, so that lines stay whole
				}
			}
			failed <- err
		}()
	}
	return <-failed
}

// A process that is killed while it writes many sessions loses no transaction that it has acknowledged, and keeps none in
// part.
func TestTortureSessionsKilled(t *testing.T) {
	alone(t)
	t.Parallel()
	random := rand.New(rand.NewPCG(13, 14))
	path, sure, total := filepath.Join(t.TempDir(), "f.db"), map[string]int{}, 0
	for i := range times(4) {
		if i%20 == 19 {
			path, sure = filepath.Join(t.TempDir(), "f.db"), map[string]int{}
		}
		total += killRemembering(t, "record", path, random, sure)
		s, err := store.Open(t.Context(), path, nil)
		must(t, err)
		got := transactions(t, s)
		must(t, s.Close())
		for i := range recorders {
			id := fmt.Sprint("s", i)
			if got[id] < sure[id] || got[id] > sure[id]+1 {
				t.Errorf("%d transactions of %s, and %d were acknowledged", got[id], id, sure[id])
			}
			sure[id] = got[id]
		}
		if t.Failed() {
			t.Fatalf("after %d kills", i+1)
		}
	}
	if total == 0 {
		t.Error("no transaction was acknowledged before a kill")
	}
	t.Logf("%d transactions acknowledged", total)
}

// recordAtOnce writes sessions of its own beside other processes.
func recordAtOnce(path string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, path, nil)
	if err != nil {
		return err
	}
	failed := make([]error, recorders)
	var all sync.WaitGroup
	for i := range recorders {
		all.Go(func() {
			id := fmt.Sprint(os.Getpid(), "-", i)
			unlock, err := s.Sessions().LockSession(ctx, id)
			if err != nil {
				failed[i] = err
				return
			}
			defer unlock()
			for n := 0; n < times(4) && err == nil; n++ {
				err = s.Sessions().AppendRecords(ctx, id, 2*n, transaction(id, n)...)
			}
			failed[i] = err
		})
	}
	all.Wait()
	return errors.Join(append(failed, s.Close())...)
}

// Four processes write a hundred sessions at once: no error, no loss.
func TestTortureSessionsAtOnce(t *testing.T) {
	alone(t)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f.db")
	var others [4]*exec.Cmd
	for i := range others {
		others[i] = child(t, "record at once", path)
		others[i].Stderr = os.Stderr
		must(t, others[i].Start())
	}
	for _, other := range others {
		if err := other.Wait(); err != nil {
			t.Error(err)
		}
	}
	got := transactions(t, open(t, path, nil))
	if len(got) != 4*recorders {
		t.Errorf("%d sessions of %d", len(got), 4*recorders)
	}
	for id, n := range got {
		if n != times(4) {
			t.Errorf("session %s has %d transactions of %d", id, n, times(4))
		}
	}
}
