package main

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"strings"

	"github.com/forayhq/foray/providers"
)

// secret stands where a key stood.
const secret = "[secret]"

// shortestKey is how long a key is at least, in bytes: a shorter text is none and might be a common word.
const shortestKey = 6

// A concealed is a model without its key in what it answers. A server was told the key and may send it back: reports,
// traces and recordings are passed on to others. Errors are the provider's own care.
type concealed struct {
	providers.Model
	key string
}

// Stream passes an answer on. A piece of text that may be the start of the key waits for the next one.
func (c concealed) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	if len(c.key) < shortestKey {
		return c.Model.Stream(ctx, req)
	}
	return func(yield func(providers.Delta, error) bool) {
		text, reasoning := held{key: c.key}, held{key: c.key}
		say := func(d providers.Delta) bool { return d.Text == "" && d.Reasoning == "" || yield(d, nil) }
		rest := func() bool {
			return say(providers.Delta{Reasoning: reasoning.end()}) && say(providers.Delta{Text: text.end()})
		}
		for d, err := range c.Model.Stream(ctx, req) {
			on := true
			switch {
			case err == nil && d.Text != "":
				on = say(providers.Delta{Reasoning: reasoning.end()}) && say(providers.Delta{Text: text.add(d.Text)})
			case err == nil && d.Reasoning != "":
				on = say(providers.Delta{Text: text.end()}) && say(providers.Delta{Reasoning: reasoning.add(d.Reasoning)})
			default:
				on = rest() && yield(c.clean(d), err)
			}
			if !on {
				return
			}
		}
		rest()
	}
}

// clean returns a delta that comes whole without the key.
func (c concealed) clean(d providers.Delta) providers.Delta {
	if d.Call != nil && strings.Contains(d.Call.ID+d.Call.Name+string(d.Call.Args), c.key) {
		call := *d.Call
		call.ID, call.Name = strings.ReplaceAll(call.ID, c.key, secret), strings.ReplaceAll(call.Name, c.key, secret)
		call.Args = json.RawMessage(strings.ReplaceAll(string(call.Args), c.key, secret))
		d.Call = &call
	}
	if d.Opaque != nil && bytes.Contains(d.Opaque.Data, []byte(c.key)) {
		opaque := *d.Opaque
		opaque.Data = bytes.ReplaceAll(opaque.Data, []byte(c.key), []byte(secret))
		d.Opaque = &opaque
	}
	return d
}

// A held is a text that comes in pieces, and what of it may be the start of the key.
type held struct{ key, rest string }

// add takes a piece and returns what can be shown.
func (h *held) add(piece string) string {
	text := strings.ReplaceAll(h.rest+piece, h.key, secret)
	h.rest = ""
	for n := min(len(h.key)-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, h.key[:n]) {
			text, h.rest = text[:len(text)-n], text[len(text)-n:]
			break
		}
	}
	return text
}

// end returns what was held back: the text goes on with something else.
func (h *held) end() string {
	rest := h.rest
	h.rest = ""
	return rest
}
