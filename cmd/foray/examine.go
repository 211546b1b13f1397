package main

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
)

// A status is what doctor found of a provider.
type status string

const (
	works         status = "works"
	fails         status = "fails"
	absent        status = "not running"    // a server for this machine that nobody started
	notConfigured status = "not configured" // no key
	notAsked      status = "not asked"      // configured, and --offline
)

// A finding is what doctor says of a provider.
type finding struct {
	Provider string   `json:"provider"`
	Status   status   `json:"status"`
	Key      string   `json:"key_variable,omitempty"` // the variable that holds the key
	Keys     []string `json:"key_variables"`          // that may hold it
	NoKey    bool     `json:"no_key_needed,omitempty"`
	BaseURL  string   `json:"base_url"`
	*modelFacts
	Millis int64            `json:"round_trip_ms,omitempty"`
	Usage  *providers.Usage `json:"tokens,omitempty"` // of the round trip
	Error  string           `json:"error,omitempty"`
	Hint   string           `json:"hint,omitempty"`

	meant bool // the user chose it, or set something for it
}

// modelFacts are what foray knows of a model. Sizes are in tokens.
type modelFacts struct {
	Model    string     `json:"model"`
	Window   int        `json:"window"`
	Source   string     `json:"window_source"`
	Budget   int        `json:"budget"` // of a request of explore
	Ratio    float64    `json:"ratio"`
	Measured bool       `json:"ratio_measured"`
	Price    *modelRate `json:"price,omitempty"` // nil: not known
}

// A modelRate is a price in dollars for a million tokens.
type modelRate struct {
	List   string  `json:"list"` // whose price list it is
	Input  float64 `json:"input"`
	Cached float64 `json:"cached"`
	Output float64 `json:"output"`
}

// rateOf returns the price of a model, nil if none is known.
func rateOf(provider, model string) *modelRate {
	p, ok := providers.PriceTable().Of(provider, model)
	if !ok {
		return nil
	}
	return &modelRate{p.Provider, p.Input, p.Cached, p.Output}
}

func factsOf(info providers.Info) *modelFacts {
	b := budgetOf(info, contextwindow.Lean)
	f := &modelFacts{Model: info.Name, Window: b.Window, Source: b.Source, Budget: b.Limit, Price: rateOf(info.Provider, info.Name)}
	f.Ratio, f.Measured = contextwindow.StartingRatio(info.Name)
	return f
}

// examine looks at one provider.
func (f *doctorFlags) examine(ctx context.Context, t target) finding {
	r := finding{Provider: t.name, Key: t.variable, Keys: t.keys, NoKey: t.noKey, BaseURL: t.shown()}
	r.meant = t.key != "" || t.elsewhere() || t.model != ""
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	switch {
	case !r.meant && !t.noKey:
		r.Status, r.Hint = notConfigured, "export "+t.keys[0]+"=…"
		return r
	case t.model == "" && !f.offline:
		probe := t
		if probe.model = "any"; probe.refused() != nil {
			return r.failed(probe.refused(), "") // before the key goes anywhere
		}
		t.model = t.small(ctx)
	case t.model == "":
		t.model = small[t.name]
	}
	if t.model == "" {
		r.Status, r.Error, r.Hint = fails, "it names no model", "--model "+t.name+"/NAME"
		switch {
		case f.offline:
			r.Status, r.Error, r.Hint = notAsked, "", ""
		case !r.meant:
			r.Status, r.Error, r.Hint = absent, "", ""
		}
		return r
	}
	m, err := t.open()
	if err != nil {
		return r.failed(err, "")
	}
	r.modelFacts = factsOf(m.Info())
	if r.Status = notAsked; !f.offline {
		r.ask(ctx, providers.Timeouts(m, &providers.TimeoutOptions{First: f.timeout, Idle: f.timeout}), t)
	}
	return r
}

// refused says why a server cannot be asked at all.
func (t target) refused() error {
	_, err := t.open()
	return err
}

// tooFew are the words of services that refuse to answer with one token.
var tooFew = regexp.MustCompile(`(?i)max_?\w*_?tokens|output limit|maxOutputTokens`)

// answerTokens are how long an answer may be: one token, or more for services that refuse so few.
var answerTokens = []int{1, 64}

// ask has the model answer.
func (r *finding) ask(ctx context.Context, m providers.Model, t target) {
	var answer *providers.Response
	var err error
	var took time.Duration
	for _, tokens := range answerTokens {
		started := time.Now()
		answer, err = providers.Ask(ctx, m, &providers.Request{
			Messages: []contextwindow.Message{{Role: contextwindow.User, Text: "Say: ok"}}, MaxOutput: tokens,
		})
		took = time.Since(started)
		if providers.ClassOf(err) != providers.Invalid || !tooFew.MatchString(err.Error()) {
			break
		}
	}
	e := (*providers.Error)(nil)
	switch {
	case err == nil:
		r.Status, r.Millis, r.Usage = works, max(took.Milliseconds(), 1), &answer.Usage
	case errors.As(err, &e) && e.Class == providers.Cancelled && errors.Is(ctx.Err(), context.DeadlineExceeded):
		*r = r.failed(errors.New("no answer within "+seconds(took)), "--timeout with more, or: "+networkHint(t, e))
	case errors.As(err, &e):
		*r = r.failed(err, t.hint(context.WithoutCancel(ctx), e))
	default:
		*r = r.failed(err, "")
	}
}

// failed is the finding of a provider that does not work.
func (r finding) failed(err error, hint string) finding {
	r.Status, r.Error, r.Hint = fails, strings.TrimSpace(line(err.Error())), hint
	if e := (*exit)(nil); errors.As(err, &e) {
		r.Hint = e.hint
	}
	return r
}

// small are the models that doctor asks, cheap ones.
var small = map[string]string{
	"openai":       "gpt-4.1-nano",
	"anthropic":    "claude-haiku-4-5",
	"deepseek":     "deepseek-chat",
	"gemini":       "gemini-2.5-flash-lite",
	"generativeai": "gemini-2.5-flash-lite",
}

// small returns the name of the model to ask: of the provider's own service the small one, else the first that the
// server lists.
func (t target) small(ctx context.Context) string {
	if name := small[t.name]; name != "" && !t.elsewhere() {
		return name
	}
	if names := t.listed(ctx); len(names) > 0 {
		return names[0]
	}
	return small[t.name]
}
