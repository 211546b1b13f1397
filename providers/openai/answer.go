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
	window := h.model.config.Info.Window
	switch {
	case h.events > 0 && !h.known:
		return h.model.error(providers.Malformed, "the server answered with JSON that is no answer of a model"+h.model.hint())
	case h.events == 0:
		return h.model.error(providers.Network, "the answer is empty"+h.model.hint())
	case !finished:
		return h.model.wrap(providers.Network, providers.ErrNoFinish)
	case window > 0 && h.usage != nil && h.usage.Input == window: // Ollama cuts a request to its window and says nothing
		e := h.model.error(providers.Overflow, "the server has cut the request to its window")
		e.Limit = window
		return e
	}
	return nil
}

// distinct returns the ids of the calls of an answer to req, with new ones in place of those that are empty or that
// another call of the conversation has.
func distinct(req *providers.Request, ids []string) []string {
	if len(ids) == 0 {
		return nil
	}
	used := map[string]bool{"": true}
	for _, m := range req.Messages {
		for _, c := range m.Calls {
			used[c.ID] = true
		}
	}
	step := providers.NextStep(req.Messages)
	out := make([]string, 0, len(ids))
	for i, id := range ids {
		for n := i + 1; used[id]; n += len(ids) { // a second turn only where a server counts in our form
			id = providers.CallID(step, n)
		}
		used[id] = true
		out = append(out, id)
	}
	return out
}
