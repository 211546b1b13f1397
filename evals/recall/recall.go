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
	K       []int  // recall is taken at each, ascending
	Split   string // "dev", the first half of each source's conversations, "test", the rest, or "all" (default)
	Options *evals.Options
	Now     func() time.Time // for the times in the report; nil: they are 0

	retrievers []retriever // nil: retrievers()
}

// split returns the conversations that belong to a split.
func (s *Source) split(name string) []*conversation {
	half := (len(s.conversations) + 1) / 2
	switch name {
	case "dev":
		return s.conversations[:half]
	case "test":
		return s.conversations[half:]
	}
	return s.conversations
}

// An answer is how much of a question's evidence a retriever found.
type answer struct {
	category string
	found    []float64 // share, at each k
	took     float64   // ms
}

// A result is what a retriever found in a conversation.
type result struct {
	answers []answer
	index   float64 // ms
}

// Run asks each retriever every question and sums up by source and category.
func Run(ctx context.Context, sources []*Source, cfg Config) (*Report, error) {
	if len(cfg.K) == 0 || slices.Min(cfg.K) < 1 || !slices.IsSorted(cfg.K) {
		return nil, fmt.Errorf("recall at %v: K must be ascending and above 0", cfg.K)
	}
	if cfg.retrievers == nil {
		cfg.retrievers = retrievers()
	}
	report := &Report{Suite: "recall", K: cfg.K}
	suite := evals.Suite[*conversation, *result]{}
	for _, s := range sources {
		for _, c := range s.split(cfg.Split) {
			suite.Cases = append(suite.Cases, evals.Case[*conversation]{ID: s.Name + "/" + c.id, Group: s.Name, Input: c})
		}
	}
	for _, r := range cfg.retrievers {
		suite.Contenders = append(suite.Contenders, evals.Contender[*conversation, *result]{
			Name: r.name,
			Run:  func(ctx context.Context, c *conversation) (*result, error) { return measure(ctx, c, r, cfg) },
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
		for _, r := range cfg.retrievers {
			report.add(s.Name, r.name, outcomes)
		}
	}
	return report, nil
}

// measure asks one retriever the questions about one conversation.
func measure(ctx context.Context, c *conversation, r retriever, cfg Config) (*result, error) {
	now := cfg.Now
	if now == nil {
		now = func() time.Time { return time.Time{} }
	}
	since := func(start time.Time) float64 { return float64(now().Sub(start).Microseconds()) / 1e3 }
	start := now()
	search := r.build(c.turns)
	p := &result{index: since(start)}
	for _, q := range c.questions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		start := now()
		ids := search(q.text, cfg.K[len(cfg.K)-1])
		a := answer{category: q.category, took: since(start)}
		for _, k := range cfg.K {
			a.found = append(a.found, share(q.evidence, ids[:min(k, len(ids))]))
		}
		p.answers = append(p.answers, a)
	}
	return p, nil
}

// share returns which share of the evidence is among ids. An id that the evidence names twice counts twice.
func share(evidence, ids []string) float64 {
	found := 0
	for _, e := range evidence {
		if slices.Contains(ids, e) {
			found++
		}
	}
	return float64(found) / float64(max(len(evidence), 1))
}
