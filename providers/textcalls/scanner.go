package textcalls

import "strings"

// A scanner reads an answer that is still arriving.
type scanner struct {
	buf   []byte // the answer so far
	pos   int    // the next byte to read
	depth int    // of the JSON value being read

	ended, cut, stopped bool   // the answer is over; it broke off; nobody reads any more
	wait                func() // returns with more of the answer, or once it is over
}

// more waits until the byte at pos+i is there. It reports false if the answer ends before.
func (s *scanner) more(i int) bool {
	for s.pos+i >= len(s.buf) {
		if s.ended || s.stopped {
			return false
		}
		s.wait()
	}
	return !s.stopped
}

// finished reports whether the answer is over, and was not cut off.
func (s *scanner) finished() bool { return !s.more(0) && !s.cut && !s.stopped }

// at reports whether text follows. It waits only while it may.
func (s *scanner) at(text string) bool {
	for i := range len(text) {
		if !s.more(i) || s.buf[s.pos+i] != text[i] {
			return false
		}
	}
	return true
}

// skip reads text if it follows.
func (s *scanner) skip(text string) bool {
	if !s.at(text) {
		return false
	}
	s.pos += len(text)
	return true
}

func (s *scanner) take(c byte) bool {
	if !s.more(0) || s.buf[s.pos] != c {
		return false
	}
	s.pos++
	return true
}

func (s *scanner) space() {
	for s.more(0) && strings.IndexByte(" \t\r\n", s.buf[s.pos]) >= 0 {
		s.pos++
	}
}

// word reads letters, digits, "_", "-", "+" and ".": a name, a number or a literal.
func (s *scanner) word() string {
	from := s.pos
	for s.more(0) && s.pos < from+maxName {
		c := s.buf[s.pos]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && strings.IndexByte("_-+.", c) < 0 {
			break
		}
		s.pos++
	}
	return string(s.buf[from:s.pos])
}

// until reads a text of at most limit bytes and the end after it.
func (s *scanner) until(end string, limit int) (string, bool) {
	from := s.pos
	for s.more(0) && s.pos < from+limit {
		if s.at(end) {
			text := string(s.buf[from:s.pos])
			s.pos += len(end)
			return strings.Trim(text, ` "'`), true
		}
		s.pos++
	}
	return "", false
}
