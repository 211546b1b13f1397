package recall

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/forayhq/foray/evals"
)

// Config says what Run measures.
type Config struct {
	Retrievers []Retriever
	K          []int // recall is taken at each, ascending
	Split      Split
	Options    *evals.Options
	// Now takes the times of indexes and questions; nil: none are taken.
	Now func() time.Time
}

// A Split is the part of each source's conversations that is asked about.
type Split string

// The splits: the first half, which may be tuned on, the rest, and both.
const (
	Dev  Split = "dev"
	Test Split = "test"
	All  Split = "all"
)

// Splits returns the names of the splits.
func Splits() []Split { return []Split{Dev, Test, All} }

// of returns the conversations of a source that belong to the split.
func (s Split) of(source *Source) []*Conversation {
	half := (len(source.Conversations) + 1) / 2
	switch s {
	case Dev:
		return source.Conversations[:half]
	case Test:
		return source.Conversations[half:]
	case All, "":
	}
	return source.Conversations
}

// An answer is how much of a question's evidence was found.
type answer struct {
	category string
	found    []float64 // share, at each k
	took     float64   // ms
}

// A played conversation is what one retriever found in it.
type played struct {
	answers []answer
	index   float64 // ms
}

// Run asks every retriever every question, and adds up by source and category.
func Run(ctx context.Context, sources []*Source, cfg Config) (*Report, error) {
	if len(cfg.K) == 0 || slices.Min(cfg.K) < 1 || !slices.IsSorted(cfg.K) {
		return nil, fmt.Errorf("recall at %v: must be ascending and above 0", cfg.K)
	}
	report := &Report{Suite: "recall", K: cfg.K}
	suite := evals.Suite[*Conversation, *played]{}
	for _, s := range sources {
		for _, c := range cfg.Split.of(s) {
			suite.Cases = append(suite.Cases, evals.Case[*Conversation]{ID: s.Name + "/" + c.ID, Group: s.Name, Input: c})
		}
	}
	for _, r := range cfg.Retrievers {
		suite.Contenders = append(suite.Contenders, evals.Contender[*Conversation, *played]{
			Name: r.Name,
			Run:  func(ctx context.Context, c *Conversation) (*played, error) { return play(ctx, c, r, cfg) },
		})
	}
	outcomes, err := suite.Run(ctx, cfg.Options)
	if err != nil {
		return nil, err
	}
	for _, o := range outcomes {
		if o.Err != nil {
			return nil, o.Err
		}
	}
	for _, s := range sources {
		for _, r := range cfg.Retrievers {
			report.add(s.Name, r.Name, outcomes)
		}
	}
	return report, nil
}

// play asks one retriever the questions about one conversation.
func play(ctx context.Context, c *Conversation, r Retriever, cfg Config) (*played, error) {
	now := cfg.Now
	if now == nil {
		now = func() time.Time { return time.Time{} }
	}
	since := func(start time.Time) float64 { return float64(now().Sub(start).Microseconds()) / 1e3 }
	start := now()
	search := r.Build(c.Turns)
	p := &played{index: since(start)}
	for _, q := range c.Questions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		start := now()
		ids := search(q.Text, cfg.K[len(cfg.K)-1])
		a := answer{category: q.Category, took: since(start)}
		for _, k := range cfg.K {
			a.found = append(a.found, share(q.Evidence, ids[:min(k, len(ids))]))
		}
		p.answers = append(p.answers, a)
	}
	return p, nil
}

// share returns how much of the evidence is among ids. An id that evidence names twice counts twice.
func share(evidence, ids []string) float64 {
	found := 0
	for _, e := range evidence {
		if slices.Contains(ids, e) {
			found++
		}
	}
	return float64(found) / float64(max(len(evidence), 1))
}
