package textcalls

import (
	"encoding/json"
)

// answers reads an action that is an answer and yields its text as it arrives. It reports false, with nothing read,
// for any other action, and for an answer that follows no schema.
func (p *parser) answers() bool {
	p.hold = 0
	for _, token := range []byte{'{', '"'} {
		if p.space(); !p.take(token) {
			return p.rewind()
		}
	}
	if !p.skip(`answer"`) {
		return p.rewind()
	}
	for _, token := range []byte{':', '"'} {
		if p.space(); !p.take(token) {
			return p.rewind()
		}
	}
	p.wait = func() {
		if p.show(); !p.stopped && !p.yield("") {
			p.stopped = true
		}
	}
	for p.more(0) && p.buf[p.pos] != '"' {
		if !p.character() {
			break
		}
	}
	p.show()
	for p.sent = p.pos; p.more(0); p.pos++ { // what follows the text is the end of the object
	}
	return true
}

func (p *parser) rewind() bool {
	p.pos, p.hold = 0, -1
	return false
}

// show yields what was decoded.
func (p *parser) show() {
	if len(p.shown) > 0 && !p.stopped {
		text := string(p.shown)
		p.shown = p.shown[:0]
		p.stopped = !p.yield(text)
	}
}

// character decodes one character of a JSON string. It reports false at the end of the answer.
func (p *parser) character() bool {
	from := p.pos
	if p.pos++; p.buf[from] != '\\' {
		p.shown = append(p.shown, p.buf[from])
		return true
	}
	if !p.more(0) {
		return false
	}
	p.pos++
	if p.buf[from+1] == 'u' {
		if !p.more(3) {
			return false
		}
		p.pos += 4
		var unit string
		if json.Unmarshal([]byte(`"`+string(p.buf[from:p.pos])+`"`), &unit); unit == "\uFFFD" && p.at(`\u`) && p.more(5) {
			p.pos += 6 // the second half of a pair
		}
	}
	var text string
	if json.Unmarshal([]byte(`"`+string(p.buf[from:p.pos])+`"`), &text) != nil {
		text = string(p.buf[from:p.pos])
	}
	p.shown = append(p.shown, text...)
	return true
}
