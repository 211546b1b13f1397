package strict

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"iter"
	"net/http"
	"slices"
	"sync"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// A Service is a [providers.Model] that answers as another one does and refuses provider data out of place. An answer
// without provider data gets some. It is safe for concurrent use. Its memory grows with its answers.
type Service struct {
	inner providers.Model
	seed  maphash.Seed

	mu      sync.Mutex
	parts   map[string][]place  // where each part was issued
	answers map[place]string    // the part of each answer
	wire    map[string][]uint64 // where each part was issued: sums of requests

	requests, refused, due, kept int // requests: those with provider data
}

// A place is where an answer belongs: sums of the request before it and of the answer without its provider data.
type place struct{ before, answer uint64 }

// New returns a service that answers as a model does; nil is enough for [Service.Handler]. The rules in the model's
// Info choose the words of a refusal; they are Anthropic's by default.
func New(m providers.Model) *Service {
	return &Service{inner: m, seed: maphash.MakeSeed(), parts: make(map[string][]place), answers: make(map[place]string),
		wire: make(map[string][]uint64)}
}

// Refused returns how many requests were refused, of those that carried provider data.
func (s *Service) Refused() (refused, requests int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused, s.requests
}

// Kept returns how many parts came back among those that could have: requests show the answer that they belong to,
// after an unchanged prefix. Refused requests do not count, and requests over HTTP do not either.
func (s *Service) Kept() (kept, due int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept, s.due
}

// Info returns what the inner model says.
func (s *Service) Info() providers.Info { return s.inner.Info() }

// Stream yields the inner model's answer with provider data, or one [*providers.Error] of class Invalid.
func (s *Service) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		sums := s.sums(req)
		if err := s.check(req, sums); err != nil {
			yield(providers.Delta{}, err)
			return
		}
		answer := providers.Response{Message: transcript.Message{Role: transcript.Assistant}}
		for d, err := range s.inner.Stream(ctx, req) {
			answer.Message.Text += d.Text
			answer.Add(d)
			if err == nil && d.Finish != "" {
				data, added := s.issue(answer.Message, sums[len(req.Messages)])
				if added && !yield(providers.Delta{ProviderData: data}, nil) {
					return
				}
			}
			if !yield(d, err) || err != nil {
				return
			}
		}
	}
}

// issue records the part of an answer, and makes one if it has none.
func (s *Service) issue(m transcript.Message, before uint64) (data *transcript.ProviderData, added bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data = m.ProviderData
	if added = data == nil; added {
		data = &transcript.ProviderData{Dialect: "strict", Model: s.inner.Info().Name, Tokens: 8,
			Data: fmt.Appendf(nil, "sealed reasoning %d", len(s.answers)+1)}
	}
	at := place{before, s.sum(&m)}
	s.parts[keyOf(data)] = append(s.parts[keyOf(data)], at)
	s.answers[at] = keyOf(data)
	return data, added
}

// check returns the refusal of a request that carries a part out of place.
func (s *Service) check(req *providers.Request, sums []uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, due, carries := 0, 0, 0
	for i := range req.Messages {
		m := &req.Messages[i]
		if m.Role != transcript.Assistant {
			continue
		}
		at := place{sums[i], s.sum(m)}
		part, issued := s.answers[at]
		if issued {
			due++
		}
		if d := m.ProviderData; d == nil || d.Unbound || d.Model != s.inner.Info().Name {
			continue // others' data is ignored
		}
		if carries++; carries == 1 {
			s.requests++
		}
		if !slices.Contains(s.parts[keyOf(m.ProviderData)], at) {
			s.refused++
			return s.refusal(i)
		}
		if issued && part == keyOf(m.ProviderData) {
			kept++
		}
	}
	s.kept, s.due = s.kept+kept, s.due+due
	return nil
}

func (s *Service) refusal(message int) error {
	info := s.inner.Info()
	format := refusals["messages"].text
	switch info.Rules {
	case transcript.OpenAI:
		format = refusals["input"].text
	case transcript.Gemini:
		format = refusals["contents"].text
	case transcript.Anthropic, transcript.AnyProvider:
	}
	return &providers.Error{Class: providers.Invalid, Status: http.StatusBadRequest, Provider: info.Provider,
		Model: info.Name, Err: fmt.Errorf(format, message)}
}

// sums returns the sum of the request before each message, and of the whole request.
func (s *Service) sums(req *providers.Request) []uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	put(&h, req.System)
	for i := range req.Tools {
		t := &req.Tools[i]
		put(&h, t.Name, t.Description, string(t.Schema))
	}
	sums := []uint64{h.Sum64()}
	for i := range req.Messages {
		m := &req.Messages[i]
		putMessage(&h, m)
		if m.ProviderData != nil {
			put(&h, keyOf(m.ProviderData))
		}
		sums = append(sums, h.Sum64())
	}
	return sums
}

// sum returns the sum of a message without its provider data.
func (s *Service) sum(m *transcript.Message) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	putMessage(&h, m)
	return h.Sum64()
}

func putMessage(h *maphash.Hash, m *transcript.Message) {
	put(h, string(m.Role), m.Text, m.CallID, m.Name)
	for i := range m.Calls {
		put(h, m.Calls[i].ID, m.Calls[i].Name, string(m.Calls[i].Args))
	}
}

// put adds texts with their lengths, so that none can be taken for a part of its neighbour.
func put(h *maphash.Hash, texts ...string) {
	var length [8]byte
	for _, text := range texts {
		binary.LittleEndian.PutUint64(length[:], uint64(len(text)))
		h.Write(length[:])
		h.WriteString(text)
	}
}

func keyOf(d *transcript.ProviderData) string {
	return d.Dialect + "\x00" + d.Model + "\x00" + string(d.Data)
}
