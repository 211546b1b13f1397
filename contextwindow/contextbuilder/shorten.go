package contextbuilder

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
)

// A shortener truncates texts and leaves pointers to the whole ones.
type shortener struct {
	store contextwindow.Store // nil: no pointers
	stats *Stats
	kept  *[]string // collects what is stored, if not nil
}

const pointerRunes = 12 // of a text's hash in its id

// keep stores a text that is about to be shortened and returns its id, or "" without a store.
func (s *shortener) keep(text string) string {
	if s.store == nil {
		return ""
	}
	if s.kept != nil {
		*s.kept = append(*s.kept, text)
	}
	hash := sha256.Sum256([]byte(text))
	id := "x" + hex.EncodeToString(hash[:])[:pointerRunes]
	if err := s.store.Put(id, text); err != nil {
		s.stats.warn(fmt.Sprintf("cannot keep a shortened text: %v", err))
		return ""
	}
	return id
}

const hugeText = 16 << 20 // bytes; of a longer text only the two ends are searched for key lines

// truncate shortens a text of a kind to its ends and key lines, and leaves a pointer to the whole.
func (s *shortener) truncate(k toollimit.Kind, text string, q toollimit.Quota) string {
	q.Pointer, q.Tool = s.keep(text), toollimit.ReadTool
	q.Tool, q.Seen = toollimit.ReadTool, saysNothing
	short, _ := toollimit.Truncate(k, ends(text, hugeText, q.Pointer), q)
	if short == "" {
		return emptyText
	}
	return short
}

const emptyText = "…" // replaces a text without room: services reject messages without text

// bounded returns a text, or only its two ends if it is too long to process.
func bounded(text string) string { return ends(text, longText, "") }

// ends returns a text of up to most bytes whole. Of a longer one it returns the two ends, with the pointer if any.
func ends(text string, most int, pointer string) string {
	if len(text) <= most {
		return text
	}
	gap := fmt.Sprintf("\n[… %d bytes", len(text)-most)
	if pointer != "" {
		gap += "; whole text: " + toollimit.ReadTool + " id=" + pointer
	}
	return text[:most/2] + gap + "]\n" + text[len(text)-most/2:]
}

var word = regexp.MustCompile(`\pL{2}`)

// saysNothing reports whether an identifier is a part of a time or of a number, and so no reason to show a line.
func saysNothing(identifier string) bool { return !word.MatchString(identifier) }

// spoken is the kind of what people and models say: a text that is never taken for the result of a search, whatever
// it looks like.
const spoken toollimit.Kind = "spoken"

// kindOf returns the kind of a message's text.
func kindOf(m transcript.Message) toollimit.Kind {
	if m.Role != transcript.Tool {
		return spoken
	}
	return m.Kind
}

// A tool result over longResult characters keeps shortResult.
const (
	longResult  = 500
	shortResult = 200
)

// limit truncates the messages of a turn to at most so many tokens each. It copies the turn if one is too long.
func (s *shortener) limit(t turn, most int) turn {
	if t.longest() <= most {
		return t
	}
	return s.truncateMessages(t.clone(), most)
}

// truncateMessages shortens each message of a clone to at most so many tokens, arguments of calls included.
func (s *shortener) truncateMessages(t turn, most int) turn {
	for i := range t.messages {
		m := &t.messages[i]
		if t.sizes[i] <= most {
			continue
		}
		s.replaceArguments(&t, i, most)
		if rest := sizeOf(transcript.Message{Role: m.Role, Calls: m.Calls}); t.sizes[i] > most && m.Text != "" {
			t.replace(i, s.truncate(kindOf(*m), t.received[i].Text, toollimit.Quota{MaxTokens: max(most-rest, 1)}))
		}
	}
	return t
}

// replaceArguments replaces arguments that alone are too long by an object with their size and id.
func (s *shortener) replaceArguments(t *turn, i, most int) {
	m := &t.messages[i]
	before := sizeOf(*m)
	cloned := false
	for k, call := range t.received[i].Calls {
		if len(call.Args) <= longText && toollimit.Tokens(string(call.Args)) <= most/2 || len(call.Args) <= shortResult {
			continue
		}
		if !cloned {
			m.Calls, m.ProviderData, cloned = slices.Clone(m.Calls), nil, true
		}
		m.Calls[k].Args = fmt.Appendf(nil, `{"left_out":"%d bytes","id":%q}`, len(call.Args), s.keep(string(call.Args)))
	}
	if cloned {
		freed := before - sizeOf(*m)
		t.sizes[i] -= freed
		t.tokens -= freed
	}
}

// compress returns a turn with its long tool results shortened, and how many were.
func (s *shortener) compress(t turn) (turn, int) {
	n := 0
	for i := range t.messages {
		m := t.messages[i]
		if m.Role != transcript.Tool || line.Runes(m.Text) <= longResult {
			continue
		}
		if n++; n == 1 {
			t = t.clone()
		}
		text := s.offload(t.received[i])
		if text == "" {
			text = s.truncate(m.Kind, t.received[i].Text, toollimit.Quota{MaxChars: shortResult})
		}
		t.replace(i, text)
	}
	return t, n
}

const minMessage = 25 // tokens that squeeze leaves of a message

// squeeze shortens the messages of a turn, longest first, until it fits or nothing is left to shorten.
func (s *shortener) squeeze(t turn, room int) turn {
	t = t.clone()
	for most := t.longest() / 2; t.tokens > room && most >= minMessage; most /= 2 {
		t = s.truncateMessages(t, most)
	}
	return t
}
