// Package prefix fingerprints requests, so that a window knows whether provider data still follows the bytes that it
// was issued for. Start with [Of].
package prefix

import (
	"math/bits"
	"strconv"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// A Sum is the fingerprint of the beginning of a request. It is the same in every process and on every machine: logs
// hold it. It finds accidental differences, not forged ones.
type Sum uint64

// Of returns the sum of a system prompt and tools.
func Of(system string, tools []transcript.ToolSchema) Sum {
	s := Sum(0).add(system)
	for i := range tools {
		t := &tools[i]
		s = s.add(t.Name).add(t.Description).add(string(t.Schema))
	}
	return s
}

// Messages returns the sum after more messages.
func (s Sum) Messages(ms []transcript.Message) Sum {
	for i := range ms {
		s = s.message(&ms[i])
	}
	return s
}

// Answer returns the sum after an answer without its provider data.
func (s Sum) Answer(m transcript.Message) Sum {
	m.ProviderData = nil
	return s.message(&m)
}

// message adds what services see of a message: neither its kind nor its origin.
func (s Sum) message(m *transcript.Message) Sum {
	state := Sum(len(m.Calls)) << 2
	if m.Failed {
		state |= 1
	}
	if m.ProviderData != nil {
		state |= 2
	}
	s = (s ^ state).mix(0).add(string(m.Role)).add(m.Text).add(m.CallID).add(m.Name)
	for i := range m.Images {
		im := &m.Images[i]
		s = s.add(im.String()).add(im.URL).add(string(im.Data))
	}
	for i := range m.Calls {
		c := &m.Calls[i]
		s = s.add(c.ID).add(c.Name).add(string(c.Args))
	}
	if d := m.ProviderData; d != nil {
		s = s.add(d.Dialect).add(d.Model).add(string(d.Data))
	}
	return s
}

// add adds a text and its length, which keeps neighbouring texts apart.
func (s Sum) add(text string) Sum {
	s = (s ^ Sum(len(text))).mix(0)
	for len(text) >= 16 {
		s = (s ^ word(text)).mix(word(text[8:]))
		text = text[16:]
	}
	if len(text) >= 8 {
		s = (s ^ word(text)).mix(0)
		text = text[8:]
	}
	var rest Sum
	for i := range len(text) {
		rest |= Sum(text[i]) << (8 * i)
	}
	return (s ^ rest).mix(0)
}

// word returns the first eight bytes of a text, which processors read at once.
func word(s string) Sum {
	_ = s[7]
	return Sum(s[0]) | Sum(s[1])<<8 | Sum(s[2])<<16 | Sum(s[3])<<24 |
		Sum(s[4])<<32 | Sum(s[5])<<40 | Sum(s[6])<<48 | Sum(s[7])<<56
}

// mix adds a word and spreads each bit: the product of two words depends on all bits of both.
func (s Sum) mix(w Sum) Sum {
	high, low := bits.Mul64(uint64(s^0x9e3779b97f4a7c15), uint64(w^0xa0761d6478bd642f))
	return Sum(high ^ low)
}

// String writes a sum as logs hold it.
func (s Sum) String() string { return strconv.FormatUint(uint64(s), 16) }

// Is reports whether text is the sum as logs hold it.
func (s Sum) Is(text string) bool {
	parsed, err := strconv.ParseUint(text, 16, 64)
	return err == nil && Sum(parsed) == s
}
