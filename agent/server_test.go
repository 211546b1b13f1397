package agent_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// compactor is a model whose service compacts, with what it made of the first step in front of its second answer.
func compactor(rest ...scripted.Line) *scripted.Model {
	read := scripted.Call{Name: "read", Args: `{}`}
	first, second := scripted.Calls(read), scripted.Calls(read)
	first.Usage = providers.Usage{Input: 200, Output: 10}
	second.Usage = providers.Usage{Input: 12_000, Output: 900, Compacted: 10_000}
	second.ProviderData = &transcript.ProviderData{Dialect: "sealed@1", Model: "claude", Tokens: 90, Data: []byte("s\x00aled <b>"), Compacts: true}
	return compacting("claude", append([]scripted.Line{first, second}, rest...)...)
}

func compacting(name string, lines ...scripted.Line) *scripted.Model {
	return scripted.Options{Info: providers.Info{Name: name, Window: 100_000,
		Compaction: providers.Compaction{At: 40_000, Dialect: "sealed@1"}}}.New(lines...)
}

func compactingReader(t *testing.T, m providers.Model) *agent.Agent {
	reads := 0
	a, err := agent.New(agent.Config{Model: m, Profile: contextwindow.Full, Tools: []tools.Tool{tools.New("read", "Reads.",
		func(context.Context, struct{}) (string, error) {
			var b strings.Builder
			for i := range 2_000 {
				fmt.Fprintf(&b, "line %d of reading %d\n", i, reads)
			}
			reads++
			return b.String(), nil
		})}})
	must(t, err)
	return a
}

// The server's compaction is an event with sizes, counts towards the usage, and no count of the request that it changed
// reaches the window. The budget lies beyond the server's mark.
func TestServerCompacts(t *testing.T) {
	m := compactor(scripted.Line{Text: "That is all.", Usage: providers.Usage{Input: 9_000, Output: 5}})
	a := compactingReader(t, m)
	if b := a.Budget(); b.Limit != 80_000 {
		t.Errorf("budget %+v", b)
	}
	var compactions []contextwindow.Compaction
	var counted []int
	var result *agent.Result
	for e, err := range a.Stream(t.Context(), agent.Task{Prompt: "What is there?"}) {
		must(t, err)
		switch e := e.(type) {
		case agent.WindowCompacted:
			compactions = append(compactions, e.Compaction)
		case agent.EntriesAppended:
			for _, entry := range e.Entries {
				if entry.Observed != nil {
					counted = append(counted, entry.Observed.Actual)
				}
			}
		case agent.RunFinished:
			result = e.Result
		}
	}
	if len(compactions) != 1 || !compactions[0].ByServer() || compactions[0].Before < 5_000 || compactions[0].After > 500 {
		t.Errorf("compactions %v", compactions)
	}
	if !slices.Equal(counted, []int{200, 9_000}) {
		t.Errorf("the window was given the counts %v", counted)
	}
	if want := (providers.Usage{Input: 21_200, Output: 915, Compacted: 10_000}); result.Usage != want || !reflect.DeepEqual(result.Compactions, compactions) {
		t.Errorf("usage %+v, compactions %v", result.Usage, result.Compactions)
	}
	if got := m.Requests()[2].Messages; len(got) != 5 {
		t.Errorf("the last request shows %d messages of the log, want all", len(got))
	}
}

// A run that is resumed has the server's item byte for byte; with another model, the window compacts the whole log.
func TestServerCompactsThenResumed(t *testing.T) {
	for name, other := range map[string]bool{"claude": false, "another": true} {
		t.Run(name, func(t *testing.T) {
			store := new(tape)
			m := compactor(scripted.Line{Err: errors.New("the machine is off")})
			_, err := compactingReader(t, m).Do(t.Context(), agent.Task{Prompt: "What is there?", Session: &agent.Session{Store: store, ID: "s"}})
			if err == nil {
				t.Fatal("the run ended")
			}
			state, err := session.Load(t.Context(), store, "s")
			must(t, err)
			if _, err := contextwindow.Load(state.Entries, contextwindow.Budget{}, nil); err != nil {
				t.Error(err)
			}
			next := compacting(name, scripted.Text("That is all."))
			var steps []string
			for e, err := range compactingReader(t, next).ResumeStream(t.Context(), store, "s") {
				must(t, err)
				if c, ok := e.(agent.WindowCompacted); ok {
					steps = append(steps, c.Compaction.Steps...)
				}
			}
			sent := next.Requests()[0].Messages
			shown := slices.IndexFunc(sent, func(m transcript.Message) bool { return m.ProviderData != nil })
			switch want := m.Requests()[2].Messages[3]; {
			case other && (shown >= 0 || !slices.Contains(steps, "reclaim")):
				t.Errorf("the other model is sent the item, or the window did not say what it did: %v", steps)
			case !other && (shown != 3 || len(steps) > 0):
				t.Errorf("the item is in message %d, compacted %v", shown, steps)
			case !other && !cmp.Equal(sent[3], want):
				t.Error(cmp.Diff(want, sent[3]))
			}
		})
	}
}
