package explore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools/report"
)

// A tape is a store that remembers where each transaction ended, and encodes records as a database does.
type tape struct {
	session.InMemory
	ends []int
}

func (s *tape) AppendRecords(ctx context.Context, id string, from int, records ...session.Record) error {
	raw, err := json.Marshal(records)
	if err != nil {
		return err
	}
	records = nil
	if err := json.Unmarshal(raw, &records); err != nil {
		return err
	}
	s.ends = append(s.ends, from+len(records))
	return s.InMemory.AppendRecords(ctx, id, from, records...)
}

// A reader is a model whose next call follows from the results that it was sent, so that it does not know in which
// process it runs. It ends with the last of its answers, or with none.
type reader struct {
	window int
	answer string
	sent   []string
}

func (m *reader) Info() providers.Info {
	return providers.Info{Provider: "test", Name: "reader", Window: m.window}
}

func (m *reader) Stream(_ context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	raw, err := json.Marshal(req)
	m.sent = append(m.sent, string(raw))
	answered := 0
	for _, msg := range req.Messages {
		if msg.Role == transcript.Tool {
			answered++
		}
	}
	calls := []string{`search {"pattern":"request"}`, `read_file {"path":"retry/loop.go"}`, `read_file {"path":"none.go"}`,
		`read_file {"path":"retry/wait.go"}`, `find_symbol {"name":"Wait"}`}
	if m.answer == "" {
		calls = slices.Repeat(calls, 10)
	}
	return func(yield func(providers.Delta, error) bool) {
		usage := &providers.Usage{Input: len(raw) / 4, Output: 10}
		switch {
		case err != nil || len(req.Tools) == 0 && req.MaxOutput > 0 && req.MaxOutput < 100:
			yield(providers.Delta{Text: "backoff", Finish: providers.Stop, Usage: usage}, err)
		case answered >= len(calls) || req.Choice == providers.None:
			yield(providers.Delta{Text: m.answer, Finish: providers.Stop, Usage: usage}, nil)
		default:
			name, args, _ := strings.Cut(calls[answered], " ")
			call := &transcript.ToolCall{ID: fmt.Sprintf("c%d", answered), Name: name, Args: json.RawMessage(args)}
			_ = yield(providers.Delta{Call: call}, nil) && yield(providers.Delta{Finish: providers.Calls, Usage: usage}, nil)
		}
	}
}

// durations are what two runs of the same question differ in.
var durations = regexp.MustCompile(`"(?i:duration|took|started|time|readtime|writetime)":("[^"]*"|[\d.]+)`)

// printed is all that people read of a result.
func printed(t *testing.T, r *explore.Result) string {
	t.Helper()
	run := *r.Run
	run.Duration = 0
	facts, err := json.Marshal([]any{run.Usage, run.Stop, run.Steps, run.Warnings, run.Context})
	if err != nil {
		t.Fatal(err)
	}
	for i := range run.Tools {
		facts = fmt.Appendf(facts, "\n%d %s %s %v %T %d %d", run.Tools[i].Step, run.Tools[i].Call.Name, run.Tools[i].Made.Args,
			run.Tools[i].Err, run.Tools[i].Value, run.Tools[i].TokensIn, run.Tools[i].TokensOut)
	}
	return r.Markdown(report.PrintOptions{}) + durations.ReplaceAllString(string(facts), "")
}

// Rule: wherever the process of an exploration dies, the resumed one prints the report of an undisturbed one, and asks
// the model what that one would have asked.
func TestResumedReportEqualsUndisturbedOne(t *testing.T) {
	if ostest.RaceDetector {
		t.Skip("one run after another")
	}
	for name, c := range map[string]struct {
		window   int
		answer   string
		question string
		options  explore.RunOptions
	}{
		"large":       {128 << 10, "It asks again [retry/loop.go:4], after waiting [retry/wait.go:4].", where, explore.RunOptions{}},
		"small":       {8 << 10, "It asks again [retry/loop.go:4].", where, explore.RunOptions{Steps: 9}},
		"guess":       {8 << 10, "The loop does [retry/loop.go:4].", "Who brings the dessert into the kitchen?", explore.RunOptions{}},
		"overview":    {128 << 10, "A loop [retry/loop.go:4].", "", explore.RunOptions{}},
		"no answer":   {128 << 10, "", where, explore.RunOptions{Steps: 6, Profile: "wide"}},
		"no evidence": {128 << 10, "", where, explore.RunOptions{Steps: 5, NoEvidence: true}},
		"rules":       {0, "", where, explore.RunOptions{}},
	} {
		t.Run(name, func(t *testing.T) {
			kept, whole := new(tape), &reader{window: c.window, answer: c.answer}
			var model providers.Model
			if c.window > 0 {
				model = whole
			}
			o := c.options
			o.Session = &agent.Session{Store: kept, ID: "s", Setup: json.RawMessage(`{"flags":1}`)}
			open := func() *explore.Tree { return &explore.Tree{Files: tree, Dir: "/tree"} }
			result, err := open().Run(t.Context(), model, c.question, &o)
			if err != nil || result.Run.Steps < 3 {
				t.Fatalf("%v: %+v", err, result)
			}
			want := printed(t, result)
			if plain, err := open().Run(t.Context(), fresh(model), c.question, &c.options); err != nil || printed(t, plain) != want {
				t.Errorf("%v: a session changes the report: %s", err, cmp.Diff(want, printed(t, plain)))
			}
			var records []session.Record
			for r := range kept.Records(t.Context(), "s") {
				records = append(records, r)
			}
			for _, end := range kept.ends {
				store := new(session.InMemory)
				if err := store.AppendRecords(t.Context(), "s", 0, records[:end]...); err != nil {
					t.Fatal(err)
				}
				again := fresh(model)
				got, err := open().Run(t.Context(), again, "", &explore.RunOptions{Resume: true,
					Session: &agent.Session{Store: store, ID: "s"}})
				if err != nil {
					t.Fatalf("after %d of %d records: %v", end, len(records), err)
				}
				if text := printed(t, got); text != want {
					t.Fatalf("after %d of %d records: %s", end, len(records), cmp.Diff(want, text))
				}
				if m, ok := again.(*reader); ok && !slices.Equal(m.sent, whole.sent[len(whole.sent)-len(m.sent):]) {
					t.Fatalf("after %d of %d records: later requests differ", end, len(records))
				}
			}
		})
	}
}

func fresh(m providers.Model) providers.Model {
	if r, ok := m.(*reader); ok {
		return &reader{window: r.window, answer: r.answer}
	}
	return m
}
