package compaction

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/compaction/internal/policy"
	"github.com/forayhq/foray/evals/compaction/recording"
)

// A Timeline is the window of one trajectory, request by request.
type Timeline struct {
	Trajectory string // source/id
	Budget     int    // tokens
	Tracks     []Track
}

// A Track is the window that one policy kept.
type Track struct {
	Policy   string
	Requests []Request
}

// A Request is the size of one request by section, in tokens of the run's counter.
type Request struct {
	Fixed     int // system prompt and prompt
	Digest    int // the digest of evicted turns
	Turns     int // turns
	Compacted bool
}

// watched are the profiles that [Follow] plays. The first also chooses the trajectory.
var watched = []contextwindow.Profile{contextwindow.Lean, contextwindow.Ladder}

// Follow plays the profiles lean and ladder on one trajectory and records the size of each request. The id is that of
// a trajectory, or source/id. If it is "", Follow takes the trajectory of the split that lean compacts most often.
// Of the budgets in cfg at which the trajectory counts (without an id: at which any trajectory does), Follow plays the
// middle one; if none fits, it returns nil. It returns an error for an unknown id, and errors of the context and of a
// window.
func Follow(ctx context.Context, c *recording.Collection, cfg Config, id string) (*Timeline, error) {
	scripts, err := candidates(c, cfg, id)
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
	line := &Timeline{Trajectory: chosen.Source + "/" + chosen.ID, Budget: budget}
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
func candidates(c *recording.Collection, cfg Config, id string) ([]*script, error) {
	if id != "" {
		t := c.Find(id)
		if t == nil {
			return nil, fmt.Errorf("unknown trajectory %q", id)
		}
		return []*script{prepare(t, cfg.Counter)}, nil
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
func (s *script) track(ctx context.Context, profile contextwindow.Profile, budget int) (Track, error) {
	track := Track{Policy: string(profile)}
	r := &replay{
		gauge: gauge{script: s, found: make(map[pieceKey]*piece)}, budget: budget, seed: maphash.MakeSeed(),
		policy: policy.NewWindow(policy.Setting{Budget: budget, System: s.System, Counter: s.counter}, profile, nil),
		system: s.counter.Quarters(s.System),
	}
	err := r.run(ctx, func(_ *target, view []transcript.Message) {
		sections := r.sections(view)
		quarters := sections[0] + sections[1] + sections[2]
		track.Requests = append(track.Requests, Request{
			Fixed: recording.Tokens(sections[0]), Digest: recording.Tokens(sections[1]), Turns: recording.Tokens(sections[2]),
			Compacted: r.before != nil && r.system+r.common(view) < r.size,
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

// Compactions returns how many requests followed a compaction.
func (t *Track) Compactions() int {
	n := 0
	for _, r := range t.Requests {
		if r.Compacted {
			n++
		}
	}
	return n
}
