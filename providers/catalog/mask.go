package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"strings"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
)

// A masked model removes its key from its answers, because a server may echo the key and answers end up in reports,
// traces and recordings. The dialects mask their errors themselves.
type masked struct {
	providers.Model
	key string
}

// Stream passes an answer on. It holds back text that may be the start of the key until the next piece arrives.
func (m masked) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	if len(m.key) < wire.ShortestSecret {
		return m.Model.Stream(ctx, req)
	}
	return func(yield func(providers.Delta, error) bool) {
		text, reasoning := keyFilter{key: m.key}, keyFilter{key: m.key}
		put := func(d providers.Delta) bool { return d.Text == "" && d.Reasoning == "" || yield(d, nil) }
		flush := func() bool {
			return put(providers.Delta{Reasoning: reasoning.flush()}) && put(providers.Delta{Text: text.flush()})
		}
		for d, err := range m.Model.Stream(ctx, req) {
			more := true
			switch {
			case err == nil && d.Text != "":
				more = put(providers.Delta{Reasoning: reasoning.flush()}) && put(providers.Delta{Text: text.add(d.Text)})
			case err == nil && d.Reasoning != "":
				more = put(providers.Delta{Text: text.flush()}) && put(providers.Delta{Reasoning: reasoning.add(d.Reasoning)})
			default:
				more = flush() && yield(m.clean(d), err)
			}
			if !more {
				return
			}
		}
		flush()
	}
}

// clean masks the key in a call or provider data.
func (m masked) clean(d providers.Delta) providers.Delta {
	mask := func(s string) string { return strings.ReplaceAll(s, m.key, wire.Redacted) }
	if d.Call != nil && strings.Contains(d.Call.ID+d.Call.Name+string(d.Call.Args), m.key) {
		call := *d.Call
		call.ID, call.Name, call.Args = mask(call.ID), mask(call.Name), json.RawMessage(mask(string(call.Args)))
		d.Call = &call
	}
	if d.ProviderData != nil && bytes.Contains(d.ProviderData.Data, []byte(m.key)) {
		data := *d.ProviderData
		data.Data = []byte(mask(string(data.Data)))
		d.ProviderData = &data
	}
	return d
}

// A keyFilter removes a key from a text that arrives in pieces.
type keyFilter struct {
	key  string
	tail string // the end of the text so far, if the key may start there
}

// add takes a piece and returns the text up to a possible start of the key.
func (f *keyFilter) add(piece string) string {
	text := strings.ReplaceAll(f.tail+piece, f.key, wire.Redacted)
	f.tail = ""
	for n := min(len(f.key)-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, f.key[:n]) {
			text, f.tail = text[:len(text)-n], text[len(text)-n:]
			break
		}
	}
	return text
}

// flush returns the rest of the text, once something else follows.
func (f *keyFilter) flush() string {
	tail := f.tail
	f.tail = ""
	return tail
}
