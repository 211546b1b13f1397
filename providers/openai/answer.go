package openai

import (
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
)

// progress is what both wires record of an answer.
type progress struct {
	model  *Model
	events int  // so far
	known  bool // at least one event has the form of the wire
	usage  *providers.Usage
	held   wire.Held
}

// fault returns why an answer is incomplete, or nil.
func (p *progress) fault(finished bool) error {
	window := p.model.window
	switch {
	case p.events > 0 && !p.known:
		return p.model.report.Misled(providers.Malformed, "the server answered with JSON, but not with an answer of a model")
	case p.events == 0:
		return p.model.report.Misled(providers.Network, "the answer is empty")
	case !finished:
		return p.model.report.Wrap(providers.Network, providers.ErrNoFinish)
	// Ollama truncates a request to its window without an error
	case window > 0 && p.usage != nil && p.usage.Input == window:
		e := p.model.report.Error(providers.Overflow, "the server truncated the request to its window")
		e.Limit = window
		return e
	}
	return nil
}
