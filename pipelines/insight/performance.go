package insight

import (
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

var (
	concatenated = lazyregexp.New("[\"`]\\s*\\+")
	goTopLevel   = lazyregexp.New(`^(var|const|type)\b`)
	pyBlock      = lazyregexp.New(`^\s*(async\s+)?(def|class|if|with|try)\b`)
	goLoop       = lazyregexp.New(`^\s*for\b.*\{$`)
	goOnce       = lazyregexp.New(`sync\.Once|\.Do\(func|OnceValue`)
	pyLoop       = lazyregexp.New(`^\s*(for|while)\b.*:\s*$`)
)

// performanceSigns are the signs of the dimension performance.
var performanceSigns = []sign{
	{
		importance: medium,
		query:      query{patterns: []string{`\bregexp\.(MustCompile|Compile)(POSIX)?\(("|` + "`" + `)`}, include: goFiles, exclude: goTests, before: 20},
		keep: func(h *hit) bool {
			return indent(h.text) > 0 && h.around(goFuncLine, goTopLevel) != "" && !mustName.MatchString(h.symbol) &&
				!goOnce.MatchString(join(h.before)) && !concatenated.MatchString(h.text)
		},
		one:  "A regular expression is compiled on every call",
		many: "Regular expressions are compiled on every call in %d places",
		claim: "The pattern is a literal, so a package variable could hold the compiled form: compiling takes microseconds " +
			"and allocates on every call.",
	},
	{
		importance: medium,
		query: query{patterns: []string{`^\s+defer\s`}, include: goFiles, exclude: goTests, before: 20, after: 20,
			pages: 4},
		keep: func(h *hit) bool { return h.around(goLoop, goClosure) != "" && !h.exits() },
		one:  "Deferred calls pile up in a loop",
		many: "Deferred calls pile up in loops in %d places",
		claim: "defer runs when the function returns, not at the end of an iteration: whatever the loop opens stays " +
			"open until then.",
	},
	{
		importance: medium,
		query: query{patterns: []string{`\b(io|ioutil)\.ReadAll\(\w+\.Body\)`}, include: goFiles, exclude: goTests,
			before: 12, after: 12},
		keep: func(h *hit) bool {
			return !strings.Contains(join(h.before)+join(h.after), "MaxBytes") &&
				!strings.Contains(join(h.before), "LimitReader") && !strings.Contains(join(h.before), "StatusCode")
		},
		one:   "A body of unlimited size is read into memory",
		many:  "Bodies of unlimited size are read into memory in %d places",
		claim: "A large or endless body exhausts memory. io.LimitReader or http.MaxBytesReader limits it.",
	},
	{
		importance: low,
		query:      query{patterns: []string{`\bre\.compile\(\s*r?("[^"]*"|'[^']*')\s*[,)]`}, include: pyFiles, before: 20},
		keep: func(h *hit) bool {
			return indent(h.text) > 0 && h.around(pyLoop, pyBlock) != ""
		},
		one:   "A regular expression is compiled in every iteration",
		many:  "Regular expressions are compiled in every iteration in %d places",
		claim: "The pattern is a literal: compile it once before the loop to save a lookup in the cache of re.",
	},
	{
		importance: low,
		query:      query{patterns: []string{`JSON\.parse\(\s*JSON\.stringify\(`}, include: jsFiles, before: 4},
		keep:       func(h *hit) bool { return !h.explained() && !strings.Contains(join(h.before), "//") },
		one:        "A value is cloned through JSON",
		many:       "Values are cloned through JSON in %d places",
		claim:      "It is slow and loses dates, undefined, maps and functions. structuredClone keeps most of them.",
	},
}

// exits reports whether the block of a line ends with a return, break, goto or panic, or its end is out of sight.
func (h *hit) exits() bool {
	own := indent(h.text)
	for _, l := range h.after {
		switch at := indent(l); {
		case strings.TrimSpace(l) == "":
		case at < own:
			return false
		case at == own && exitLine.MatchString(l):
			return true
		}
	}
	return true
}

var exitLine = lazyregexp.New(`^\s*(return|break|panic|goto)\b`)
