package symbols

import (
	"regexp"
)

// A language is how symbols are found in its files without a parser: a table of patterns, tried in order on each line
// of code with comments and strings blanked.
type language struct {
	name     string
	exts     []string
	lex      lexicon
	rules    []rule
	indent   bool // a body ends by indentation, else with its brace
	breaks   bool // a line break may end a statement
	branches bool // a preprocessor chooses between branches
}

// A rule finds one kind of definition. The pattern's group name is the symbol, of the group of an owner the class.
type rule struct {
	kind    string // "" for a container without a name, which is passed through
	hint    string // occurs in each line that the pattern matches
	re      *regexp.Regexp
	where   where
	body    bool   // only with a body: a declaration ends in a semicolon
	holds   bool   // what stands directly in it are members
	after   bool   // the name follows the closing brace
	members string // its kind where it is a member, when that differs
	owner   bool   // without the group type it is a constructor: its name is that of the class around it
}

// where a rule applies.
type where int

const (
	anywhere where = iota
	atTop          // outside all definitions, or directly in one that holds members
	inHolder       // directly in one that holds members
)

const jsName = `(?P<name>#?[\w$]+)`

var (
	slashes  = []string{"//"}
	starred  = [][2]string{{"/*", "*/"}}
	quoted   = quote{open: `"`, close: `"`}
	single   = quote{open: `'`, close: `'`}
	backtick = quote{open: "`", close: "`", lines: true, template: true}
	triple   = quote{open: `"""`, close: `"""`, lines: true}
)

// languages but Go, which is parsed.
var languages = []language{
	{
		name: "python", exts: []string{".py", ".pyi", ".pyx"}, indent: true,
		lex: lexicon{line: []string{"#"}, quotes: []quote{triple, {open: `'''`, close: `'''`, lines: true}, quoted, single}},
		rules: []rule{
			{kind: "class", hint: "class", re: regexp.MustCompile(`^\s*(?P<sig>class\s+(?P<name>\w+))`), holds: true, body: true},
			{kind: "func", hint: "def", re: regexp.MustCompile(`^\s*(?P<sig>(?:async\s+)?def\s+(?P<name>\w+))`), members: "method", body: true},
			{kind: "const", hint: "=", re: regexp.MustCompile(`^(?P<name>[A-Z][A-Z0-9_]+)\s*(?::[^=]+)?=[^=]`)},
		},
	},
	{
		name: "javascript", breaks: true, exts: []string{".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"},
		lex: lexicon{line: slashes, block: starred, quotes: []quote{quoted, single, backtick}, regex: true},
		rules: []rule{
			{kind: "class", hint: "class", re: regexp.MustCompile(`^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?class\s+` + jsName), holds: true, body: true},
			{kind: "interface", hint: "interface", re: regexp.MustCompile(`^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?interface\s+` + jsName), body: true},
			{kind: "enum", hint: "enum", re: regexp.MustCompile(`^\s*(?:export\s+)?(?:declare\s+)?(?:const\s+)?enum\s+` + jsName), body: true},
			{kind: "module", hint: "namespace", re: regexp.MustCompile(`^\s*(?:export\s+)?(?:declare\s+)?namespace\s+(?P<name>[\w$.]+)`), body: true, holds: true},
			{kind: "module", hint: "module", re: regexp.MustCompile(`^\s*(?:export\s+)?(?:declare\s+)?module\s+(?P<name>[\w$.]+)`), body: true, holds: true},
			{kind: "type", hint: "type", re: regexp.MustCompile(`^\s*(?:export\s+)?(?:declare\s+)?type\s+` + jsName + `[^=]*=`)},
			{kind: "func", hint: "function", re: regexp.MustCompile(`^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:async\s+)?function\s*\*?\s*` + jsName)},
			{kind: "method", hint: "prototype", re: regexp.MustCompile(`^\s*(?P<owner>[\w$]+)\.prototype\.` + jsName + `\s*=\s*(?:async\s+)?function`)},
			{kind: "func", hint: "exports", re: regexp.MustCompile(`^\s*(?:module\.)?exports\.` + jsName + `\s*=\s*(?:async\s*)?(?:function|\(.*=>)`)},
			{kind: "func", hint: "=", re: regexp.MustCompile(`^\s*(?:export\s+)?(?:const|let|var)\s+` + jsName + `\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|(?:<.*>\s*)?\(.*=>|(?:<.*>\s*)?\(.*\)\s*:.*=>|[\w$]+\s*=>)`)},
			{kind: "func", hint: "=>", re: regexp.MustCompile(`^\s*(?:export\s+)?(?:const|let|var)\s+` + jsName + `\s*:.*=>.*[^=!<>]=\s*(?:async\s*)?(?:\(.*|[\w$]+\s*)=>`)},
			{kind: "func", hint: "async", re: regexp.MustCompile(`^\s*(?:export\s+)?(?:const|let|var)\s+` + jsName + `\s*(?::[^=]+)?=\s*async\s*\(`)},
			{kind: "const", hint: "const", re: regexp.MustCompile(`^(?:export\s+)?(?:declare\s+)?const\s+` + jsName)},
			{kind: "method", hint: "(", where: inHolder, re: regexp.MustCompile(`^\s*(?:(?:public|private|protected|static|readonly|async|override|abstract|get|set|declare)\s+)*\*?\s*` + jsName + `\s*(?:<.*>)?\(`)},
			{kind: "method", hint: "=>", where: inHolder, re: regexp.MustCompile(`^\s*(?:(?:public|private|protected|static|readonly|override)\s+)*` + jsName + `\s*(?::[^=]+)?=\s*(?:async\s*)?(?:\(.*|[\w$]+\s*)=>`)},
		},
	},
	{
		name: "java", exts: []string{".java"},
		lex: lexicon{line: slashes, block: starred, quotes: []quote{triple, quoted}, chars: true},
		rules: []rule{
			{kind: "class", hint: "class", re: javaType("class"), holds: true, body: true},
			{kind: "class", hint: "record", re: javaType("record"), holds: true, body: true},
			{kind: "interface", hint: "interface", re: javaType("@?interface"), holds: true, body: true},
			{kind: "enum", hint: "enum", re: javaType("enum"), holds: true, body: true},
			{kind: "method", hint: "(", where: inHolder, owner: true, re: regexp.MustCompile(`^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|protected|private|static|final|abstract|synchronized|native|default|strictfp)\s+)*(?:<.+?>\s+)?(?P<type>[\w.]+(?:<.*>)?(?:\[\])*\s+)?(?P<name>\w+)\s*\(`)},
			{kind: "const", hint: "final", where: inHolder, re: regexp.MustCompile(`^\s*(?:(?:public|protected|private|static|final)\s+){2,}[\w.<>\[\], ?]+\s+(?P<name>[A-Z][A-Z0-9_]*)\s*=`)},
		},
	},
	{
		name: "rust", exts: []string{".rs"},
		lex: lexicon{line: slashes, block: starred, chars: true, quotes: []quote{
			{open: `r##"`, close: `"##`, raw: true, lines: true}, {open: `r#"`, close: `"#`, raw: true, lines: true},
			{open: `r"`, close: `"`, raw: true, lines: true}, {open: `"`, close: `"`, lines: true}}},
		rules: []rule{
			{kind: "func", hint: "fn", members: "method", re: rust(`(?:default\s+)?(?:const\s+)?(?:async\s+)?(?:unsafe\s+)?(?:extern\s+)?fn`)},
			{kind: "struct", hint: "struct", re: rust(`struct`)},
			{kind: "enum", hint: "enum", re: rust(`enum`)},
			{kind: "struct", hint: "union", re: rust(`union`), body: true},
			{kind: "trait", hint: "trait", re: rust(`(?:unsafe\s+)?(?:auto\s+)?trait`), holds: true},
			{kind: "impl", hint: "impl", holds: true, body: true, re: regexp.MustCompile(`^\s*(?:unsafe\s+)?impl\b(?:\s*<.*?>)?\s+(?:.*\sfor\s+)?(?:&(?:mut\s+)?)?(?:\w+::)*(?P<name>\w+)`)},
			{kind: "module", hint: "mod", re: rust(`mod`), body: true},
			{kind: "type", hint: "type", re: rust(`type`)},
			{kind: "const", hint: "const", re: rust(`const`)},
			{kind: "const", hint: "static", re: rust(`static(?:\s+mut)?`)},
			{kind: "macro", hint: "macro_rules", re: regexp.MustCompile(`^\s*macro_rules!\s*(?P<name>\w+)`)},
		},
	},
	{
		name: "c", branches: true, exts: []string{".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".inl"},
		lex: lexicon{line: slashes, block: starred, quotes: []quote{quoted}, chars: true},
		rules: []rule{
			{kind: "macro", hint: "define", re: regexp.MustCompile(`^\s*#\s*define\s+(?P<name>\w+)`)},
			{kind: "module", hint: "namespace", re: regexp.MustCompile(`^\s*(?:inline\s+)?namespace\s+(?P<name>[\w:]+)`), holds: true, body: true},
			{kind: "", hint: "extern", re: regexp.MustCompile(`^\s*extern\s*(?P<name>)(?:\{|$)`), holds: true, body: true},
			{kind: "struct", hint: "typedef", re: regexp.MustCompile(`^\s*typedef\s+(?:struct|union|enum)\b\s*\w*\s*(?P<name>)(?:\{|$)`), body: true, after: true},
			{kind: "enum", hint: "enum", re: regexp.MustCompile(`^\s*enum\s+(?:class\s+|struct\s+)?(?P<name>\w+)\s*(?::[^;{]*)?(?:\{|$)`), body: true},
			{kind: "class", hint: "class", re: regexp.MustCompile(`^\s*(?:template\s*<.*>\s*)?class\s+(?:[A-Z_]+\s+)?(?P<name>\w+)[^;=()]*$`), holds: true, body: true},
			{kind: "struct", hint: "struct", re: cStruct("struct"), holds: true, body: true},
			{kind: "struct", hint: "union", re: cStruct("union"), holds: true, body: true},
			{kind: "func", hint: "(", where: atTop, members: "method", body: true, re: regexp.MustCompile(`^\s*(?:[A-Za-z_][\w:<>,*&\[\]~]*[\s*&]+)*(?P<name>~?[A-Za-z_](?:\w|::~?)*)\s*\(`)},
		},
	},
}

func javaType(keyword string) *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|protected|private|static|final|abstract|sealed|non-sealed|strictfp)\s+)*` + keyword + `\s+(?P<name>\w+)`)
}

func rust(keyword string) *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:pub(?:\([^)]*\))?\s+)?` + keyword + `\s+(?P<name>\w+)`)
}

func cStruct(keyword string) *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:template\s*<.*>\s*)?(?:static\s+)?` + keyword + `\s+(?P<name>\w+)\s*(?:final\s*)?(?::[^;{]*)?(?:\{|$)`)
}

// statements look like functions of C where braces do not balance, but are none.
var statements = []string{"if", "for", "while", "switch", "catch", "return", "else", "do", "sizeof", "throw", "defined", "alignas", "__attribute__", "__declspec", "static_assert", "_Static_assert"}
