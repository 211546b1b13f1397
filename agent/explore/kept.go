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
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/report"
)

// RunOptions bound an exploration. A zero field means its default.
type RunOptions struct {
	Steps   int                   // requests to the model; default 24
	Time    time.Duration         // default: unlimited
	Profile contextwindow.Profile // default: lean, and off for the heuristic explorer
	Budget  int                   // tokens of one request; default: by model and profile

	Tools []tools.Tool // of a language model, beside those of the tree
	// Approve decides about calls of Tools with effects; nil: each is made. See [agent.Config].
	Approve func(context.Context, transcript.ToolCall) (agent.Decision, error)

	// Inbox delivers messages to a language model while the run is in progress; nil: none. Each run needs its own.
	Inbox *agent.Inbox

	// NoEvidence lets a language model begin with the question alone, to measure what evidence is worth.
	NoEvidence bool

	// Session keeps the run in a store, with these options; nil: it is not kept. A session whose last run is over
	// takes another question, in the same window.
	Session *agent.Session
	// Resume continues the last run of Session, with its question and evidence in place of others. Options that are
	// zero are those of the run.
	Resume bool
}

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
	Warning string        `json:"warning,omitempty"` // why it lacks evidence
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
	Missing  string              `json:"missing,omitempty"`
	Unmet    bool                `json:"unmet,omitempty"`
	Words    string              `json:"words,omitempty"`
}

type keptExcerpt struct {
	report.Place
	Code string `json:"code"`
}

// errForeign says that a session does not say how to make its agent again.
var errForeign = errors.New("it was not started by an exploration")

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
	state, err := session.Open(ctx, s.Store, s.ID)
	if err != nil {
		return nil, err
	}
	kept, err := KeptIn(&state.Last().Run)
	if err != nil {
		return nil, fmt.Errorf("session %q cannot be resumed: %w", s.ID, err)
	}
	return kept, nil
}

// keptOf returns the evidence of a run as it is kept; nil for no record.
func keptOf(records []agent.ToolRecord) *keptEvidence {
	e := evidenceOf(records)
	if e == nil {
		return nil
	}
	k := &keptEvidence{
		Call: records[0].Call, Took: records[0].Duration, Report: e.found.Report, Found: e.found.Found,
		Partial: e.found.Partial, Others: e.others, Close: e.close, Text: e.text, Small: e.small, Exact: e.exact,
		Missing: e.missing, Unmet: e.unmet, Words: e.synonyms,
	}
	for _, x := range e.excerpts {
		k.Excerpts = append(k.Excerpts, keptExcerpt{x.Place, x.code})
	}
	return k
}

// records is the inverse of keptOf.
func (k *keptEvidence) records() []agent.ToolRecord {
	if k == nil {
		return nil
	}
	e := &evidence{
		found:  &Result{Report: k.Report, Found: k.Found, Partial: k.Partial},
		others: k.Others, close: k.Close, text: k.Text, small: k.Small, exact: k.Exact,
		missing: k.Missing, unmet: k.Unmet, synonyms: k.Words,
	}
	for _, x := range k.Excerpts {
		e.excerpts = append(e.excerpts, excerpt{x.Place, x.Code})
	}
	size := toollimit.Tokens(e.text)
	return []agent.ToolRecord{{Call: k.Call, Made: k.Call, Value: e, Duration: k.Took, TokensIn: size, TokensOut: size}}
}
