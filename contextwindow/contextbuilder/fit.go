package contextbuilder

import (
	"fmt"
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// The compression of a tool's result: one over so many characters keeps so many (requirements).
const (
	longResult  = 500
	shortResult = 200
)

// wholeTurns is how many of the newest turns keep the results of their tools whole when older ones must be shortened.
const wholeTurns = 2

// chooseTurns shows the newest turns that fit, whole; the newest in any case, its own results shortened first. If not all
// of them fit, results of older turns are shortened, so that more do.
func (p *plan) chooseTurns(room int) {
	turns := p.past.turns
	most := min(len(turns), p.b.config.Turns)
	window := p.fitTurns(room, most)
	if len(window) < most && !p.b.config.NoCompression {
		window = p.fitTurns(room, wholeTurns)
	}
	from := len(turns) - len(window)
	if from > 0 || !p.past.whole {
		begin := steady(turns, from)
		window = window[begin-from:]
	}
	p.window = window
	p.placeWindow()
}

// fitTurns returns the newest turns that fit in a room, ascending. Results of tools stay whole in so many of them.
func (p *plan) fitTurns(room, whole int) []turn {
	turns := p.past.turns
	taken := 0
	var window []turn
	for i := len(turns) - 1; i >= 0 && len(window) < p.b.config.Turns; i-- {
		t := p.limited(turns[i])
		newest := i == len(turns)-1
		if (len(window) >= whole || newest && t.tokens > room) && !p.b.config.NoCompression {
			t, _ = p.compressed(t)
		}
		if newest && t.tokens > room {
			t = p.squeezed(t, room)
		} else if taken+t.tokens > room {
			break
		}
		window, taken = append(window, t), taken+t.tokens
	}
	slices.Reverse(window)
	return window
}

// limited returns a turn whose messages are within the most that one may take. Only what is too long is copied.
func (p *plan) limited(t turn) turn {
	most := p.b.config.MaxMessageTokens
	if slices.Max(t.sizes) <= most {
		return t
	}
	return p.cutMessages(t.clone(), most)
}

// cutMessages shortens each message of a clone to so many tokens, arguments of calls too.
func (p *plan) cutMessages(t turn, most int) turn {
	for i := range t.messages {
		m := &t.messages[i]
		if t.sizes[i] <= most {
			continue
		}
		p.cutArguments(&t, i, most)
		if rest := sizeOf(transcript.Message{Role: m.Role, Calls: m.Calls}); t.sizes[i] > most && m.Text != "" {
			t.replace(i, p.shorten(m.Kind, t.received[i].Text, toollimit.Quota{MaxTokens: max(most-rest, 1)}))
		}
	}
	return t
}

// cutArguments replaces arguments that alone are too long by an object that says so.
func (p *plan) cutArguments(t *turn, i, most int) {
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
		m.Calls[k].Args = fmt.Appendf(nil, `{"left_out":"%d bytes","id":%q}`, len(call.Args), p.keep(string(call.Args)))
	}
	if cloned {
		freed := before - sizeOf(*m)
		t.sizes[i] -= freed
		t.tokens -= freed
	}
}

// compressed returns a turn whose long results of tools are shortened, and how many were.
func (p *plan) compressed(t turn) (turn, int) {
	short := 0
	for i := range t.messages {
		m := t.messages[i]
		if m.Role != transcript.Tool || toollimit.Runes(m.Text) <= longResult {
			continue
		}
		if short++; short == 1 {
			t = t.clone()
		}
		text := p.offload(t.received[i])
		if text == "" {
			text = p.shorten(m.Kind, t.received[i].Text, toollimit.Quota{MaxChars: shortResult})
		}
		t.replace(i, text)
	}
	return t, short
}

// leastCut is the least that a message of the newest turn is shortened to, in tokens.
const leastCut = 25

// squeezed shortens the messages of a turn, the longest first, until it fits or nothing is left to shorten.
func (p *plan) squeezed(t turn, room int) turn {
	t = t.clone()
	for most := slices.Max(t.sizes) / 2; t.tokens > room && most >= leastCut; most /= 2 {
		t = p.cutMessages(t, most)
	}
	return t
}
