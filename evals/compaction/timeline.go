package compaction

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/compaction/internal/plot"
	"github.com/forayhq/foray/evals/internal/policy"
	"github.com/forayhq/foray/evals/internal/recording"
)

// watched are the profiles that [Recordings.Plot] draws. The first also chooses the trajectory.
var watched = []contextwindow.Profile{contextwindow.Lean, contextwindow.Ladder}

// Plot draws, as SVG, the size of each request of one run under the profiles lean and ladder, and returns the name of
// the file. The id is that of a run, or source/id. If it is "", Plot takes the run of the split that lean compacts most
// often. Of the budgets in cfg at which the run counts (without an id: at which any run does), Plot takes the middle
// one; if none fits, it returns no picture. It returns an error for an unknown id, and errors of the context and of a
// window.
func (r *Recordings) Plot(ctx context.Context, cfg Config, id string) (name string, svg []byte, err error) {
	p, err := cfg.plan()
	if err != nil {
		return "", nil, err
	}
	t, err := p.follow(ctx, r.collection, id)
	if t == nil {
		return "", nil, err
	}
	name, svg = plot.Windows(t)
	return name, svg, nil
}

// follow plays the watched profiles on one trajectory.
func (cfg *plan) follow(ctx context.Context, c *recording.Collection, id string) (*plot.Timeline, error) {
	scripts, err := cfg.candidates(c, id)
	if err != nil {
		return nil, err
	}
	budgets := slices.DeleteFunc(slices.Sorted(slices.Values(cfg.Budgets)), func(budget int) bool {
		return !slices.ContainsFunc(scripts, func(s *script) bool { return s.counts(budget) })
	})
	if len(budgets) == 0 {
		return nil, nil
	}
	budget := budgets[len(budgets)/2]
	chosen, err := mostCompacted(ctx, scripts, budget)
	if err != nil {
		return nil, err
	}
	line := &plot.Timeline{Run: chosen.Source + "/" + chosen.ID, Budget: budget}
	for _, p := range watched {
		track, err := chosen.track(ctx, p, budget)
		if err != nil {
			return nil, err
		}
		line.Tracks = append(line.Tracks, track)
	}
	return line, nil
}

// candidates returns the script with an id. Without an id it returns all scripts of the split.
func (cfg *plan) candidates(c *recording.Collection, id string) ([]*script, error) {
	if id != "" {
		t := c.Find(id)
		if t == nil {
			return nil, fmt.Errorf("unknown trajectory %q", id)
		}
		return []*script{prepare(t, cfg.counter)}, nil
	}
	return cfg.scripts(c), nil
}

// mostCompacted returns the script with the most compactions among those that count at a budget.
func mostCompacted(ctx context.Context, scripts []*script, budget int) (*script, error) {
	var chosen *script
	most := -1
	for _, s := range scripts {
		if !s.counts(budget) {
			continue
		}
		track, err := s.track(ctx, watched[0], budget)
		if err != nil {
			return nil, err
		}
		if n := track.Compactions(); n > most {
			chosen, most = s, n
		}
	}
	return chosen, nil
}

// counts reports whether the script counts at a budget.
func (s *script) counts(budget int) bool {
	fixed, all := s.sizes()
	return float64(all) > playedFrom*float64(budget) && float64(fixed) <= irreducibleAbove*float64(budget)
}

// track plays a profile on the script.
func (s *script) track(ctx context.Context, profile contextwindow.Profile, budget int) (plot.Track, error) {
	track := plot.Track{Policy: string(profile)}
	r := &replay{
		gauge: gauge{script: s, found: make(map[pieceKey]*piece)}, budget: budget, seed: maphash.MakeSeed(),
		policy: policy.NewWindow(policy.Setting{Budget: budget, System: s.System, Counter: s.counter}, profile, nil),
		system: s.counter.Quarters(s.System),
	}
	err := r.run(ctx, func(_ *target, view []transcript.Message) {
		sections := r.sections(view)
		quarters := sections[0] + sections[1] + sections[2]
		track.Requests = append(track.Requests, plot.Request{
			Fixed: recording.Tokens(sections[0]), Digest: recording.Tokens(sections[1]), Turns: recording.Tokens(sections[2]),
			Compacted: r.before != nil && r.system+r.commonPrefix(view) < r.size,
		})
		r.sent(view, quarters)
		r.before, r.size = view, quarters
	})
	if err != nil {
		return track, fmt.Errorf("%s/%s with %s at %d: %w", s.Source, s.ID, profile, budget, err)
	}
	return track, nil
}

// sections returns the quarters of the fixed part, the digest, and the turns.
func (r *replay) sections(view []transcript.Message) [3]int {
	sum := [3]int{r.system, 0, 0}
	prompted := false
	for i := range view {
		m := &view[i]
		to := 2
		switch {
		case m.Origin == transcript.Runtime:
			to = 1
		case m.Role == transcript.User && !prompted:
			to, prompted = 0, true
		}
		sum[to] += r.quarters(m)
	}
	return sum
}
