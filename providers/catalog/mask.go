package catalog

import (
	"context"
	"iter"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
)

// A masked model removes its key from its answers, because a server may send the key back and answers end up in
// reports, traces and recordings. The dialects mask their errors themselves.
type masked struct {
	providers.Model
	mask wire.Mask
}

// Stream passes an answer on. It holds back text that may be the start of the key until more of it arrives, whatever
// else arrives before that.
func (m masked) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		var text, reasoning string // held back
		flush := func(clean func(string) string) bool {
			return put([]providers.Delta{{Reasoning: clean(reasoning)}, {Text: clean(text)}}, yield)
		}
		for d, err := range m.Model.Stream(ctx, req) {
			switch {
			case err != nil: // the text may be cut
				if flush(m.mask.CleanPart) {
					yield(d, err)
				}
				return
			case d.Finish != "":
				if flush(m.mask.Clean) {
					yield(d, nil)
				}
				return
			case d.Text != "":
				d.Text, text = m.mask.Split(text + d.Text)
			case d.Reasoning != "":
				d.Reasoning, reasoning = m.mask.Split(reasoning + d.Reasoning)
			default:
				d = m.clean(d)
			}
			if !put([]providers.Delta{d}, yield) {
				return
			}
		}
		flush(m.mask.CleanPart)
	}
}

// put yields the deltas that are not empty.
func put(all []providers.Delta, yield func(providers.Delta, error) bool) bool {
	for _, d := range all {
		if d != (providers.Delta{}) && !yield(d, nil) {
			return false
		}
	}
	return true
}

// clean masks the key in a call or provider data.
func (m masked) clean(d providers.Delta) providers.Delta {
	if d.Call != nil {
		call := *d.Call
		call.ID, call.Name = m.mask.Clean(call.ID), m.mask.Clean(call.Name)
		if args := m.mask.Clean(string(call.Args)); args != string(call.Args) {
			call.Args = providers.Arguments(args) // a list of bytes becomes no JSON
		}
		d.Call = &call
	}
	if d.ProviderData != nil {
		data := *d.ProviderData
		data.Data = []byte(m.mask.Clean(string(data.Data)))
		d.ProviderData = &data
	}
	return d
}
