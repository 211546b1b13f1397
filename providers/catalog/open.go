package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/textcalls"
)

// Options say how to reach a model. The zero value is the default for each field.
type Options struct {
	Key        string       // empty: from the endpoint's environment variables
	BaseURL    string       // empty: the endpoint's own; first OPENAI_BASE_URL, ANTHROPIC_BASE_URL
	AllowHTTP  bool         // allow plain HTTP to remote hosts (exposes the key)
	HTTPClient *http.Client // nil: one without a time limit
	// tokens that the server runs the model with; 0: by name; for ollama/ first OLLAMA_CONTEXT_LENGTH
	Window int
	// the first model's service compacts the conversation itself, at half of the window but at most 150,000 tokens; Open
	// returns [providers.ErrNoCompaction] if it cannot
	ServerCompaction bool

	Retries   int      // how often a failed request is sent again; 0: 3 times, below 0: never
	Fallbacks []string // models to ask, in order, while those before them fail

	// one of [textcalls.Modes] for the calls of all models; empty: Auto for local and unknown servers, else Native
	Calls     string
	CallsFile string // remembers how models call, for later processes; empty: this process only
	SpeedFile string // remembers how fast local servers read, for later processes; empty: this process only

	Prices PriceList        // take precedence over the table's; zero: none
	Meter  *providers.Meter // counts what answers cost; nil: not counted
	Notify func(string)     // receives one line for each retry, fallback and change of a breaker; nil: discarded
}

// Limits on the requests that a program sends to one service: more than a run needs, less than services object to.
const (
	maxConcurrent     = 8
	maxPerMinute      = 500
	defaultRetries    = 3
	fallbackPatience  = 5 * time.Second        // the longest Retry-After to wait for while a fallback could answer
	localRetryMaxWait = 250 * time.Millisecond // bounds the first wait for a local server
	slowestFirst      = 30 * time.Minute       // wait for a local server to read: 32,000 tokens at 18 a second
)

// An OpenError is the error of a target that cannot be asked.
type OpenError struct {
	Target
	Err error
}

// Error returns the text of the cause.
func (e *OpenError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *OpenError) Unwrap() error { return e.Err }

// Open returns the model of PROVIDER/MODEL, as in "openai/gpt-4.1", with the layers that make it reliable: bounds,
// time-outs, limits, a breaker, retries and fallbacks, in the order that package providers describes. It reaches no
// server. An unknown name is a [*NameError]; any other error is an [*OpenError].
func Open(name string, o *Options) (providers.Model, error) {
	o = cmp.Or(o, &Options{})
	targets, err := Chain(name, o)
	if err != nil {
		return nil, err
	}
	return OpenChain(targets)
}

// OpenChain does as [Open] for the targets of a [Chain], at least one: those after the first are its fallbacks.
func OpenChain(targets []Target) (providers.Model, error) {
	if len(targets) == 0 {
		return nil, errors.New("catalog: no target to open; see Chain")
	}
	o := &targets[0].options
	if o.Calls != "" && !slices.Contains(textcalls.Modes(), o.Calls) {
		return nil, &OpenError{targets[0], fmt.Errorf("calls %q: must be one of %v", o.Calls, textcalls.Modes())}
	}
	chain := make([]providers.Model, len(targets))
	for i, t := range targets {
		if i == 0 && o.ServerCompaction {
			t.compact = compactAt(targets)
		}
		m, err := t.Open()
		if err != nil {
			return nil, &OpenError{t, err}
		}
		patience := fallbackPatience
		if i == len(targets)-1 {
			patience = 0 // the default
		}
		chain[i] = t.readable(t.reliable(m, patience))
	}
	if len(chain) == 1 {
		return chain[0], nil
	}
	return providers.Fallback(firstOf(chain), &providers.FallbackOptions{OnFallback: func(m providers.Info, _ []error) {
		o.notify(fmt.Sprintf("%s/%s answers because the models before it failed", m.Provider, m.Name))
	}}, chain[1:]...), nil
}

// Chain returns the target of a name followed by those of o.Fallbacks. The options Key, BaseURL and Window apply only
// to fallbacks of the same provider.
func Chain(name string, o *Options) ([]Target, error) {
	first, err := Resolve(name, o)
	if err != nil {
		return nil, err
	}
	targets := []Target{first}
	if o == nil {
		return targets, nil
	}
	for _, fallback := range o.Fallbacks {
		own := *o
		if provider, _, _ := strings.Cut(strings.TrimSpace(fallback), "/"); provider != first.Name {
			own.Key, own.BaseURL, own.Window = "", "", 0
		}
		t, err := Resolve(fallback, &own)
		if err != nil {
			return nil, err
		}
		targets = append(targets, t)
	}
	return targets, nil
}

func (o *Options) notify(text string) {
	if o.Notify != nil {
		o.Notify(text)
	}
}

// reliable puts the layers around a model.
func (t Target) reliable(m providers.Model, patience time.Duration) providers.Model {
	o := &t.options
	m = t.watched(m)
	if o.Meter != nil {
		m = o.Meter.Watch(m)
	}
	first := time.Duration(0)
	if t.NoKey || t.Local() {
		m, first = newPaced(m, o.SpeedFile, t.known()), slowestFirst
	}
	m = providers.Bound(providers.Timeouts(m, first, 0))
	m = providers.Concurrent(m, maxConcurrent)
	m = providers.RateLimit(m, maxPerMinute, time.Minute, maxConcurrent)
	m = providers.Breaker(m, &providers.BreakerOptions{OnChange: func(state string) {
		o.notify(t.String() + ": " + breakerTexts[state])
	}})
	tries := 1 + defaultRetries
	switch {
	case o.Retries < 0:
		return m
	case o.Retries > 0:
		tries = 1 + o.Retries
	}
	onRetry := func(err error, made int, wait time.Duration) {
		o.notify(fmt.Sprintf("%v; try %d of %d in %s", err, made+1, tries, round(wait)))
	}
	retry := &providers.RetryOptions{Tries: tries, Patience: patience, OnRetry: onRetry}
	if t.Local() {
		retry.Base = localRetryMaxWait
	}
	return providers.Retry(m, retry)
}

// readable adds the layer that makes calls of what a model writes. By default, models of the services in the table go
// without it: these deliver calls as calls.
func (t Target) readable(m providers.Model) providers.Model {
	at, known := endpointAt(t.URL)
	o := &t.options
	if o.Calls == "" && (t.google() || t.place != nil || known && !t.NoKey && !at.NoKey) {
		return m
	}
	server := t.Endpoint
	if t.Name == openaiName && t.Elsewhere() {
		server = at
	}
	return textcalls.New(m, &textcalls.Options{
		Calls: o.Calls, NoSchema: server.quirks.NoSchema, Notify: o.notify,
		File: o.CallsFile, Key: t.known(),
	})
}

// known names a target in files that remember it.
func (t Target) known() string { return t.SafeURL() + " " + t.Model }

// round rounds a wait for display.
func round(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(100 * time.Millisecond)
}

var breakerTexts = map[string]string{
	"open":      "too many failures in a row: requests fail at once for a while (breaker open)",
	"half-open": "one request tests the service (breaker half-open)",
	"closed":    "the service answers again (breaker closed)",
}

// A firstModel is the first of a chain with the smallest window of the chain, because any model of it may answer.
type firstModel struct {
	providers.Model
	info providers.Info
}

// Info returns the info of the first model with the smallest window.
func (n firstModel) Info() providers.Info { return n.info }

func firstOf(chain []providers.Model) providers.Model {
	n := firstModel{chain[0], chain[0].Info()}
	smallest := windowOf(n.info)
	for _, m := range chain[1:] {
		if w := windowOf(m.Info()); w < smallest {
			smallest, n.info.Window = w, w
		}
	}
	return n
}

// windowOf returns a model's window, or the assumed one.
func windowOf(info providers.Info) int {
	return contextwindow.BudgetOf(info.Window, info.MaxOutput, "").Window
}
