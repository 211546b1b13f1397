package textcalls

import (
	"bytes"
	"iter"
	"slices"
	"strings"
)

// A reader splits an answer into text and calls as it arrives. The parser is straight code that waits for input, so
// it runs as a coroutine.
type reader struct {
	parser
	next func() (string, bool)
	stop func() // must be called
}

// newReader returns a reader of calls of tools. acts says that the answer may be an action.
func newReader(tools *offer, acts bool) *reader {
	r := &reader{parser: parser{tools: tools, forms: forms, hold: -1, acts: acts, lines: markdown{start: true}}}
	r.next, r.stop = iter.Pull(r.run)
	return r
}

// add takes a piece of the answer and returns the text that is decided.
func (r *reader) add(piece string) string {
	r.buf = append(r.buf, piece...)
	return r.resume()
}

// end returns the last text, and all calls. cut says that the answer broke off.
func (r *reader) end(cut bool) (string, []found) {
	r.ended, r.cut = true, cut
	text := r.resume()
	return text, r.calls
}

func (r *reader) resume() string {
	var text strings.Builder
	for {
		t, ok := r.next()
		text.WriteString(t)
		if !ok || t == "" {
			return text.String()
		}
	}
}

// A parser reads one answer. Each byte is read at most a fixed number of times.
type parser struct {
	scanner
	tools *offer
	forms []form
	sent  int    // up to here it is text that was yielded, or calls
	hold  int    // from here it may be a call; -1: nothing may
	items []item // calls, unless text follows
	calls []found
	lines markdown
	said  int    // from here on the model answers; before are its thoughts
	shows bool   // a call without tags was followed by text: the answer shows calls
	acts  bool   // the answer may be an action
	shown []byte // decoded text of an action that is an answer
	yield func(string) bool
}

// A found call with its form.
type found struct {
	call
	form *form
}

// An item is a place in the answer that holds calls.
type item struct {
	start, end int
	calls      []found
	weak       bool // text if text follows
}

// run yields decided text, and "" when it needs more of the answer.
func (p *parser) run(yield func(string) bool) {
	p.yield, p.wait = yield, p.pause
	if p.acts && p.answers() {
		return
	}
	p.think()
	for p.more(0) {
		if f := p.opening(false); f != nil {
			p.candidate(f)
		} else {
			p.plain()
		}
	}
	p.resolve(true)
	p.flush(len(p.buf))
}

// think passes the thoughts that some servers leave at the start of an answer. Calls in them are not made.
func (p *parser) think() {
	if p.space(); !p.skip("<think>") {
		p.lines.pass(p.buf[:p.pos])
		return
	}
	for p.more(0) && !p.skip("</think>") {
		p.pos++
	}
	p.said = p.pos
}

// pause yields the text that is decided, and asks for more.
func (p *parser) pause() {
	if p.flush(p.pos); !p.stopped && !p.yield("") {
		p.stopped = true
	}
}

// flush yields the text up to limit that cannot become a call.
func (p *parser) flush(limit int) {
	if p.hold >= 0 {
		limit = min(limit, p.hold)
	}
	if p.sent < limit && !p.stopped {
		text := string(p.buf[p.sent:limit])
		p.sent = limit
		p.stopped = !p.yield(text)
	}
}

// opening returns the form that begins here, if any. In a fence, nothing but its content matters.
func (p *parser) opening(fenced bool) *form {
	if !p.more(0) {
		return nil
	}
	c := p.buf[p.pos]
	if strings.IndexByte("<[{`", c) < 0 || !fenced && p.lines.code(c) {
		return nil
	}
	held := p.hold
	if held < 0 {
		p.hold = p.pos
	}
	for i := range p.forms {
		if f := &p.forms[i]; p.at(f.open) && (fenced && f.open != fenceOpen || !fenced && p.may(f)) {
			return f
		}
	}
	p.hold = held
	return nil
}

// may reports whether a form may begin here: a list only at the start of a line, and no example.
func (p *parser) may(f *form) bool {
	return f.tagged && p.lines.start || (p.lines.start || f.open != "[") && !p.shows && !p.announced()
}

// enter reads what opens a form.
func (p *parser) enter(f *form) {
	if f.tagged || f.open == fenceOpen {
		p.pos += len(f.open)
	}
}

// leave reads what closes a form.
func (p *parser) leave(f *form) {
	if f.close != "" {
		p.space()
		p.skip(f.close)
	}
}

// candidate reads what may be calls of a form.
func (p *parser) candidate(f *form) {
	it := item{start: p.pos, weak: !f.tagged || !p.lines.start}
	p.enter(f)
	calls, ok := f.read(p)
	if !ok || it.weak && slices.ContainsFunc(calls, p.doubtful) {
		p.resolve(false)
		p.lines.pass(p.buf[it.start:p.pos])
		return
	}
	p.leave(f)
	p.space()
	it.end = p.pos
	for _, c := range calls {
		it.calls = append(it.calls, found{c, f})
	}
	p.items = append(p.items, it)
	p.lines.start = true
	if !slices.ContainsFunc(p.items, func(i item) bool { return i.weak }) {
		p.resolve(true)
	}
}

// doubtful reports whether c without tags is not a call: it is not whole, or its arguments do not fit, unless it has a
// tool's own name and nothing is before it. Then the loop explains to the model what is wrong.
func (p *parser) doubtful(c call) bool {
	return !c.whole || (p.lines.words || !p.tools.exact(c.name)) && !p.tools.fits(c)
}

// plain takes one byte as text.
func (p *parser) plain() {
	if len(p.items) > 0 {
		p.resolve(false)
	}
	p.hold = -1
	p.lines.pass(p.buf[p.pos : p.pos+1])
	p.pos++
}

// resolve decides about the items: all are calls at the end of the answer, else only those in tags.
func (p *parser) resolve(end bool) {
	p.hold = -1
	for _, it := range p.items {
		if it.weak && !end {
			p.shows = true
			p.lines.pass(p.buf[it.start:it.end])
			continue
		}
		p.flush(it.start)
		p.calls, p.sent = append(p.calls, it.calls...), it.end
	}
	p.items = nil
}

// leadBytes is how far back the words before a call are read: about two sentences.
const leadBytes = 200

// announced reports whether the words before make what follows an example.
func (p *parser) announced() bool {
	if len(p.items) > 0 {
		return false
	}
	lead := strings.ToLower(string(bytes.TrimSpace(p.buf[max(p.said, p.pos-leadBytes):p.pos])))
	if i := strings.LastIndex(lead, "\n"); i >= 0 {
		lead = lead[i:]
	}
	return slices.ContainsFunc(announcements, func(phrase string) bool {
		_, after, ok := strings.Cut(lead+" ", phrase)
		return ok && (after == "" || after[0] < 'a' || after[0] > 'z')
	})
}
