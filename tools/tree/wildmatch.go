package tree

import "strings"

// wildmatch matches name as git's wildmatch does with WM_PATHNAME: by bytes, not runes; "*", "?" and brackets do not
// match "/"; "**" between slashes, or a slash and an end, does. For a name without slashes it is also git's match of
// base names. A pattern that takes too many steps does not match.
func wildmatch(pattern, name string) bool {
	m := wild{steps: 1 << 16}
	return m.match(pattern, name, true)
}

type wild struct{ steps int }

// match is given start at the beginning of a pattern or after a slash, where "**" may cross directories.
func (m *wild) match(p, s string, start bool) bool {
	for len(p) > 0 {
		if m.steps--; m.steps < 0 {
			return false
		}
		if p[0] == '*' {
			return m.star(p, s, start)
		}
		if len(s) == 0 {
			return false
		}
		rest, ok := one(p, s[0])
		if !ok {
			return false
		}
		start = p[0] == '/' || strings.HasPrefix(p, `\/`)
		p, s = rest, s[1:]
	}
	return len(s) == 0
}

// one matches c with the first element of p, which is no star, and returns the rest of p.
func one(p string, c byte) (rest string, ok bool) {
	switch p[0] {
	case '?':
		return p[1:], c != '/'
	case '[':
		return bracket(p[1:], c)
	case '\\':
		if len(p) == 1 {
			return "", false
		}
		return p[2:], p[1] == c
	default:
		return p[1:], p[0] == c
	}
}

func (m *wild) star(p, s string, start bool) bool {
	rest := strings.TrimLeft(p, "*")
	wide := len(p)-len(rest) >= 2 && start && (rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`))
	if wide && rest == "" {
		return true
	}
	if wide && rest[0] == '/' && m.match(rest[1:], s, true) {
		return true
	}
	for i := 0; ; i++ {
		if m.match(rest, s[i:], false) {
			return true
		}
		if i == len(s) || (!wide && s[i] == '/') || m.steps < 0 {
			return false
		}
	}
}

// bracket matches c with the set at the start of p, whose "[" is already consumed.
func bracket(p string, c byte) (rest string, ok bool) {
	negated := p != "" && (p[0] == '!' || p[0] == '^')
	if negated {
		p = p[1:]
	}
	var prev byte
	matched := false
	for first := true; ; first = false {
		switch {
		case p == "":
			return "", false
		case p[0] == ']' && !first:
			return p[1:], matched != negated && c != '/'
		case p[0] == '-' && prev != 0 && len(p) > 1 && p[1] != ']':
			high, after, valid := escaped(p[1:])
			if !valid {
				return "", false
			}
			matched = matched || (prev <= c && c <= high)
			p, prev = after, 0
		case strings.HasPrefix(p, "[:") && strings.Contains(p[2:], "]"):
			class, after, _ := strings.Cut(p[2:], "]")
			if !strings.HasSuffix(class, ":") { // not a class after all: a plain "["
				matched = matched || c == '['
				p, prev = p[1:], '['
				continue
			}
			in, known := classes[strings.TrimSuffix(class, ":")]
			if !known {
				return "", false
			}
			matched = matched || in(c)
			p, prev = after, 0
		default:
			low, after, valid := escaped(p)
			if !valid {
				return "", false
			}
			matched = matched || low == c
			p, prev = after, low
		}
	}
}

func escaped(p string) (c byte, rest string, ok bool) {
	if p[0] != '\\' {
		return p[0], p[1:], true
	}
	if len(p) == 1 {
		return 0, "", false
	}
	return p[1], p[2:], true
}

// classes are the POSIX character classes in the C locale.
var classes = map[string]func(byte) bool{
	"alnum":  func(c byte) bool { return alpha(c) || digit(c) },
	"alpha":  alpha,
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"cntrl":  func(c byte) bool { return c < ' ' || c == 0x7f },
	"digit":  digit,
	"graph":  func(c byte) bool { return c > ' ' && c < 0x7f },
	"lower":  func(c byte) bool { return c >= 'a' && c <= 'z' },
	"print":  func(c byte) bool { return c >= ' ' && c < 0x7f },
	"punct":  func(c byte) bool { return c > ' ' && c < 0x7f && !alpha(c) && !digit(c) },
	"space":  func(c byte) bool { return c == ' ' || (c >= '\t' && c <= '\r') },
	"upper":  func(c byte) bool { return c >= 'A' && c <= 'Z' },
	"xdigit": func(c byte) bool { return digit(c) || (c|0x20 >= 'a' && c|0x20 <= 'f') },
}

func alpha(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func digit(c byte) bool { return c >= '0' && c <= '9' }
