package dispatch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forayhq/foray/evals/dispatch"
)

// programEnv makes the tests' binary a program that runs jobs.
const programEnv = "FORAY_DISPATCH_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programEnv) != "" {
		fmt.Fprintln(os.Stderr, "ready")
		if err := dispatch.Serve(context.Background(), os.Stdin, os.Stdout, play); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// play does what the first argument of a job says.
func play(ctx context.Context, j dispatch.Job) error {
	switch j.Args[0] {
	case "fail":
		return fmt.Errorf("no machine for %s in %s", j.Key, j.Dir)
	case "wait":
		<-ctx.Done()
		return os.WriteFile(j.Dir, []byte("cancelled"), 0o600)
	case "die":
		os.Exit(7)
	case "babble":
		fmt.Println("working on it")
		<-ctx.Done()
	}
	return nil
}

func start(t *testing.T) (context.Context, *dispatch.Client, *bytes.Buffer) {
	t.Helper()
	t.Setenv(programEnv, "yes")
	stderr := &bytes.Buffer{}
	ctx, c, err := dispatch.Start(t.Context(), stderr, os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	return ctx, c, stderr
}

func TestJobs(t *testing.T) {
	ctx, c, stderr := start(t)
	left := t.TempDir() + "/left"
	var jobs sync.WaitGroup
	for i := range 50 {
		jobs.Go(func() {
			if err := c.Do(ctx, dispatch.Job{Args: []string{"run"}}); err != nil {
				t.Error(err)
			}
			err := c.Do(ctx, dispatch.Job{Key: fmt.Sprint("k", i), Dir: "/d", Args: []string{"fail"}})
			if want := fmt.Sprintf("no machine for k%d in /d", i); err == nil || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
		})
	}
	jobs.Wait()
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if err := c.Do(short, dispatch.Job{Dir: left, Args: []string{"wait"}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a job that waits: %v", err)
	}
	c.Close()
	if said, err := os.ReadFile(left); err != nil || string(said) != "cancelled" {
		t.Errorf("Close did not cancel a job: %q, %v", said, err)
	}
	if stderr.String() != "ready\n" {
		t.Errorf("standard error: %q", stderr)
	}
}

// A program that ends, or says what is no reply, ends the context and each job with the reason.
func TestProgramEnds(t *testing.T) {
	for args, want := range map[string]string{"die": "ended early: exit status 7", "babble": `its reply "working on it"`} {
		ctx, c, _ := start(t)
		failed := c.Do(ctx, dispatch.Job{Args: []string{args}})
		<-ctx.Done()
		for _, err := range []error{failed, context.Cause(ctx)} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", args, err)
			}
		}
		if err := c.Do(t.Context(), dispatch.Job{Args: []string{"run"}}); err == nil {
			t.Errorf("%s: a job after the end", args)
		}
		c.Close()
	}
	if _, _, err := dispatch.Start(t.Context(), os.Stderr, "foray-nowhere"); err == nil {
		t.Error("a program that does not exist")
	}
}

func FuzzServe(f *testing.F) {
	for _, in := range []string{"", `{"id":1,"args":["run"]}`, "{}\n{}", "[", `{"id":1}` + "\nx"} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var mu sync.Mutex
		var ids []int
		out := &bytes.Buffer{}
		err := dispatch.Serve(t.Context(), bytes.NewReader(in), out, func(_ context.Context, j dispatch.Job) error {
			mu.Lock()
			defer mu.Unlock()
			ids = append(ids, j.ID)
			return nil
		})
		if n := strings.Count(out.String(), "\n"); n != len(ids) {
			t.Errorf("%d replies to the jobs %v, %v", n, slices.Sorted(slices.Values(ids)), err)
		}
	})
}
