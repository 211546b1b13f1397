package explore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools/report"
)

// A Kept is what an exploration keeps in its session beside the records of its agent.
type Kept struct {
	Question string                `json:"question"` // empty: an overview
	Steps    int                   `json:"steps,omitempty"`
	Time     time.Duration         `json:"time,omitempty"` // in nanoseconds
	Profile  contextwindow.Profile `json:"profile,omitempty"`
	Budget   int                   `json:"budget,omitempty"`
	Asked    providers.Usage       `json:"asked,omitzero"`    // of the request for words
	Program  json.RawMessage       `json:"program,omitempty"` // Setup of the session in [RunOptions]

	Found   *keptEvidence `json:"evidence,omitempty"`
	Warning string        `json:"warning,omitempty"` // why there is no evidence
	Took    time.Duration `json:"took,omitempty"`    // by the evidence, in nanoseconds
}

// A keptEvidence is the evidence of a run. It is kept whole: the files may change before the run is resumed.
type keptEvidence struct {
	Call     transcript.ToolCall `json:"call"`
	Took     time.Duration       `json:"took"`
	Report   *report.Report      `json:"report"`
	Found    bool                `json:"found,omitempty"`
	Partial  string              `json:"partial,omitempty"`
	Excerpts []keptExcerpt       `json:"excerpts,omitempty"`
	Others   []report.Place      `json:"others,omitempty"`
	Close    bool                `json:"close,omitempty"`
	Text     string              `json:"text"`
	Small    bool                `json:"small,omitempty"`
	Exact    bool                `json:"exact,omitempty"`
}

type keptExcerpt struct {
	report.Place
	Code string `json:"code"`
}

// errForeign says that nothing tells how to make the agent of a session again.
var errForeign = errors.New("it was not begun by an exploration")

// KeptIn returns what an exploration kept in a run of a session. It returns an error for a run of another program.
func KeptIn(run *session.Run) (*Kept, error) {
	var setup struct{ Explore *Kept }
	if len(run.Setup) > 0 {
		if err := json.Unmarshal(run.Setup, &setup); err != nil {
			return nil, fmt.Errorf("%w: %w", errForeign, err)
		}
	}
	if k := setup.Explore; k == nil || k.Found != nil && k.Found.Report == nil {
		return nil, errForeign
	}
	return setup.Explore, nil
}

// keptBy returns what the last run of a session kept.
func keptBy(ctx context.Context, s *agent.Session) (*Kept, error) {
	if s == nil || s.Store == nil {
		return nil, errors.New("only the run of a session can be resumed")
	}
	state, err := session.Load(ctx, s.Store, s.ID)
	if err != nil {
		return nil, err
	}
	kept, err := KeptIn(&state.Last().Run)
	if err != nil {
		return nil, fmt.Errorf("session %q cannot be resumed: %w", s.ID, err)
	}
	return kept, nil
}

// keep returns the setup of the run's session.
func (x *modelRun) keep() (json.RawMessage, error) {
	o := &x.options
	k := &Kept{
		Question: x.question, Steps: o.Steps, Time: o.Time, Profile: o.Profile, Budget: o.Budget, Asked: x.asked,
		Program: o.Session.Setup, Warning: x.warning, Took: x.took,
	}
	if e := evidenceOf(x.evidence); e != nil {
		k.Found = &keptEvidence{
			Call: x.evidence[0].Call, Took: x.evidence[0].Duration, Report: e.found.Report, Found: e.found.Found,
			Partial: e.found.Partial, Others: e.others, Close: e.close, Text: e.text, Small: e.small, Exact: e.exact,
		}
		for _, excerpt := range e.excerpts {
			k.Found.Excerpts = append(k.Found.Excerpts, keptExcerpt{excerpt.Place, excerpt.code})
		}
	}
	return json.Marshal(map[string]any{"explore": k})
}

// restore takes what the run that is resumed kept. Its options give way to those that are set.
func (x *modelRun) restore(k *Kept) {
	o := &x.options
	o.Steps, o.Time = positive(o.Steps, k.Steps), max(o.Time, 0)
	if o.Time == 0 {
		o.Time = k.Time
	}
	if o.Profile == "" {
		o.Profile = k.Profile
	}
	if o.Budget == 0 {
		o.Budget = k.Budget
	}
	x.question, x.asked, x.warning, x.took = k.Question, k.Asked, k.Warning, k.Took
	found := k.Found
	if found == nil {
		return
	}
	e := &evidence{
		found:  &Result{Report: found.Report, Found: found.Found, Partial: found.Partial},
		others: found.Others, close: found.Close, text: found.Text, small: found.Small, exact: found.Exact,
	}
	for _, excerpted := range found.Excerpts {
		e.excerpts = append(e.excerpts, excerpt{excerpted.Place, excerpted.Code})
	}
	size := toollimit.Tokens(e.text)
	x.evidence = []agent.ToolRecord{{Call: found.Call, Made: found.Call, Value: e, Duration: found.Took, TokensIn: size,
		TokensOut: size}}
}
