package canaries

import (
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/planted"
)

// A Session is a generated conversation with sentences that were said in it.
type Session struct {
	ID       string
	Language string
	Budget   int    // of the windows that it fills, in tokens
	System   string // prompt
	Messages []transcript.Message
	Planted  []Planted // in the order in which they were said
}

// A Planted is a sentence of a session. Words, Value included, must stay in one line of a view.
type Planted struct {
	Kind, Carrier string // see the package
	Text, Value   string
	Words         []string
	Old           *Planted // what it superseded, without Kind, Carrier, Question and Old; nil if it superseded nothing
	Question      string   // asks a model for Value
}

// Sessions writes the sessions of a configuration, of which it needs no policies.
func Sessions(cfg Config) ([]Session, error) {
	if cfg.noise == nil {
		if err := cfg.LoadNoise(""); err != nil {
			return nil, err
		}
	}
	specs, err := cfg.specs()
	if err != nil {
		return nil, err
	}
	var all []Session
	for _, spec := range specs {
		s := spec.session()
		one := Session{ID: s.id, Language: s.language, Budget: s.budget, System: s.system}
		one.Messages = slices.Concat(s.units...)
		for _, g := range gapsOf(s.items, spec.phrasebook) {
			p := plantedOf(&g.Statement)
			p.Kind, p.Carrier, p.Question = g.kind, g.carrier, g.question
			if g.old != nil {
				old := plantedOf(g.old)
				p.Old = &old
			}
			one.Planted = append(one.Planted, p)
		}
		all = append(all, one)
	}
	return all, nil
}

func plantedOf(s *planted.Statement) Planted {
	return Planted{Text: s.Text, Value: s.Value, Words: s.Words}
}
