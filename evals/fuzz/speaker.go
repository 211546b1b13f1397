package fuzz

import (
	"context"
	"fmt"
	"iter"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/providertest/strict"
)

// A speaker is a model that says what it is given, with provider data.
type speaker struct {
	next   transcript.Message
	tokens int // of the provider data
	parts  int // so far
	answer transcript.Message
}

// ask sends a view to a service that speaks through s, and reports whether it answered. The answer is in s.
func (s *speaker) ask(
	service *strict.Service, p contextwindow.Prefix, view []transcript.Message, next transcript.Message, tokens int,
) bool {
	s.next, s.tokens = next, tokens
	req := &providers.Request{System: p.System, Tools: p.Tools, Messages: view}
	r, err := providers.Ask(context.Background(), service, req)
	s.answer = r.Message
	return err == nil
}

// Info implements [providers.Model].
func (s *speaker) Info() providers.Info { return providers.Info{Provider: "fuzz", Name: "m"} }

// Stream implements [providers.Model].
func (s *speaker) Stream(context.Context, *providers.Request) iter.Seq2[providers.Delta, error] {
	s.parts++
	data := &transcript.ProviderData{Dialect: "d", Model: "m", Tokens: s.tokens, Data: fmt.Appendf(nil, "sealed %d", s.parts)}
	return func(yield func(providers.Delta, error) bool) {
		if s.next.Text != "" && !yield(providers.Delta{Text: s.next.Text}, nil) {
			return
		}
		for i := range s.next.Calls {
			if !yield(providers.Delta{Call: &s.next.Calls[i]}, nil) {
				return
			}
		}
		if yield(providers.Delta{ProviderData: data}, nil) {
			yield(providers.Delta{Finish: providers.Stop}, nil)
		}
	}
}
