package openai

import "github.com/forayhq/foray/providers"

// An answer collects the events of one answer on either wire.
type answer interface {
	// add takes one event and returns the deltas that can be shown at once.
	add(raw []byte) ([]providers.Delta, error)
	// ended reports whether no further event is needed.
	ended() bool
	// whole reports whether the answer is complete even if the connection fails now.
	whole() bool
	// end returns the last deltas of a complete answer, or why it is not complete.
	end(req *providers.Request) ([]providers.Delta, error)
}

// progress is what both wires record of an answer.
type progress struct {
	model  *Model
	events int  // so far
	known  bool // an event belonged to the wire
	usage  *providers.Usage
}

// fault returns why an answer is incomplete, or nil.
func (h *progress) fault(finished bool) error {
	window := h.model.window
	switch {
	case h.events > 0 && !h.known:
		return h.model.report.Misled(providers.Malformed, "the server answered with JSON that is no answer of a model")
	case h.events == 0:
		return h.model.report.Misled(providers.Network, "the answer is empty")
	case !finished:
		return h.model.report.Wrap(providers.Network, providers.ErrNoFinish)
	// Ollama truncates a request to its window without an error
	case window > 0 && h.usage != nil && h.usage.Input == window:
		e := h.model.report.Error(providers.Overflow, "the server truncated the request to its window")
		e.Limit = window
		return e
	}
	return nil
}
