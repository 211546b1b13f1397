package explore

import (
	"fmt"
	"math"
	"path"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/internal/lazyregexp"
)

// A Quality says how thorough an exploration was, judged by what it did and not by whether its answer is right: four
// parts from 0 to 25, and their sum.
type Quality struct {
	Score     int `json:"score"`
	Depth     int `json:"depth"`     // files read; those that a search found first count in full
	Breadth   int `json:"breadth"`   // patterns searched, and directories with files read
	Evidence  int `json:"evidence"`  // citations in the answer and the submissions, in files that were looked at
	Coherence int `json:"coherence"` // steps with new information, and items of the plan that were touched
}

// String writes the score and its parts.
func (q Quality) String() string {
	return fmt.Sprintf("%d of 100 (depth %d, breadth %d, evidence %d, coherence %d)", q.Score, q.Depth, q.Breadth,
		q.Evidence, q.Coherence)
}

// What earns the full points of a part.
const (
	enoughFiles     = 6
	enoughPatterns  = 8
	enoughDirs      = 4
	enoughCitations = 5
	part            = 25 // points
)

// Assess returns the [Quality] of an exploration with these steps.
func Assess(steps []agent.Step, o *Options) Quality {
	options := o.withDefaults()
	var s state
	for _, step := range steps {
		s.take(step, &options)
	}
	return s.quality()
}

// Quality returns how thorough the exploration has been so far.
func (g *Guide) Quality() Quality { return g.state.quality() }

func (s *state) quality() Quality {
	if s.steps == 0 {
		return Quality{}
	}
	q := Quality{Depth: points(s.depth()), Breadth: points(s.breadth()), Evidence: points(s.evidence()),
		Coherence: points(s.coherence())}
	q.Score = q.Depth + q.Breadth + q.Evidence + q.Coherence
	return q
}

func points(share float64) int { return int(math.Round(part * min(max(share, 0), 1))) }

func upTo(n, enough int) float64 { return min(1, float64(n)/float64(enough)) }

// depth counts a file in full if a search found it before it was read, and otherwise by half.
func (s *state) depth() float64 {
	found := 0
	for f := range s.seen.files {
		if s.seen.matched[f] {
			found++
		}
	}
	return (upTo(len(s.seen.files), enoughFiles) + upTo(found, enoughFiles)) / 2
}

func (s *state) breadth() float64 {
	dirs := make(map[string]bool)
	for f := range s.seen.files {
		dirs[path.Dir(f)] = true
	}
	return (upTo(len(s.seen.patterns), enoughPatterns) + upTo(len(dirs), enoughDirs)) / 2
}

var citation = lazyregexp.New(`([\w@+~.\-][\w@+~./\-]*):L?\d+`)

// evidence is the share of citations in files that were looked at, scaled by how many are enough.
func (s *state) evidence() float64 {
	cited, sound := make(map[string]bool), make(map[string]bool)
	for _, text := range append([]string{s.answer}, s.claims...) {
		for _, m := range citation.FindAllStringSubmatch(text, -1) {
			cited[m[0]] = true
			if p := path.Clean(m[1]); s.seen.files[p] || s.seen.matched[p] {
				sound[m[0]] = true
			}
		}
	}
	if len(cited) == 0 {
		return 0
	}
	return upTo(len(sound), enoughCitations) * float64(len(sound)) / float64(len(cited))
}

func (s *state) coherence() float64 {
	useful := upTo(s.fresh+s.submissions, s.steps)
	if n := len(s.plan.items); n > 0 {
		return (useful + float64(s.plan.done())/float64(n)) / 2
	}
	return useful
}
