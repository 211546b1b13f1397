package compaction

import (
	"bytes"
	"context"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/policy"
	"github.com/forayhq/foray/evals/internal/recording"
	"github.com/forayhq/foray/evals/internal/valid"
)

// A replay plays one policy on one script.
type replay struct {
	gauge
	policy policy.Policy
	budget int
	now    func() time.Time // nil: times are not measured
	tally  *tally

	system  int                  // quarters of the system prompt
	before  []transcript.Message // the previous view
	size    int                  // quarters of the previous request
	grown   int                  // quarters fed since
	hashes  []uint64             // of the views, in the order of requests
	seed    maphash.Seed
	reload  bool // save and load the policy halfway
	refill  []refill
	rereads []reread      // that are still visible
	arrived int           // the first unit that arrived since the last request
	spent   time.Duration // on the current request: appending what arrived, and building the view
}

// play measures a policy on a script at a budget. A second run, which saves and loads the policy halfway, checks that
// its views are the same.
func play(ctx context.Context, s *script, p policy.Named, budget int, now func() time.Time) (*tally, error) {
	r := &replay{
		gauge:  gauge{script: s, found: make(map[pieceKey]*piece)},
		policy: p.New(policy.Setting{Budget: budget, System: s.System, Counter: s.counter}),
		budget: budget, now: now, seed: maphash.MakeSeed(),
		tally: &tally{Trajectories: 1}, system: s.counter.Quarters(s.System),
	}
	r.resolver, _ = r.policy.(policy.Resolver)
	if err := r.run(ctx, r.measure); err != nil {
		return nil, err
	}
	r.close()
	again := &replay{gauge: r.gauge, budget: budget, seed: r.seed, system: r.system, reload: true,
		policy: p.New(policy.Setting{Budget: budget, System: s.System, Counter: s.counter})}
	err := again.run(ctx, func(_ *target, view []transcript.Message) {
		quarters := again.system
		for i := range view {
			quarters += again.quarters(&view[i])
		}
		again.sent(view, quarters)
	})
	if err != nil {
		return nil, err
	}
	r.tally.Compared = len(r.hashes)
	for i, h := range again.hashes {
		if h == r.hashes[i] {
			r.tally.Equal++
		}
	}
	return r.tally, nil
}

// run feeds the policy and passes each view to take.
func (r *replay) run(ctx context.Context, take func(t *target, view []transcript.Message)) error {
	fed := 0
	for i := range r.targets {
		t := &r.targets[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		if reloader, ok := r.policy.(policy.Reloader); ok && r.reload && i == len(r.targets)/2 {
			loaded, err := reloader.Reload()
			if err != nil {
				return err
			}
			r.policy = loaded
		}
		if err := r.feed(fed, t.unit); err != nil {
			return err
		}
		fed = t.unit
		var view []transcript.Message
		if err := r.timed(func() (err error) { view, err = r.policy.View(); return err }); err != nil {
			return fmt.Errorf("view before unit %d: %w", t.unit, err)
		}
		if r.now != nil {
			r.tally.Times = append(r.tally.Times, float64(r.spent)/float64(time.Millisecond))
			r.spent = 0
		}
		take(t, view)
	}
	return nil
}

// feed passes the policy a range of units.
func (r *replay) feed(from, to int) error {
	for k := from; k < to; k++ {
		if err := r.timed(func() error { return r.policy.Feed(r.Units[k]) }); err != nil {
			return fmt.Errorf("feeding unit %d: %w", k, err)
		}
		if r.tally != nil {
			r.grown += 4 * r.counter.Unit(r.Units[k])
			r.countRefill(k)
		}
	}
	return nil
}

// timed adds what do takes to the time of the current request.
func (r *replay) timed(do func() error) error {
	if r.now == nil {
		return do()
	}
	start := r.now()
	err := do()
	r.spent += r.now().Sub(start)
	return err
}

// sent reports the size of the request to the policy, and records a hash of the view.
func (r *replay) sent(view []transcript.Message, quarters int) {
	if o, ok := r.policy.(policy.Observer); ok {
		o.Observe(recording.Tokens(quarters))
	}
	r.hashes = append(r.hashes, hashOf(r.seed, view))
}

// measure counts one request. One after the run would have ended shows nothing, but costs what it sends.
func (r *replay) measure(t *target, view []transcript.Message) {
	y := r.tally
	v := r.look(view)
	quarters := v.quarters + r.system
	y.Requests++
	served := true
	if e, ok := r.policy.(policy.Ender); ok && e.Ended() {
		y.GoesOn++
		served = false
	}
	r.firstSight(r.arrived, t.unit, view, served)
	r.arrived = t.unit
	if served {
		r.recall(y, t, v)
	} else {
		r.recall(y, t, r.look(nil))
	}
	lacks := lost{t, y.Requests, v.ids.without(t.deps), v.lines.without(t.lines)}
	if len(lacks.ids)+len(lacks.lines) > 0 {
		y.lost = append(y.lost, lacks)
	}
	r.readAgain(t, v, quarters)
	if r.keepsPins(v, t.unit, r.budget) {
		y.Pinned++
	}
	broken := valid.Violations(view)
	for _, rule := range broken {
		y.breaks(string(rule), 1)
	}
	if len(broken) > 0 {
		y.Invalid++
	}
	if recording.Tokens(quarters) > r.budget {
		y.Over++
	}
	y.Largest = max(y.Largest, recording.Tokens(quarters))
	if e, ok := r.policy.(policy.Estimator); ok {
		y.Errors = append(y.Errors, math.Abs(float64(e.Estimate())/float64(recording.Tokens(quarters))-1))
	}
	r.compare(t, view, quarters)
	r.sent(view, quarters)
}

// compare measures the prefix that a request shares with the previous one. A request that does not extend the
// previous one is a compaction.
func (r *replay) compare(t *target, view []transcript.Message, quarters int) {
	y := r.tally
	prefix := 0
	if r.before != nil {
		prefix = r.system + r.commonPrefix(view)
	}
	y.Quarters += quarters
	y.PrefixQuarters += prefix
	if r.before != nil && prefix < r.size {
		y.Compactions++
		y.After = append(y.After, float64(recording.Tokens(quarters))/float64(r.budget))
		r.beginRefill(t, view, quarters)
	}
	r.before, r.size, r.grown = view, quarters, 0
}

// commonPrefix returns the length of the longest common prefix of a view and the previous one, in quarters of a token.
func (r *replay) commonPrefix(view []transcript.Message) int {
	n := 0
	for i := range r.before {
		if i >= len(view) {
			break
		}
		a, b := &r.before[i], &view[i]
		if same(a, b) {
			n += r.quarters(a)
			continue
		}
		if a.Role == b.Role && a.CallID == b.CallID {
			end := 0
			for end < min(len(a.Text), len(b.Text)) && a.Text[end] == b.Text[end] {
				end++
			}
			n += r.counter.Quarters(a.Text[:end])
			if end == len(a.Text) && len(a.Calls) == 0 {
				n = max(n, n+r.quarters(a)-r.counter.Quarters(a.Text))
			}
		}
		break
	}
	return n
}

func same(a, b *transcript.Message) bool {
	return a.Role == b.Role && a.CallID == b.CallID && a.Text == b.Text &&
		slices.EqualFunc(a.Calls, b.Calls, func(x, y transcript.ToolCall) bool {
			return x.ID == y.ID && x.Name == y.Name && bytes.Equal(x.Args, y.Args)
		})
}

func hashOf(seed maphash.Seed, view []transcript.Message) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for i := range view {
		m := &view[i]
		for _, part := range []string{string(m.Role), m.CallID, m.Name, m.Text} {
			maphash.WriteComparable(&h, part)
		}
		for _, call := range m.Calls {
			for _, part := range []string{call.ID, call.Name, string(call.Args)} {
				maphash.WriteComparable(&h, part)
			}
		}
	}
	return h.Sum64()
}

func (r *replay) close() {
	if s, ok := r.policy.(policy.Summarizer); ok {
		r.tally.Read = s.Read()
	}
	for _, f := range r.refill {
		r.tally.Freed += f.freed
		r.tally.Refilled += min(f.again, f.freed)
	}
}
