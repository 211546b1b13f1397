//go:build unix

package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/contextwindow/memory/summary"
)

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
		added, err := appendTo(ctx, s, "t", n, say(numbered(n+1, size)), say(numbered(n+2, size/7)))
		if err != nil {
			return err
		}
		n = added[1].Seq
		fmt.Println(n)
		id := strconv.FormatInt(n%50, 10)
		if err := errors.Join(s.Memories().Put(ctx, remembered(id, numbered(n, 200))), record(s, id, n)); err != nil {
			return err
		}
		if n%40 == 0 {
			sum, err := s.LoadSummary(ctx, "t")
			err = errors.Join(err, s.SaveSummary(ctx, "t", sum.Last, summary.Thread{Text: numbered(n, 300), Last: n}))
			if err := errors.Join(err, s.Memories().Delete(ctx, "7", "8")); err != nil {
				return err
			}
		}
	}
}

// record adds three records to a session, with a text of theirs and one that others have, too.
func record(s *store.Store, id string, n int64) error {
	ctx, has := context.Background(), 0
	for _, err := range s.Sessions().Records(ctx, id) {
		if err != nil && !errors.Is(err, session.ErrUnknown) {
			return err
		}
		if err == nil {
			has++
		}
	}
	records := append(noted(has, 2, numbered(n, 4000)), noted(has+2, 1, numbered(n%7, 4000))...)
	return s.Sessions().AppendRecords(ctx, id, has, records...)
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
	alone(t)
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
	}
	list, err := s.Sessions().List(ctx, 0, 1000)
	must(t, err)
	for _, info := range list {
		records := recordsOf(t, s, info.ID)
		for i, r := range records {
			if r.Entries[0].Note.Kind != strconv.Itoa(i) {
				t.Errorf("record %d of %q is %s", i, info.ID, r.Entries[0].Note.Kind)
			}
		}
		if len(records)%3 != 0 || len(records) != info.Records {
			t.Errorf("%d records of %q, which says it has %d", len(records), info.ID, info.Records)
		}
	}
	return last
}

// rememberers is how many save memories at once.
const rememberers = 50

// rememberForEver saves memories from many goroutines, each of a user of its own, and says which are acknowledged.
func rememberForEver(path string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, path, nil)
	if err != nil {
		return err
	}
	l, err := longterm.Open(ctx, &longterm.Options{Store: s.Memories()})
	if err != nil {
		return err
	}
	failed := make(chan error)
	for i := range rememberers {
		user := fmt.Sprint("u", i)
		go func() {
			for n := len(l.List(user, "", true)) + 1; ; n++ {
				m := longterm.Memory{User: user, Category: longterm.Fact, Content: numbered(int64(n), 200)}
				if _, err := l.Save(ctx, m, time.Now()); err != nil {
					failed <- err
					return
				}
				_, _ = os.Stdout.WriteString(fmt.Sprintln(user, n)) // one write, so that lines stay whole
			}
		}()
	}
	return <-failed
}

// A process that is killed while many save memories at once loses none that it has acknowledged, keeps none in part,
// and of one user none without those before it.
func TestKilledWhileManyRemember(t *testing.T) {
	alone(t)
	t.Parallel()
	kills := 3
	if n, err := strconv.Atoi(os.Getenv(killEnv)); err == nil {
		kills = n
	}
	random := rand.New(rand.NewPCG(7, 8))
	path, total := filepath.Join(t.TempDir(), "f.db"), 0
	sure := map[string]int{}
	for i := range kills {
		if i%20 == 19 {
			path, sure = filepath.Join(t.TempDir(), "f.db"), map[string]int{}
		}
		total += killRemembering(t, "remember", path, random, sure)
		s, err := store.Open(t.Context(), path, nil)
		must(t, err)
		must(t, s.Check(t.Context()))
		l, err := longterm.Open(t.Context(), &longterm.Options{Store: s.Memories()})
		must(t, err)
		for i := range rememberers {
			user := fmt.Sprint("u", i)
			list := l.List(user, "", true)
			for n, m := range list {
				if m.Content != numbered(int64(n+1), 200) {
					t.Errorf("memory %d of %s is %.20q", n+1, user, m.Content)
				}
			}
			if len(list) < sure[user] || len(list) > sure[user]+1 {
				t.Errorf("%d memories of %s, and %d were acknowledged", len(list), user, sure[user])
			}
			sure[user] = len(list)
		}
		must(t, s.Close())
		if t.Failed() {
			t.Fatalf("after %d kills", i+1)
		}
	}
	if total == 0 {
		t.Error("no memory was acknowledged before a kill")
	}
	t.Logf("%d kills, %d memories acknowledged", kills, total)
}

// killRemembering starts a process that saves memories, or records of sessions, and kills it at a random time. It stores
// in sure the number of the last one that the process confirmed to each user, and returns how many it confirmed in all.
func killRemembering(t *testing.T, name, path string, random *rand.Rand, sure map[string]int) (total int) {
	t.Helper()
	other := child(t, name, path)
	other.Stderr = os.Stderr
	out, err := other.StdoutPipe()
	must(t, err)
	must(t, other.Start())
	after := random.IntN(6 * rememberers) // lines to wait for
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			break
		}
		var user string
		var n int
		if _, err := fmt.Sscan(line, &user, &n); err != nil || n <= sure[user] {
			t.Fatalf("%q after %d: %v", line, sure[user], err)
		}
		sure[user] = n
		if total++; total == after+1 {
			time.AfterFunc(time.Duration(random.IntN(int(20*time.Millisecond))), func() { _ = other.Process.Kill() })
		}
	}
	if err := other.Wait(); err == nil || other.ProcessState.ExitCode() > 0 {
		t.Errorf("it ended by itself: %v", err)
	}
	return total
}
