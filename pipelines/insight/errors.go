package insight

import (
	"regexp"
	"strings"
)

var (
	raises      = regexp.MustCompile(`^\s*(raise\b|sys\.exit|os\._exit)`)
	goErrorFunc = regexp.MustCompile(`\berror\) \{$`)
	defaultArg  = regexp.MustCompile(`\bdef\s+\w+\(.*?(\w+)(?:\s*:[^=,]+)?\s*=\s*(?:\[\]|\{\})`)
	createdFile = regexp.MustCompile(`^\s*(\w+),\s*\w+\s*:?=\s*os\.(Create|OpenFile)\(`)
)

// errorSigns are the signs of the dimension errors.
var errorSigns = []sign{
	{
		importance: medium,
		query:      query{patterns: []string{`^\s*except\s*:`, `^\s*except\s+BaseException\s*:`}, include: pyFiles, before: 20, after: 12},
		keep: func(h *hit) bool {
			body, whole := h.body()
			return whole && len(body) > 0 && !hasLine(body, raises) && !begunComment.MatchString(join(body)) && !strings.Contains(join(body), "exc_info") && !stores(body)
		},
		one:   "An except clause catches everything and goes on",
		many:  "%d except clauses catch everything and go on",
		claim: "The clause names no exception, so KeyboardInterrupt and SystemExit end here too, and nothing is raised again: a program cannot be stopped there, and an error of another kind than the one meant is hidden.",
	},
	{
		importance: medium,
		query:      query{patterns: []string{`^\s*except\s+Exception\s*(as\s+\w+)?\s*:\s*(pass)?\s*$`}, include: pyFiles, before: 20, after: 6},
		keep: func(h *hit) bool {
			if n := len(h.before); n > 0 && strings.Contains(strings.ToLower(h.before[n-1]), "close") || begunComment.MatchString(join(h.before[max(0, n-5):])) {
				return false // what is given up anyway, or somebody says why
			}
			if strings.HasSuffix(strings.TrimSpace(h.text), "pass") {
				return true
			}
			body, whole := h.body()
			return whole && len(body) == 1 && strings.TrimSpace(body[0]) == "pass" && !h.explained() && !strings.HasSuffix(h.symbol, "__del__")
		},
		one:   "Every exception is dropped without a word",
		many:  "Every exception is dropped without a word in %d places",
		claim: "The handler of Exception is pass, with no comment that says why: what fails here leaves no trace, a mistake in the code of the try block neither.",
	},
	{
		importance: medium,
		query:      query{patterns: []string{`\bcatch\s*(\(\s*\w*\s*\))?\s*\{\s*\}`}, include: jsFiles, before: 2},
		keep:       func(h *hit) bool { return !h.explained() && !triesOneThing(h) },
		one:        "A catch block is empty",
		many:       "%d catch blocks are empty",
		claim:      "What is thrown in the try block is dropped, with no comment that says why.",
	},
	{
		importance: medium,
		query:      query{patterns: []string{`^\s*if err != nil \{$`}, include: goFiles, exclude: goTests, before: 20, after: 2, pages: 4},
		keep: func(h *hit) bool {
			if len(h.after) < 2 || strings.TrimSpace(h.after[1]) != "}" || h.explained() || !goErrorFunc.MatchString(h.around(goFuncLine, goClosure)) {
				return false
			}
			next := strings.TrimSpace(h.after[0])
			return strings.HasPrefix(next, "return ") && strings.HasSuffix(next, ", nil") && !strings.Contains(next, "err") && !strings.Contains(join(h.before[max(0, len(h.before)-2):]), "//")
		},
		one:   "A function that met an error returns none",
		many:  "%d times a function that met an error returns none",
		claim: "Behind `if err != nil` stands a return whose error is nil, and nothing says why: the caller takes the result for whole.",
	},
	{
		importance: medium,
		query: query{
			patterns: []string{`\w*[eE]rr\w*\.Error\(\)\s*(==|!=)\s*"`, `strings\.(Contains|HasPrefix|HasSuffix)\(\w*[eE]rr\w*\.Error\(\),`},
			include:  goFiles, exclude: goTests, before: 1,
		},
		keep:  func(h *hit) bool { return !h.explained() },
		one:   "An error is told apart by its text",
		many:  "Errors are told apart by their text in %d places",
		claim: "The text of an error is no contract: when the package that makes it words it anew, the comparison fails silently. errors.Is or errors.As on a value or a type holds.",
	},
	{
		importance: medium,
		query:      query{patterns: []string{`^\s*panic\(\w*[eE]rr\w*(\.Error\(\))?\)`}, include: goFiles, exclude: goTests, before: 2},
		keep: func(h *hit) bool {
			return !h.explained() && !mustName.MatchString(h.symbol) && !strings.HasPrefix(h.path, "cmd/") && !strings.HasSuffix(h.path, "main.go") && h.symbol != ""
		},
		one:   "An error of a call becomes a panic in library code",
		many:  "Errors of calls become panics in library code in %d places",
		claim: "The function is no Must…, no init and no main, and no comment says that the error cannot occur: a caller cannot handle it.",
	},
	{
		importance: low,
		query:      query{patterns: []string{`fmt\.Errorf\("[^"]*%[vs]",.*\berr\)`}, include: goFiles, exclude: goTests, before: 1},
		keep:       func(h *hit) bool { return !h.explained() && !strings.Contains(h.text, "%w") },
		one:        "An error is wrapped by its text",
		many:       "%d errors are wrapped by their text",
		claim:      "fmt.Errorf with %v or %s keeps the words of the cause and drops the cause: errors.Is and errors.As do not see through it, as they do with %w.",
	},
	{
		importance: medium,
		query:      query{patterns: []string{`:?=\s*os\.(Create|OpenFile)\(`}, include: goFiles, exclude: goTests, after: 20},
		keep:       closesUnchecked,
		one:        "A file is written and the error of its Close is dropped",
		many:       "%d files are written and the errors of their Close are dropped",
		claim:      "The only Close of a file that is opened for writing is deferred and unchecked: on a full disk or a network file system the last bytes may be lost while the function reports success.",
	},
	{
		importance: high,
		query:      query{patterns: []string{`^\s*(async\s+)?def\s+\w+\(.*=\s*(\[\]|\{\})\s*[,)]`}, include: pyFiles, before: 20, after: 20},
		keep: func(h *hit) bool {
			m := defaultArg.FindStringSubmatch(h.text)
			if m == nil {
				return false
			}
			body, _ := h.body()
			changed := regexp.MustCompile(`(^|[^\w.])` + m[1] + `(\.(append|extend|update|add|insert|setdefault|pop|clear)\(|\[[^\]]*\]\s*=[^=])`)
			again := regexp.MustCompile(`(^|[^\w.])` + m[1] + `\s*=[^=]`)
			return changed.MatchString(join(body)) && !again.MatchString(join(body))
		},
		one:   "A default argument is shared by all calls and changed",
		many:  "%d default arguments are shared by all calls and changed",
		claim: "The list or dict is made once, when the function is defined, and the body changes it: what one call leaves in it, the next one finds.",
	},
	{
		importance: medium,
		query:      query{patterns: []string{`\b(todo|unimplemented)!\(`}, include: []string{"*.rs"}, before: 20},
		one:        "A path ends in a panic since it is not written yet",
		many:       "%d paths end in a panic since they are not written yet",
		claim:      "todo! and unimplemented! panic when they are reached.",
	},
}

// triesOneThing reports whether the block of an empty catch is one assignment: what was there before stays, on purpose.
func triesOneThing(h *hit) bool {
	return len(h.before) == 2 && strings.HasSuffix(strings.TrimSpace(h.before[0]), "try {") && strings.Contains(h.before[1], " = ")
}

// closesUnchecked reports whether the file that a line opens for writing is closed by a defer and nowhere else, and never
// synced, in a function whose end is in sight.
func closesUnchecked(h *hit) bool {
	m := createdFile.FindStringSubmatch(h.text)
	if m == nil || m[2] == "OpenFile" && !strings.Contains(h.text, "O_WRONLY") && !strings.Contains(h.text, "O_RDWR") && !strings.Contains(h.text, "O_APPEND") {
		return false
	}
	end := 0
	for end < len(h.after) && !strings.HasPrefix(h.after[end], "}") {
		end++
	}
	rest := join(h.after[:end])
	return end < len(h.after) && strings.Contains(rest, "defer "+m[1]+".Close()") &&
		strings.Count(rest, m[1]+".Close()") == 1 && !strings.Contains(rest, m[1]+".Sync()") && !strings.Contains(rest, "//")
}

// stores reports whether a handler keeps what it caught.
func stores(body []string) bool {
	text := join(body)
	return strings.Contains(text, "format_exc") || strings.Contains(text, "print_exc") || strings.Contains(text, ".exception(") || strings.Contains(text, "set_exception") || strings.Contains(text, "exc")
}

func hasLine(lines []string, want *regexp.Regexp) bool {
	for _, l := range lines {
		if want.MatchString(l) {
			return true
		}
	}
	return false
}
