package canaries

import (
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/planted"
)

// A Session is a generated conversation with sentences that were said in it.
type Session struct {
	Budget   int    // of the windows that it fills, in tokens
	System   string // prompt
	Messages []transcript.Message
	Planted  []Planted // in the order in which they were said
}

// A Planted is a sentence of a session.
type Planted struct {
	Kind, Carrier string         // see the package
	Question      string         // asks a model for the value
	Check         map[string]any // JSON of a check of the kind canary
}

// Sessions writes the sessions of a configuration, of which it needs no policies.
func Sessions(cfg Config) (all []Session, err error) {
	if err := cfg.LoadNoise(""); err != nil {
		return nil, err
	}
	specs, err := cfg.specs()
	for _, spec := range specs {
		s := spec.session()
		one := Session{Budget: s.budget, System: s.system, Messages: slices.Concat(s.units...)}
		for _, g := range gapsOf(s.items, spec.phrasebook) {
			check := said(&g.Statement)
			check["kind"] = "canary"
			if g.old != nil {
				check["gone"] = said(g.old)
			}
			one.Planted = append(one.Planted, Planted{g.kind, g.carrier, g.question, check})
		}
		all = append(all, one)
	}
	return all, err
}

func said(s *planted.Statement) map[string]any {
	return map[string]any{"text": s.Text, "value": s.Value, "words": s.Words}
}
