package turns

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/turns/turnstest"
)

func opens(raw []byte) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }
}

// Each turn has what was sent and what came of it; each message of the requests is kept once.
func TestRead(t *testing.T) {
	raw, err := turnstest.Trace()
	if err != nil {
		t.Fatal(err)
	}
	run, err := Read(opens(raw))
	if err != nil || run.Incomplete != "" || run.Model != "scripted/model" || run.Text != "The secret is 42." {
		t.Fatalf("%v: %q, %q, %q", err, run.Incomplete, run.Model, run.Text)
	}
	var turns []*Turn
	compactions := 0
	for _, e := range run.Events {
		if e.Turn != nil {
			turns = append(turns, e.Turn)
		}
		if c := e.Compaction; c != nil {
			if compactions++; c.Before <= c.After || c.After == 0 {
				t.Errorf("compaction from %d to %d", c.Before, c.After)
			}
		}
	}
	if len(turns) != turnstest.Steps || compactions == 0 {
		t.Fatalf("%d turns, %d compactions", len(turns), compactions)
	}
	for i, turn := range turns {
		last := i == len(turns)-1
		if len(turn.Input) != 2*i+1 || !turn.Answered || turn.Answer.Role != transcript.Assistant || (len(turn.Calls) == 0) != last {
			t.Errorf("turn %d: %+v", i+1, turn)
		}
		for _, c := range turn.Calls {
			if c.Ended < c.Began || c.Result == "" || (c.Error != "") != (i == 1) {
				t.Errorf("turn %d: %+v", i+1, c)
			}
		}
	}
	if n := len(run.Pool); n <= 2*turnstest.Steps-1 || n > 4*turnstest.Steps {
		t.Errorf("%d messages in the pool", n) // compaction makes versions of some
	}
}

// What is left of a trace is read, whatever happened to it.
func TestReadDamaged(t *testing.T) {
	raw, err := turnstest.Trace()
	if err != nil {
		t.Fatal(err)
	}
	for cut := 0; cut < len(raw); cut += 997 {
		run, err := Read(opens(raw[:cut]))
		if err != nil || run.Incomplete == "" {
			t.Errorf("cut at %d: %v, read whole", cut, err)
		}
	}
	other := strings.Replace(string(raw), `"sha256":"`, `"sha256":"0`, 1)
	if run, err := Read(opens([]byte(other))); err != nil || !strings.Contains(run.Incomplete, "differs from the one sent") {
		t.Errorf("changed: %v, %q", err, run.Incomplete)
	}
	if _, err := Read(func() (io.ReadCloser, error) { return nil, errors.New("gone") }); err == nil {
		t.Error("a trace that does not open")
	}
}

func FuzzRead(f *testing.F) {
	raw, err := turnstest.Trace()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`{"seq":1,"event":"tool_ended","call":{"id":"x"}}` + "\n" + `{"seq":2,"event":"request"}` + "\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		run, err := Read(opens(raw))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range run.Events {
			if e.Turn != nil {
				for _, i := range e.Turn.Input {
					_ = run.Pool[i]
				}
			}
		}
	})
}
