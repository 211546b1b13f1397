package chat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// dumpEnv names a directory in which TestFortyTurns writes each request as a text, for somebody who reads them.
const dumpEnv = "FORAY_DUMP"

// logOf is a server's log of about so many bytes.
func logOf(r *rand.Rand, bytes int) string {
	var b strings.Builder
	parts := []string{"api", "billing", "worker", "gateway", "scheduler"}
	says := []string{
		"request GET /v1/orders/%d took %d ms", "connection %d to db-7.internal:6543 lost after %d s, retrying",
		"job sync-invoices-%d finished with %d rows", "cache miss for key user:%d:profile (%d bytes)",
		"upstream timeout: tenant %d, attempt %d of 5",
	}
	for n := 0; b.Len() < bytes; n++ {
		fmt.Fprintf(&b, "2026-03-%02dT%02d:%02d:%02d.%03dZ %s[%d]: %s "+says[r.IntN(len(says))]+"\n", 1+n/2000%28, n/360%24, n/60%60, n%60, r.IntN(1000),
			parts[r.IntN(len(parts))], 1000+r.IntN(9000), []string{"INFO", "INFO", "WARN", "ERROR"}[r.IntN(4)], r.IntN(99999), r.IntN(5000))
	}
	return b.String()
}

// A forty is a conversation of forty turns with a model that reads files now and then.
type forty struct {
	window int
	pastes int // bytes of a pasted log
	every  int // how many turns apart pastes come
}

func (f forty) say(r *rand.Rand, n int) string {
	topics := []string{"the retry loop", "the invoice job", "the order cache", "the tenant limits", "the gateway"}
	switch {
	case n == 2:
		return "Before we start: never suggest a change to the vendor directory, and answer in two sentences."
	case n%f.every == 3:
		return fmt.Sprintf("Here is the log of run %d. What goes wrong in it?\n\n%s", n, logOf(r, f.pastes))
	case n%9 == 5:
		return "ok, go on"
	default:
		return fmt.Sprintf("In step %d, how does %s behave when db-7.internal is away? Look at the code first.", n, topics[n%len(topics)])
	}
}

// reader reads a file in every third turn and answers at some length.
func (f forty) reader(r *rand.Rand) *scripted.Model {
	asked := 0
	return scripted.Options{Info: providers.Info{Window: f.window}}.New(scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
		last := req.Messages[len(req.Messages)-1]
		if last.Role == transcript.User {
			if asked++; asked%3 == 1 {
				return scripted.Calls(scripted.Call{Name: "read_file", Args: map[string]any{"path": fmt.Sprintf("pkg/mod%d/retry.go", asked)}})
			}
		}
		return scripted.Text(fmt.Sprintf("Answer %d. ", asked) + strings.Repeat("The loop retries five times with a growing pause, then the job is put back into the queue. ", 3+r.IntN(8)))
	})))
}

func (f forty) config(r *rand.Rand) (chat.Config, *scripted.Model) {
	model := f.reader(r)
	c := with(model)
	c.Agent.System = "You help an engineer with a service."
	c.Agent.Tools = []tools.Tool{tools.New("read_file", "Reads a file.", func(_ context.Context, in struct {
		Path string `json:"path"`
	}) (string, error) {
		var b strings.Builder
		fmt.Fprintf(&b, "[%s, lines 1-120 of 120]\n", in.Path)
		for i := range 120 {
			fmt.Fprintf(&b, "%4d: func retry%d(ctx context.Context, n int) error { return step%d(ctx, n) } // %s\n", i+1, i, r.IntN(1000), in.Path)
		}
		return b.String(), nil
	})}
	return c, model
}

// figures are what a conversation costs and keeps.
type figures struct {
	requests, sent, prefix int     // tokens
	between                float64 // mean share of a turn's last request that the next turn's first one extends
	extends                int     // turns whose first request begins with the whole last request of the turn before
	over, whole            int
	pasted                 int
	goals                  int // most often that a request says the words of the turn
}

// texts is a request as texts: system, schemas, then a message each.
func texts(req *providers.Request) []string {
	schemas, _ := json.Marshal(req.Tools)
	all := []string{req.System, string(schemas)}
	for _, m := range req.Messages {
		calls, _ := json.Marshal(m.Calls)
		text := string(m.Role) + ": " + m.Text
		if len(m.Calls) > 0 {
			text += string(calls)
		}
		all = append(all, text)
	}
	return all
}

// common is how many bytes two requests begin with together.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func (f forty) play(t *testing.T, dir string) (got figures) {
	r := rand.New(rand.NewPCG(1, uint64(f.window)))
	c, model := f.config(r)
	h, id := open(t, c)
	limit := contextwindow.BudgetOf(f.window, 0, contextwindow.Wide).Limit
	before, between := "", 0.
	var pasted string
	seen := 0
	for n := 1; n <= 40; n++ {
		text := f.say(r, n)
		turn := ask(t, h, id, text)
		synctest.Wait()
		all := model.Requests()
		for i, req := range all[seen:] {
			got.requests++
			size := providers.Size(&req)
			now := strings.Join(texts(&req), "\n\n")
			same := common(before, now)
			got.sent += size
			got.prefix += int(float64(size) * float64(same) / float64(len(now)))
			if size > limit {
				got.over++
			}
			if i == 0 && n > 1 {
				between += float64(same) / float64(len(before))
				if strings.HasPrefix(now, before) {
					got.extends++
				}
				if pasted != "" {
					if got.pasted++; strings.Contains(now, strings.TrimSpace(pasted)) {
						got.whole++
					}
				}
			}
			if words := []rune(text); len(words) < 300 && len(words) > 20 {
				got.goals = max(got.goals, strings.Count(now, text))
			}
			before = now
			if dir != "" {
				name := fmt.Sprintf("w%d-p%d-turn%02d-%d.txt", f.window, f.pastes, n, i+1)
				if err := os.WriteFile(filepath.Join(dir, name), []byte(now), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		seen = len(all)
		pasted = ""
		if len(text) > 4_000 {
			pasted = text
		}
		if w := turn.Stats.Window; w.From > 0 && w.From <= w.Covered {
			t.Errorf("turn %d shows a summary next to what it sums up: %+v", n, w)
		}
	}
	got.between = between / 39
	return got
}

// A conversation of forty turns with pastes: requests are within the budget and say the goal once, a paste that fits is whole
// in the next request, and a turn's requests extend those of the turn before. The bounds leave
// room to what is measured today (in brackets: before windows moved in steps).
func TestFortyTurns(t *testing.T) {
	ostest.SkipRaced(t)
	for _, test := range []struct {
		forty
		whole   bool    // pastes, in the next request
		between float64 // at least
		cost    float64 // at most, a turn: 1.25 of what is new, .1 of what a cache has
	}{
		{forty{8_000, 8_000, 4}, false, .25, 2_700},    // .34, 2,273 (.22, 2,122)
		{forty{16_000, 40_000, 4}, false, .35, 4_300},  // .46, 3,596 (.11, 5,573)
		{forty{32_000, 40_000, 4}, false, .45, 7_500},  // .54, 6,437 (.22, 10,464)
		{forty{200_000, 40_000, 4}, true, .60, 17_000}, // .70, 14,702 (.34, 23,408; no paste whole)
		{forty{200_000, 3_000, 7}, true, .80, 8_500},   // .89, 7,260 (.56, 11,618)
	} {
		t.Run(fmt.Sprintf("%d/%d", test.window, test.pastes), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := test.play(t, os.Getenv(dumpEnv))
				cost := (1.25*float64(got.sent-got.prefix) + .1*float64(got.prefix)) / 40
				t.Logf("%d requests, %d tokens sent, prefix %.3f, cost %.0f a turn; the next turn extends %.3f of a turn's last request, all of it %d times of 39; pastes whole %d of %d",
					got.requests, got.sent, float64(got.prefix)/float64(got.sent), cost, got.between, got.extends, got.whole, got.pasted)
				if got.over > 0 || got.goals != 1 || test.whole && got.whole < got.pasted {
					t.Errorf("%d requests over the budget; the goal is said %d times; %d of %d pastes are whole", got.over, got.goals, got.whole, got.pasted)
				}
				if got.between < test.between || cost > test.cost {
					t.Errorf("extends %.3f, at least %.3f; costs %.0f, at most %.0f", got.between, test.between, cost, test.cost)
				}
			})
		})
	}
}
