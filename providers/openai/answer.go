package openai

import (
	"github.com/forayhq/foray/providers"
)

// An answer is what has come of one answer, on either wire.
type answer interface {
	// add takes one event and returns what of it can be shown at once.
	add(raw []byte) ([]providers.Delta, error)
	// ended reports whether nothing more is to come.
	ended() bool
	// whole reports whether what is still to come can be done without.
	whole() bool
	// end returns the deltas that come when the answer is whole, or why it is not.
	end(req *providers.Request) ([]providers.Delta, error)
}

// heard is what both wires note of an answer.
type heard struct {
	model  *Model
	events int  // events that came
	known  bool // one of them was of the wire
	usage  *providers.Usage
}

// fault returns why an answer is not whole; nil when it is.
func (h *heard) fault(finished bool) error {
	window := h.model.window
	switch {
	case h.events > 0 && !h.known:
		return h.model.report.Misled(providers.Malformed, "the server answered with JSON that is no answer of a model")
	case h.events == 0:
		return h.model.report.Misled(providers.Network, "the answer is empty")
	case !finished:
		return h.model.report.Wrap(providers.Network, providers.ErrNoFinish)
	case window > 0 && h.usage != nil && h.usage.Input == window: // Ollama cuts a request to its window and says nothing
		e := h.model.report.Error(providers.Overflow, "the server has cut the request to its window")
		e.Limit = window
		return e
	}
	return nil
}
