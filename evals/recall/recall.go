package recall

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/evals/trial"
)

// Config says what [Run] measures.
type Config struct {
	K       []int  // recall is taken at each, ascending
	Split   string // "dev", the first half of each source's conversations, "test", the rest, or "all" (default)
	Options *evals.Options
	Now     func() time.Time // for the times in the report; nil: they are 0

	// Embedder has the embedding model of [longterm.Options] that memories are also searched with; nil: none. If it
	// fails, the run ends with its error.
	Embedder *longterm.Options

	retrievers []retriever // nil: retrievers(Embedder)
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
	found    []float64            // share, at each k
	said     map[string][]float64 // the same, of the evidence that one party said
	took     float64              // ms
	tokens   float64              // shown a place
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
		cfg.retrievers = retrievers(cfg.Embedder)
	}
	report := &Report{Suite: "recall", K: cfg.K, sources: sources, trials: trial.Results{Set: "recall"}}
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
	for i, o := range outcomes {
		if o.Err != nil {
			return nil, o.Err
		}
		report.trial(suite.Cases[i/len(suite.Contenders)].Input, o)
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
	search, err := r.build(ctx, c)
	if err != nil {
		return nil, err
	}
	p := &result{index: since(start)}
	said := saidBy(c)
	for _, q := range c.questions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		start := now()
		places, err := search(q.text, cfg.K[len(cfg.K)-1])
		if err != nil {
			return nil, err
		}
		a := answer{category: q.category, took: since(start), said: make(map[string][]float64), tokens: tokensOf(places)}
		of := make(map[string][]string)
		for _, e := range q.evidence {
			if party := said[e]; party != "" {
				of[party] = append(of[party], e)
			}
		}
		for _, k := range cfg.K {
			first := places[:min(k, len(places))]
			a.found = append(a.found, share(q.evidence, first))
			for party, evidence := range of {
				a.said[party] = append(a.said[party], share(evidence, first))
			}
		}
		p.answers = append(p.answers, a)
	}
	return p, nil
}

// saidBy returns who said each turn: the user, the assistant or people.
func saidBy(c *conversation) map[string]string {
	user, assistant := index(c).Roles()
	said := make(map[string]string, len(c.turns))
	for _, t := range c.turns {
		switch name := strings.ToLower(t.Speaker); {
		case name == user && user != "":
			said[t.ID] = "the user"
		case name == assistant && assistant != "":
			said[t.ID] = "the assistant"
		default:
			said[t.ID] = "people"
		}
	}
	return said
}

// tokensOf returns how many tokens a place shows, on average.
func tokensOf(places []place) float64 {
	sum := 0
	for _, p := range places {
		sum += p.tokens
	}
	return float64(sum) / float64(max(len(places), 1))
}

// share returns which share of the evidence is in places. An id that the evidence names twice counts twice.
func share(evidence []string, places []place) float64 {
	found := 0
	for _, e := range evidence {
		if slices.ContainsFunc(places, func(p place) bool { return slices.Contains(p.ids, e) }) {
			found++
		}
	}
	return float64(found) / float64(max(len(evidence), 1))
}
