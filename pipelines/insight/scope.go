package insight

import (
	"path"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// A scope is the function around a hit, or the whole file if it is in none.
type scope struct {
	name   string   // path of the file
	file   []string // its lines, at least to the end of the function
	at     int      // index of the line of the hit
	from   int      // index of the first line of the function
	to     int      // index after its last line
	inside bool     // the hit is in a function
}

// functionStart matches the first line of a function, by language. A method of a JavaScript class has no keyword.
var functionStart = map[string]*lazyregexp.Regexp{
	".go": goFuncLine,
	".py": lazyregexp.New(`^\s*(async\s+)?def\s`),
	".rs": lazyregexp.New(`^\s*(pub(\([\w:]+\))?\s+)?(const\s+)?(async\s+)?(unsafe\s+)?fn\s`),
	".js": lazyregexp.New(`\bfunction\b|=>\s*\{\s*$|` +
		`^\s*(static\s+)?(async\s+)?[\w$#]+\s*\([^()]*\)\s*(:\s*[\w<>|\[\] ]+)?\{\s*$`),
}

// control matches statements that look like the start of a method.
var control = lazyregexp.New(`^\s*(if|for|while|switch|catch|with)\b`)

// scopeOf finds the function around line at, from 0, of a file.
func scopeOf(name string, file []string, at int) scope {
	s := scope{name: name, file: file, at: min(at, max(0, len(file)-1)), to: len(file)}
	start := functionStart[path.Ext(name)]
	if start == nil {
		start = functionStart[".js"]
	}
	if len(file) == 0 {
		return s
	}
	if goFuncLine.MatchString(file[s.at]) { // a function of one line
		s.from, s.to, s.inside = s.at, s.at+1, true
		return s
	}
	own := indent(file[s.at])
	for i := s.at - 1; i >= 0; i-- {
		l := file[i]
		if strings.TrimSpace(l) == "" || indent(l) >= own || strings.HasPrefix(strings.TrimSpace(l), ")") {
			continue
		}
		if start.MatchString(l) && !control.MatchString(l) {
			own, s.from, s.inside = indent(l), i, true
			break
		}
		if strings.HasPrefix(l, "}") {
			break
		}
		own = max(indent(l), 1) // a label or a raw string may begin a line of a function
	}
	if !s.inside {
		return s
	}
	for i := s.at + 1; i < len(file); i++ {
		if l := file[i]; strings.TrimSpace(l) != "" && indent(l) <= own && !strings.HasPrefix(strings.TrimSpace(l), ")") {
			s.to = i
			break
		}
	}
	return s
}

// before returns the lines of the function above the hit, and the line of the hit. Outside of functions, these are the
// few lines above it.
func (s scope) before() []string {
	from := s.from
	if !s.inside {
		from = max(0, s.at-5)
	}
	return s.file[from:min(s.at+1, len(s.file))]
}

// after returns the lines of the function below the hit; outside of functions, a few lines.
func (s scope) after() []string {
	to := s.to
	if !s.inside {
		to = min(s.at+6, len(s.file))
	}
	return s.file[min(s.at+1, to):to]
}

// body returns all lines of the function, or the lines around the hit.
func (s scope) body() []string {
	return append(append([]string(nil), s.before()...), s.after()...)
}

// head returns the comment and decorators above the function, and its first lines.
func (s scope) head() string {
	if !s.inside {
		return ""
	}
	from, own := s.from, indent(s.file[s.from])
	for from > max(0, s.from-mostContinued) && indent(s.file[from-1]) == own {
		from--
	}
	return join(s.file[from:min(s.from+1, len(s.file))])
}

// statement returns the hit's line with those that continue it, until its brackets are closed; mostContinued at most.
func (s scope) statement() string {
	open := 0
	var all []string
	for _, l := range s.file[s.at:min(len(s.file), s.at+mostContinued)] {
		all = append(all, l)
		bare := stripped(l)
		open += strings.Count(bare, "(") + strings.Count(bare, "[") + strings.Count(bare, "{") -
			strings.Count(bare, ")") - strings.Count(bare, "]") - strings.Count(bare, "}")
		if open <= 0 {
			break
		}
	}
	return join(all)
}

const mostContinued = 12 // lines

// literal matches a string on one line.
var literal = lazyregexp.New("\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`")

// stripped returns a line with every string emptied.
func stripped(l string) string { return literal.ReplaceAllString(l, `""`) }
