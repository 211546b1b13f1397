package main

import (
	"cmp"
	"fmt"
	"time"

	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
)

// What one run asks of a service at most: more than a run needs, and less than a service minds.
const (
	maxAtOnce  = 8
	maxAMinute = 500
	chainWait  = 5 * time.Second        // the longest Retry-After that is waited for while another model could be asked
	maxTries   = 4                      // requests for one answer, the first included
	localBase  = 250 * time.Millisecond // the longest wait before the second request to a server on this machine: it is there or not
)

// open makes the model of the chain, with the layers in the order that the package providers describes.
func (c *choice) open(f *modelFlags, say func(string)) error {
	c.meter = providers.NewMeter(&providers.MeterOptions{MaxCost: f.maxCost})
	models := make([]providers.Model, len(c.chain))
	for i, t := range c.chain {
		m, err := t.open()
		if err != nil {
			return err
		}
		if t.name == ollamaProvider && t.window == 0 {
			say("warning: Ollama cuts requests to its own window without a word: name that with --window or OLLAMA_CONTEXT_LENGTH")
		}
		patience := chainWait
		if i == len(c.chain)-1 {
			patience = 0 // the default
		}
		models[i] = t.reliable(c.meter.Watch(m), patience, say)
	}
	c.model = models[0]
	if len(models) > 1 {
		c.model = providers.Fallback(narrow(models), &providers.FallbackOptions{OnFallback: func(e providers.FallbackEvent) {
			say(fmt.Sprintf("%s/%s answers, since those before it did not", e.Model.Provider, e.Model.Name))
		}}, models[1:]...)
	}
	return nil
}

// reliable puts the layers around a model that is watched.
func (t target) reliable(m providers.Model, patience time.Duration, say func(string)) providers.Model {
	m = providers.Timeouts(m, nil)
	m = providers.Concurrent(m, maxAtOnce)
	m = providers.RateLimit(m, maxAMinute, time.Minute, maxAtOnce)
	m = providers.Breaker(m, &providers.BreakerOptions{OnChange: func(s providers.BreakerState) {
		say(t.spec() + ": " + breakerTexts[s])
	}})
	o := &providers.RetryOptions{Tries: maxTries, Patience: patience, OnRetry: func(e providers.RetryEvent) {
		say(fmt.Sprintf("%v; try %d of %d in %s", e.Err, e.Tries+1, maxTries, ui.Seconds(e.Wait)))
	}}
	if t.local() {
		o.Base = localBase
	}
	return providers.Retry(m, o)
}

var breakerTexts = map[providers.BreakerState]string{
	providers.BreakerOpen:     "too many failures one after another: nothing is sent for a while (breaker open)",
	providers.BreakerHalfOpen: "one request is tried (breaker half-open)",
	providers.BreakerClosed:   "answers again (breaker closed)",
}

// A narrowed is the first model of a chain with the smallest window in it, for any may answer.
type narrowed struct {
	providers.Model
	info providers.Info
}

// Info returns that of the first model, with the smallest window.
func (n narrowed) Info() providers.Info { return n.info }

func narrow(models []providers.Model) providers.Model {
	n := narrowed{models[0], models[0].Info()}
	least := windowOf(n.info)
	for _, m := range models[1:] {
		if w := windowOf(m.Info()); w < least {
			least, n.info.Window = w, w
		}
	}
	return n
}

// windowOf is the context window of a model, in tokens.
func windowOf(info providers.Info) int {
	byName, _, _ := contextwindow.WindowSize(info.Name)
	return cmp.Or(info.Window, byName)
}
