package tree

import "strings"

// wildmatch matches name as git's wildmatch does with WM_PATHNAME: by bytes, not runes; "*", "?" and brackets do not
// match "/"; "**" between slashes, or a slash and an end, does. For a name without slashes it is also git's match of
// base names.
//
// It takes at most len(pattern) × len(name) steps: if what follows a "*" or "**" does not match, only the last one is
// tried with more of the name, because an earlier one with more of it would leave the rest less.
func wildmatch(pattern, name string) bool {
	var wide bool          // a "**" came before
	var after, from string // the pattern after it, and the name that is left for that
	for {
		part, rest, end := cutPattern(pattern)
		first, others, more := strings.Cut(name, "/")
		switch {
		case len(part) >= 2 && strings.Trim(part, "*") == "":
			if end == noSlash {
				return true
			}
			if end == escapedSlash { // unlike "**/", takes at least one directory
				if !more {
					return false
				}
				name = others
			}
			wide, pattern = true, rest
			after, from = pattern, name
			continue
		case matchPart(part, first) && more == (end != noSlash):
			if !more {
				return true
			}
			pattern, name = rest, others
			continue
		case !wide:
			return false
		}
		_, name, more = strings.Cut(from, "/")
		if !more {
			return false
		}
		pattern, from = after, name
	}
}

// A slash ends a part of a pattern.
type slash int

const (
	noSlash slash = iota // the pattern ends
	plainSlash
	escapedSlash // after a backslash
)

// cutPattern returns the part of a pattern up to its first slash outside of brackets, and the rest after it.
func cutPattern(p string) (part, rest string, end slash) {
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '/':
			return p[:i], p[i+1:], plainSlash
		case '\\':
			if strings.HasPrefix(p[i+1:], "/") {
				return p[:i], p[i+2:], escapedSlash
			}
			i++
		case '[':
			after, _ := bracket(p[i+1:], 0) // "" for one that is not closed, which matches nothing
			i = len(p) - len(after) - 1
		}
	}
	return p, "", noSlash
}

// matchPart matches a part of a pattern with a name without slashes.
func matchPart(p, name string) bool {
	var star bool
	var after, from string // the pattern after the last star, and the name that is left for that
	for {
		switch {
		case p == "" && name == "":
			return true
		case p != "" && p[0] == '*':
			if p = strings.TrimLeft(p, "*"); p == "" {
				return true
			}
			star, after, from = true, p, name
			continue
		case name == "":
			return false // every element takes a byte, so more of the name for the star would not help
		case p != "":
			if rest, ok := one(p, name[0]); ok {
				p, name = rest, name[1:]
				continue
			}
		}
		if !star {
			return false
		}
		from = from[1:]
		p, name = after, from
	}
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
