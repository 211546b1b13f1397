package symbols

// scriptLanguages are the languages whose definitions end with their indentation, or with a word indented like their
// first line.
var scriptLanguages = []language{
	{
		name: "python", exts: []string{".py", ".pyi", ".pyx"}, indent: true,
		lex: lexicon{line: hashes, quotes: []quote{triple, {open: `'''`, close: `'''`, lines: true}, quoted, single}},
		rules: []rule{
			{kind: "class", hint: "class", re: re(`^\s*class\s+(?P<name>[\w\pL]+)`), holds: true, body: true},
			{kind: "func", hint: "def", re: re(`^\s*(?:async\s+)?(?:cp)?def\s+(?P<name>[\w\pL]+)`), members: "method",
				body: true},
			{kind: "const", hint: "=", re: re(`^(?P<name>[A-Z][A-Z0-9_]+)\s*(?::[^=]+)?=(?:[^=]|$)`)},
		},
	},
	{
		name: "ruby", separator: "::", exts: []string{".rb", ".rake", ".gemspec", ".ru"}, names: []string{"Rakefile",
			"Gemfile"}, indent: true, closer: "end", docs: "#",
		continued: []string{"rescue", "ensure", "else", "elsif", "when", "in", ")", "]", "}"},
		lex: lexicon{line: hashes, block: []block{{open: "=begin", close: "\n=end", start: true}, {open: "__END__",
			close: "\x00", start: true}}, regex: true, asks: true, heredoc: "<<", quotes: []quote{
			{open: "%r{", close: "}"}, {open: "%q(", close: ")", lines: true}, {open: "%Q(", close: ")", lines: true},
			{open: "%w[", close: "]", lines: true}, {open: "%w(", close: ")", lines: true}, {open: "%(", close: ")",
				lines: true},
			{open: `"`, close: `"`, hole: "#{"}, single, {open: "`", close: "`", hole: "#{"}}},
		rules: []rule{
			{kind: "", hint: "<<", re: re(`^\s*class\s*<<\s*(?P<name>)`), holds: true, body: true},
			{kind: "class", hint: "class", re: re(`^\s*class\s+(?P<name>[\w:]+)`), holds: true, body: true},
			{kind: "module", hint: "module", re: re(`^\s*module\s+(?P<name>[\w:]+)`), holds: true, body: true},
			{kind: "class", hint: "do", re: re(`^\s*(?P<name>[A-Z]\w*)\s*=\s*(?:Data\.define|Struct\.new|` +
				`Class\.new)\b.*\bdo\b`),
				holds: true, body: true},
			{kind: "class", hint: "=", re: re(`^\s*(?P<name>[A-Z]\w*)\s*=\s*(?:Data\.define|Struct\.new|` +
				`Class\.new)\b`)},
			{kind: "const", hint: "=", re: re(`^\s*(?P<name>[A-Z][A-Z0-9_]+)\s*=\s*(?:[\[{(]|` +
				`%[wi][\[({])\s*$`), body: true},
			{kind: "const", hint: "=", re: re(`^\s*(?P<name>[A-Z][A-Z0-9_]+)\s*=(?:[^=~>]|$)`)},
			{kind: "func", hint: "def", re: re(`^\s*(?:(?:private|public|protected|private_class_method|` +
				`module_function|` +
				`helper_method|memoize)\s+)*def\s+(?:[\w]+\.)?(?P<name>(?:[\w\pL]+[?!=]?|\[\]=?|[+\-!~]@|\*\*|` +
				`<=>|===?|=~|` +
				`![=~]?|<<|>>|<=|>=|[+\-*/%<>&|^~` + "`" + `]))`), members: "method", body: true},
		},
	},
	{
		name: "shell", exts: []string{".sh", ".bash", ".zsh", ".ksh", ".bats"}, indent: true, closer: "}", docs: "#",
		continued: []string{"{", ")"},
		lex: lexicon{line: hashes, word: true, escapes: true, heredoc: "<<", quotes: []quote{{open: `"`, close: `"`,
			lines: true}, {open: `'`, close: `'`, raw: true, lines: true}}},
		rules: []rule{
			{kind: "func", hint: "function", re: re(`^\s*function\s+(?P<name>[^\s(){};&|` +
				`$"'=]+)\s*(?:\(\s*\))?\s*[{(]?`),
				body: true},
			{kind: "func", hint: "(", re: re(`^\s*(?P<name>[^\s(){};&|$"'=#]+)\s*\(\s*\)`), body: true},
		},
	},
	{
		name: "lua", exts: []string{".lua"}, indent: true, closer: "end", docs: "--", continued: []string{"else", "elseif",
			")", "}"},
		lex: lexicon{line: []string{"--"}, block: []block{{open: "--[[", close: "]]"}, {open: "--[=[", close: "]=]"}},
			quotes: []quote{{open: "[[", close: "]]", raw: true, lines: true}, quoted, single}},
		rules: []rule{
			{kind: "func", hint: "function", re: re(`^\s*(?:local\s+)?function\s+(?:(?P<owner>[\w.]+)[.:])?(?P<name>\w+)`),
				body: true},
			{kind: "func", hint: "function", re: re(`^\s*(?:local\s+)?(?:(?P<owner>[\w.]+)\.)?(?P<name>\w+)\s*=\s*` +
				`function\b`), body: true},
		},
	},
	{
		name: "perl", separator: "::", exts: []string{".pl", ".pm", ".t"}, indent: true, closer: "}", docs: "#",
		continued: []string{"{", ")"},
		lex: lexicon{line: hashes, word: true, escapes: true, heredoc: "<<", block: []block{{open: "=pod",
			close: "\n=cut", start: true}, {open: "=head", close: "\n=cut", start: true}, {open: "=over", close: "\n=cut",
			start: true}, {open: "=begin", close: "\n=cut", start: true}, {open: "=item", close: "\n=cut", start: true},
			{open: "__END__", close: "\x00", start: true}, {open: "__DATA__", close: "\x00", start: true}},
			quotes: []quote{quoted}},
		rules: []rule{
			{kind: "module", hint: "package", re: re(`^\s*package\s+(?P<name>[\w:]+)`)},
			{kind: "func", hint: "sub", re: re(`^\s*sub\s+(?P<name>[\w:']+)`), body: true},
		},
	},
	{
		name: "elixir", exts: []string{".ex", ".exs"}, indent: true, closer: "end", docs: "#",
		continued: []string{"rescue", "catch", "after", "else", ")", "]", "}"},
		lex: lexicon{line: hashes, quotes: []quote{{open: `"""`, close: `"""`, lines: true, hole: "#{"}, {open: `'''`,
			close: `'''`, lines: true}, {open: `"`, close: `"`, lines: true, hole: "#{"}}},
		rules: []rule{
			{kind: "module", hint: "defmodule", re: re(`^\s*defmodule\s+(?P<name>[\w.]+)`), holds: true, body: true},
			{kind: "interface", hint: "defprotocol", re: re(`^\s*defprotocol\s+(?P<name>[\w.]+)`), holds: true, body: true},
			{kind: "impl", hint: "defimpl", re: re(`^\s*defimpl\s+(?P<name>[\w.]+)`), holds: true, body: true},
			{kind: "macro", hint: "defmacro", re: re(`^\s*defmacrop?\s+(?P<name>[\w?!]+)`), body: true},
			{kind: "func", hint: "def", re: re(`^\s*defp?\s+(?P<name>[\w?!]+)`), body: true},
		},
	},
}
