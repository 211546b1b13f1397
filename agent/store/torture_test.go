//go:build unix

package store_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/internal/sessionwalk"
)

// tortureEnv, as a number, is how often TestTorture kills.
const tortureEnv = "FORAY_TORTURE"

// dieEnv is at which of its points a walking process kills itself: before and after each transaction, request and
// write.
const dieEnv = "FORAY_STORE_DIE"

// tortured is how many pages the runs of TestTorture read: 120 are 60 steps.
const tortured = 120

// A mortal process counts its points, and dies at one of them.
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

// walkOn begins or resumes a run, notes what it sends and writes beside the database, and prints its result.
func walkOn(path string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, path, nil)
	if err != nil {
		return err
	}
	die, _ := strconv.Atoi(os.Getenv(dieEnv))
	m := &mortal{s.Sessions(), die}
	sent := func(request string) {
		m.point()
		sum := sha256.Sum256([]byte(request))
		if err := addLine(path+".sent", hex.EncodeToString(sum[:])); err != nil {
			panic(err)
		}
	}
	write := func(key string) error {
		m.point()
		defer m.point()
		return addLine(path+".wrote", key)
	}
	done := func(key string) bool {
		wrote, err := linesOf(path + ".wrote")
		return err == nil && slices.Contains(wrote, key)
	}
	a, err := sessionwalk.New(&sessionwalk.Walker{Pages: tortured, Sent: sent}, sessionwalk.Tools(write, done))
	if err != nil {
		return err
	}
	result, err := a.Resume(ctx, m, "walk")
	if errors.Is(err, session.ErrUnknown) {
		task := agent.Task{Prompt: "Read all pages.", Session: &agent.Session{Store: m, ID: "walk"}}
		result, err = a.Do(ctx, task)
	}
	if err != nil {
		return err
	}
	fmt.Println(result.Stop, result.Text, result.Steps, result.Usage, len(result.Tools), result.Compactions)
	return s.Close()
}

func addLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Close())
}

func linesOf(path string) ([]string, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return strings.Fields(string(raw)), err
}

// Rule: a run that is killed at any moment and resumed, again and again, sends the bytes of an undisturbed run, makes
// no call with effects twice, loses no step, and prints the same result.
func TestTorture(t *testing.T) {
	alone(t)
	t.Parallel()
	kills := 8
	if n, err := strconv.Atoi(os.Getenv(tortureEnv)); err == nil {
		kills = n
	}
	path := filepath.Join(t.TempDir(), "whole.db")
	want, err := child(t, "walk", path).Output()
	must(t, err)
	whole, err := linesOf(path + ".sent")
	must(t, err)
	effects, err := linesOf(path + ".wrote")
	must(t, err)
	if len(whole) != tortured/2+1 || len(effects) < 10 || strings.Count(string(want), "level") < 3 {
		t.Fatalf("%d requests, %d writes: %s", len(whole), len(effects), want)
	}
	random := rand.New(rand.NewPCG(uint64(kills), 7))
	runs := 0
	for killed := 0; killed < kills; runs++ {
		path := filepath.Join(t.TempDir(), "f.db")
		n, got := torture(t, path, random, kills-killed)
		killed += n
		sent, err := linesOf(path + ".sent")
		must(t, err)
		wrote, err := linesOf(path + ".wrote")
		must(t, err)
		if got != string(want) || len(wrote) != len(effects) || len(slices.Compact(slices.Sorted(slices.Values(wrote)))) != len(wrote) {
			t.Fatalf("after %d kills: %d writes of %d, and it prints\n%s, want\n%s", killed, len(wrote), len(effects), got, want)
		}
		if at := strays(whole, sent); at >= 0 {
			t.Fatalf("after %d kills: request %d of %d is none of the undisturbed run, or out of order", killed, at, len(sent))
		}
		s := open(t, path, nil)
		if err := s.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d kills in %d runs of %d steps", kills, runs, len(whole))
}

// torture runs a walk to its end, and kills it at most so often. It returns how often, and what the walk printed.
func torture(t *testing.T, path string, random *rand.Rand, most int) (killed int, printed string) {
	t.Helper()
	for {
		walk := child(t, "walk", path)
		out := new(strings.Builder)
		walk.Stdout, walk.Stderr = out, out
		itself := random.IntN(2) == 0
		if killed < most && itself {
			walk.Env = append(walk.Env, fmt.Sprintf("%s=%d", dieEnv, 1+random.IntN(60)))
		}
		must(t, walk.Start())
		if killed < most && !itself {
			time.AfterFunc(time.Duration(random.IntN(400))*time.Millisecond, func() { _ = walk.Process.Kill() })
		}
		err := walk.Wait()
		exit := (*exec.ExitError)(nil)
		switch {
		case err == nil:
			return killed, out.String()
		case errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled():
			killed++
		default:
			t.Fatalf("after %d kills: %v: %s", killed, err, out)
		}
	}
}

// strays returns the index of the first request that an undisturbed run does not send next, or sends no longer: each is
// the one before it, sent again, or the next one. -1: none.
func strays(whole, sent []string) int {
	at := 0
	for i, s := range sent {
		switch {
		case at < len(whole) && s == whole[at]:
			at++
		case at > 0 && s == whole[at-1]:
		default:
			return i
		}
	}
	if at < len(whole) {
		return len(sent)
	}
	return -1
}
