package session_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

func begun(prompt string) session.Record { return session.Record{Run: &session.Run{Prompt: prompt}} }

func entries(n int) session.Record {
	return session.Record{Entries: slices.Repeat([]contextwindow.Entry{{Note: &contextwindow.Note{Kind: "k"}}}, n)}
}

func step(n int) session.Record {
	return session.Record{Step: &session.Stepped{Step: session.Step{Number: n}}}
}

func answer(calls int) session.Record {
	m := transcript.Message{Role: transcript.Assistant, Calls: make([]transcript.ToolCall, calls)}
	return session.Record{Answer: &session.Answer{Response: &providers.Response{Message: m}}}
}

func rewind(to int) session.Record { return session.Record{Rewind: &session.Rewind{To: to}} }

func steps(s *session.State) (numbers []int) {
	for _, st := range s.Last().Steps {
		numbers = append(numbers, st.Step.Number)
	}
	return numbers
}

// Rule: a rewind leaves out what lies between, and a rewind to a rewind takes it back.
func TestRewinds(t *testing.T) {
	all := []session.Record{
		begun("p"), entries(2), step(1), step(2), step(3), // 0 to 4
		rewind(3), step(12), rewind(5), step(4), // 5 to 8
		rewind(7), rewind(4), // 9, 10
	}
	for n, want := range map[int][]int{
		5: {1, 2, 3}, 6: {1}, 7: {1, 12}, 8: {1, 2, 3}, 9: {1, 2, 3, 4}, 10: {1, 12}, 11: {1, 2},
	} {
		state, err := session.Fold(all[:n])
		if err != nil || !cmp.Equal(steps(state), want) {
			t.Errorf("%d records: %v, want %v (%v)", n, steps(state), want, err)
		}
	}
}

// Rule: records that no run wrote are refused with the index of the first one.
func TestFoldRefuses(t *testing.T) {
	call := session.Record{Call: &session.Call{Index: 1}}
	for name, records := range map[string][]session.Record{
		"nothing":             {},
		"no run":              {entries(1)},
		"no field":            {begun("p"), {}},
		"two fields":          {begun("p"), {Step: &session.Stepped{}, End: &session.End{}}},
		"call of no answer":   {begun("p"), call},
		"call past the calls": {begun("p"), answer(1), call},
		"call after the step": {begun("p"), answer(2), step(1), call},
		"no response":         {begun("p"), {Answer: &session.Answer{}}},
		"rewind to nothing":   {begun("p"), rewind(0)},
		"rewind ahead":        {begun("p"), rewind(5)},
	} {
		if state, err := session.Fold(records); !errors.Is(err, session.ErrDamaged) {
			t.Errorf("%s: %v, %+v", name, err, state)
		}
	}
}

// Rule: whatever the records are, folding them ends, and a state that it gives is whole.
func FuzzFold(f *testing.F) {
	for _, records := range [][]session.Record{
		{begun("p"), entries(2), answer(2), {Call: &session.Call{Index: 1}}, {Result: &session.Result{Index: 0}}, step(1)},
		{begun("p"), step(1), rewind(1), begun("q"), {End: &session.End{Resumable: true}}},
	} {
		var b bytes.Buffer
		for _, r := range records {
			if err := json.NewEncoder(&b).Encode(r); err != nil {
				f.Fatal(err)
			}
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var records []session.Record
		for d := json.NewDecoder(bytes.NewReader(raw)); d.More(); {
			var r session.Record
			if d.Decode(&r) != nil {
				break
			}
			records = append(records, r)
		}
		state, err := session.Fold(records)
		if err != nil {
			if !errors.Is(err, session.ErrDamaged) {
				t.Fatal(err)
			}
			return
		}
		if len(state.Runs) == 0 || !slices.IsSorted(state.Live) || len(state.Live) > len(records) {
			t.Fatalf("%d runs, live %v of %d", len(state.Runs), state.Live, len(records))
		}
		for _, run := range state.Runs {
			for _, s := range run.Steps {
				if s.Entries > len(state.Entries) || s.Entries < run.Before {
					t.Fatalf("step %d ends at entry %d of %d", s.Step.Number, s.Entries, len(state.Entries))
				}
			}
		}
	})
}
