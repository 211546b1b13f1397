package store_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools"
)

// A turner turns pages of 20 KB, the page after the newest that its request shows, and notes its requests.
type turner struct {
	pages int
	sent  []string
}

func (*turner) Info() providers.Info { return providers.Info{Provider: "test", Name: "turner"} }

func (m *turner) Stream(_ context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	raw, err := json.Marshal(req)
	m.sent = append(m.sent, string(raw))
	page := 0
	for _, msg := range req.Messages {
		for _, call := range msg.Calls {
			var args struct{ Page int }
			_ = json.Unmarshal(call.Args, &args) // its own calls
			page = max(page, args.Page)
		}
	}
	return func(yield func(providers.Delta, error) bool) {
		end := providers.Delta{Finish: providers.Calls, Usage: &providers.Usage{Input: len(raw) / 4, Output: 10}}
		if page < m.pages {
			call := transcript.ToolCall{ID: fmt.Sprint("c", page+1), Name: "read", Args: json.RawMessage(fmt.Sprintf(`{"page":%d}`, page+1))}
			if err == nil && !yield(providers.Delta{Call: &call}, nil) {
				return
			}
		} else {
			end.Text, end.Finish = "I read all.", providers.Stop
		}
		yield(end, err)
	}
}

func turning(t *testing.T, m *turner) *agent.Agent {
	t.Helper()
	type args struct {
		Page int `json:"page"`
	}
	read := tools.New("read", "Reads a page.", func(_ context.Context, in args) (string, error) {
		var b strings.Builder
		for n := range 400 {
			fmt.Fprintf(&b, "func Do%dx%d(v int) error { return call%d(%d) }\n", in.Page, n, n*7%13, n*in.Page)
		}
		return b.String(), nil
	})
	a, err := agent.New(agent.Config{
		Model: m, Tools: []tools.Tool{read}, Limits: agent.Limits{Steps: 100}, Budget: contextwindow.Budget{Limit: 6_000},
	})
	must(t, err)
	return a
}

// Rule: a run of long results that another process resumes at any step sends the bytes of an undisturbed one and ends
// with its result, values included.
func TestLongResultsResume(t *testing.T) {
	s := open(t, "", nil)
	whole := &turner{pages: 40}
	task := agent.Task{Prompt: "Read all pages.", Session: &agent.Session{Store: s.Sessions(), ID: "whole"}}
	want, err := turning(t, whole).Do(t.Context(), task)
	must(t, err)
	var sent []string
	task.Session = &agent.Session{Store: s.Sessions(), ID: "parts", Steps: 7}
	for {
		m := &turner{pages: 40}
		got, err := turning(t, m).Do(t.Context(), task)
		must(t, err)
		sent, task.Prompt = append(sent, m.sent...), ""
		if got.Stop == agent.Paused {
			continue
		}
		if !slices.Equal(sent, whole.sent) {
			t.Errorf("%d requests, want %d of the same bytes", len(sent), len(whole.sent))
		}
		values := func(r *agent.Result) (all []any) {
			for _, rec := range r.Tools {
				all = append(all, rec.Value)
			}
			return all
		}
		if len(want.Tools) != 40 || !cmp.Equal(values(want), values(got)) {
			t.Errorf("the values of %d calls differ: %.300s", len(got.Tools), cmp.Diff(values(want), values(got)))
		}
		return
	}
}

// Rule: a body that is missing is found when its session is opened, and one that is damaged when it is read: the error
// names it, and the run adds nothing.
func TestOpenDamaged(t *testing.T) {
	for name, c := range map[string]struct{ damage, says string }{
		"missing": {`DELETE FROM bodies WHERE key = (SELECT max(key) FROM bodies WHERE size > 16400)`, "is missing"},
		"damaged": {`UPDATE bodies SET data = CAST(x'00' || data AS BLOB) WHERE size > 16400`, "body "},
		"swapped": {`UPDATE bodies SET size = size + 1 WHERE size > 16400`, "body "},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f.db")
			s := open(t, path, nil)
			task := agent.Task{Prompt: "Read all pages.", Session: &agent.Session{Store: s.Sessions(), ID: "s", Steps: 20}}
			_, err := turning(t, &turner{pages: 40}).Do(t.Context(), task)
			must(t, err)
			raw, err := sql.Open("sqlite", path)
			must(t, err)
			defer raw.Close()
			_, err = raw.Exec(c.damage)
			must(t, err)
			before := len(infoRecords(t, s))
			if _, err := session.Open(t.Context(), s.Sessions(), "s"); (err != nil) != (name == "missing") {
				t.Errorf("opening reads bodies that it does not need, or does not look for them: %v", err)
			}
			result, err := turning(t, &turner{pages: 40}).Resume(t.Context(), s.Sessions(), "s")
			if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("resumed to %s: %v", result.Stop, err)
			}
			if after := infoRecords(t, s); len(after) > before+1 { // at most its end
				t.Errorf("%d records after %d", len(after), before)
			}
			var failed error
			for _, err := range s.Sessions().Records(t.Context(), "s") {
				failed = err
			}
			if !errors.Is(failed, store.ErrDamaged) || !strings.Contains(failed.Error(), c.says) {
				t.Errorf("read whole: %v", failed)
			}
			if err := s.Check(t.Context()); !errors.Is(err, store.ErrDamaged) {
				t.Errorf("checked: %v", err)
			}
		})
	}
}

// infoRecords returns as many records as the session "s" says that it has.
func infoRecords(t *testing.T, s *store.Store) []session.Record {
	t.Helper()
	info, err := s.Sessions().Info(t.Context(), "s")
	must(t, err)
	return make([]session.Record, info.Records)
}
