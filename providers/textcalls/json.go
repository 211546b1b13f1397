package textcalls

import (
	"encoding/json"
	"strings"

	"github.com/forayhq/foray/internal/line"
)

// Bounds on what may be a call: a longer name or deeper arguments rule it out.
const (
	maxName  = 64
	maxDepth = 32
)

// members reads a JSON object; member reads each value. Braces may be doubled, as in a template.
func (s *scanner) members(member func(key string) bool) bool {
	s.depth++
	defer func() { s.depth-- }()
	if s.depth > maxDepth || !s.take('{') {
		return false
	}
	doubled := s.take('{')
	for {
		if s.space(); s.take('}') {
			break
		}
		key, ok := s.short()
		if s.space(); !ok || !s.take(':') {
			return false
		}
		if s.space(); !member(key) {
			return false
		}
		if s.space(); s.take(',') {
			continue
		}
		if !s.take('}') {
			return s.unclosed()
		}
		break
	}
	if doubled {
		s.take('}')
	}
	return true
}

// unclosed reports whether closing brackets are missing: the answer or its form ends here.
func (s *scanner) unclosed() bool { return s.finished() || s.at("<") || s.at("`") }

// raw reads any JSON value and returns it as valid JSON without spaces.
func (s *scanner) raw() (json.RawMessage, bool) {
	out, ok := s.value(nil)
	return out, ok && json.Valid(out)
}

// value appends a JSON value to out.
func (s *scanner) value(out []byte) ([]byte, bool) {
	switch {
	case s.at("{"):
		first := true
		out = append(out, '{')
		ok := s.members(func(key string) bool {
			if !first {
				out = append(out, ',')
			}
			first = false
			quoted, err := line.JSON(key)
			if err != nil {
				return false
			}
			var ok bool
			out, ok = s.value(append(append(out, quoted...), ':'))
			return ok
		})
		return append(out, '}'), ok
	case s.at("["):
		return s.array(out)
	case s.at(`"`):
		return s.quoted(out)
	}
	word := s.word()
	if python, ok := map[string]string{"True": "true", "False": "false", "None": "null"}[word]; ok {
		word = python
	}
	return append(out, word...), word != ""
}

func (s *scanner) array(out []byte) ([]byte, bool) {
	s.depth++
	defer func() { s.depth-- }()
	if s.depth > maxDepth {
		return nil, false
	}
	s.take('[')
	out = append(out, '[')
	for first := true; ; first = false {
		if s.space(); s.take(']') {
			return append(out, ']'), true
		}
		if !first {
			out = append(out, ',')
		}
		var ok bool
		if out, ok = s.value(out); !ok {
			return nil, false
		}
		if s.space(); !s.take(',') && !s.at("]") {
			return append(out, ']'), s.unclosed()
		}
	}
}

// short reads a string that is a key or a name.
func (s *scanner) short() (string, bool) {
	var text string
	from := s.pos
	out, ok := s.quotedUpTo(nil, from+6*maxName) // each character may be an escape
	return text, ok && json.Unmarshal(out, &text) == nil
}

// quoted appends a JSON string to out.
func (s *scanner) quoted(out []byte) ([]byte, bool) { return s.quotedUpTo(out, 0) }

// quotedUpTo appends a JSON string that ends before position limit; 0 means anywhere. Control characters in it are
// escaped, and so are backslashes that begin no escape, as in a regular expression.
func (s *scanner) quotedUpTo(out []byte, limit int) ([]byte, bool) {
	if !s.take('"') {
		return out, false
	}
	out = append(out, '"')
	for s.more(0) && (limit == 0 || s.pos < limit) {
		c := s.buf[s.pos]
		s.pos++
		switch {
		case c == '"':
			return append(out, c), true
		case c == '\\':
			if !s.more(0) {
				return out, false
			}
			next := s.buf[s.pos]
			if !strings.ContainsRune(`"\/bfnrtu`, rune(next)) {
				out = append(out, `\\`...)
				continue
			}
			s.pos++
			out = append(out, c, next)
		case c < ' ':
			escaped, _ := json.Marshal(string(rune(c)))
			out = append(out, escaped[1:len(escaped)-1]...)
		default:
			out = append(out, c)
		}
	}
	return out, false
}
