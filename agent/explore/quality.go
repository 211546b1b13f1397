package explore

import (
	"fmt"
	"math"
	"path"
	"regexp"

	"github.com/forayhq/foray/agent"
)

// A Quality says how thorough an exploration was, by what it did and not by whether it is right: four parts of 0 to 25, and
// their sum of 0 to 100.
type Quality struct {
	Score     int `json:"score"`
	Depth     int `json:"depth"`     // files that were read after they had been found
	Breadth   int `json:"breadth"`   // patterns, and directories that files were read in
	Evidence  int `json:"evidence"`  // citations of the answer, and of what was submitted, in files that were looked at
	Coherence int `json:"coherence"` // steps that brought something new, and points of the plan that were touched
}

// String writes the sum and its parts.
func (q Quality) String() string {
	return fmt.Sprintf("%d of 100 (depth %d, breadth %d, evidence %d, coherence %d)", q.Score, q.Depth, q.Breadth, q.Evidence, q.Coherence)
}

// What is enough for the full part.
const (
	enoughFiles     = 6
	enoughPatterns  = 8
	enoughDirs      = 4
	enoughCitations = 5
	part            = 25
)

// Assess returns the quality of an exploration by its steps. nil options are the defaults.
func Assess(steps []agent.Step, o *Options) Quality {
	options := o.withDefaults()
	var s state
	for _, step := range steps {
		s.take(step, &options)
	}
	return s.quality()
}

// Quality is how thorough the exploration was so far.
func (g *Guide) Quality() Quality { return g.state.quality() }

func (s *state) quality() Quality {
	if s.steps == 0 {
		return Quality{}
	}
	q := Quality{Depth: points(s.depth()), Breadth: points(s.breadth()), Evidence: points(s.evidence()), Coherence: points(s.coherence())}
	q.Score = q.Depth + q.Breadth + q.Evidence + q.Coherence
	return q
}

func points(share float64) int { return int(math.Round(part * min(max(share, 0), 1))) }

// upTo is the share of what is enough.
func upTo(n, enough int) float64 { return min(1, float64(n)/float64(enough)) }

// depth counts a file that was read after a search had named it in full, and one that was read without by half.
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

var citation = regexp.MustCompile(`([\w@+~.\-][\w@+~./\-]*):L?\d+`)

// evidence is the share of the citations that are in files that were looked at, of as many as are enough.
func (s *state) evidence() float64 {
	cited, stand := make(map[string]bool), make(map[string]bool)
	for _, text := range append([]string{s.answer}, s.claims...) {
		for _, m := range citation.FindAllStringSubmatch(text, -1) {
			cited[m[0]] = true
			if p := path.Clean(m[1]); s.seen.files[p] || s.seen.matched[p] {
				stand[m[0]] = true
			}
		}
	}
	if len(cited) == 0 {
		return 0
	}
	return upTo(len(stand), enoughCitations) * float64(len(stand)) / float64(len(cited))
}

func (s *state) coherence() float64 {
	looked := s.fresh + s.submissions
	came := upTo(looked, s.steps)
	if n := len(s.plan.items); n > 0 {
		return (came + float64(s.plan.done())/float64(n)) / 2
	}
	return came
}
