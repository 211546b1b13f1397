package symbols

import "github.com/forayhq/foray/internal/lazyregexp"

var cLexicon = lexicon{line: slashes, block: starred, quotes: []quote{{open: `R"`, delimited: true, raw: true,
	lines: true}, quoted}, chars: true}

const (
	// cHead may precede struct, class and union: a macro, a template, specifiers. cAttributes may follow them.
	cHead       = `^\s*(?:[A-Z_]{4,}\s+)?(?:template\s*<.*>\s*)?(?:(?:static|const|extern|friend)\s+)*`
	cAttributes = `\s+(?:\[\[.*?\]\]\s*)?(?:(?:alignas|__attribute__|__declspec|[A-Z_][A-Z0-9_]+)\b(?:\(.*?\)+)?\s+)*`
	cTail       = `\s*(?:<[^;()]*>?)?\s*(?:final\s*)?(?::[^:;][^;{]*)?(?:\{|$)`
	// cResult precedes the name of a function on its line: its type and specifiers.
	cResult = `^[\s*&]*(?:\[\[.*?\]\]\s*)?(?:__attribute__\s*\(\(.*?\)\)\s*)?(?:template\s*<.*>\s*)?` +
		`(?:[A-Za-z_][\w:<>,*&\[\]~.]*(?:<.*>[\w:]*)?[\s*&]+)*`
	cOperator = `operator\s*(?:\(\s*\)|\[\s*\]|""\s*\w+|[-+*/%^&|~!=<>,]+|(?:const\s+)?[\w:]+(?:<.*?>)?[\s*&]*)`
)

var cRules = []rule{
	{kind: "macro", hint: "define", re: re(`^\s*#\s*define\s+(?P<name>\w+)`)},
	{kind: "module", hint: "namespace", re: re(`^\s*(?:inline\s+)?namespace\s+(?:[A-Z_]+\s+)?(?P<name>[\w:]+)`),
		holds: true, body: true},
	{kind: "", hint: "namespace", re: re(`^\s*namespace\s*(?P<name>)(?:\{|$)`), holds: true, body: true},
	{kind: "", hint: "extern", re: re(`^\s*extern\s*(?P<name>)(?:\{|$)`), holds: true, body: true},
	{kind: "struct", hint: "typedef", re: re(`^\s*typedef\s+(?:struct|union|enum)\b\s*(?P<tag>\w*)\s*(?P<name>)(?:\{|` +
		`$)`), body: true, after: true},
	{kind: "type", hint: "typedef", re: re(`^\s*typedef\s[^;{]*\(\s*\*\s*(?P<name>\w+)\s*\)\s*\(`)},
	{kind: "type", hint: "typedef", re: re(`^\s*typedef\s[^;{(]*[\s*&>](?P<name>\w+)\s*(?:\[[^;]*\]\s*)*;`)},
	{kind: "type", hint: "typedef", re: re(`^\s*typedef\s[^;{(]*[\s*&>](?:\(\s*)?(?P<name>\w+)\s*\)?\s*\([^*]`)},
	{kind: "type", hint: "using", re: re(`^\s*(?:template\s*<.*>\s*)?using\s+(?P<name>\w+)\s*=`)},
	{kind: "enum", hint: "enum", re: re(`^\s*enum` + cAttributes +
		`(?:class\s+|struct\s+)?(?P<name>\w+)\s*(?::[^;{]*)?(?:\{|$)`), body: true},
	{kind: "class", hint: "class", re: re(cHead + `class` + cAttributes + `(?P<name>\w+)` + cTail), holds: true,
		body: true},
	{kind: "struct", hint: "struct", re: re(cHead + `struct` + cAttributes + `(?P<name>\w+)` + cTail), holds: true,
		body: true},
	{kind: "struct", hint: "union", re: re(cHead + `union` + cAttributes + `(?P<name>\w+)` + cTail), holds: true,
		body: true},
	{kind: "func", hint: "operator", where: atTop, members: "method", body: true, re: re(cResult +
		`(?P<name>(?:\w+::)*` + cOperator + `)\s*\(`)},
	{kind: "func", hint: "(", where: atTop, body: true, re: re(`^\s*(?:[A-Za-z_]\w*[\s*]+)+\(\s*` +
		`(?P<name>[A-Za-z_]\w*)\s*\)\s*\(`)},
	// a macro around the type: PUBLIC(char *) name(void)
	{kind: "func", hint: "(", where: atTop, body: true, re: re(`^\s*(?:[A-Za-z_]\w*\s+)*[A-Z][A-Z0-9_]*\([^()]*\)\s*` +
		`(?P<name>[A-Za-z_]\w*)\s*\(`)},
	{kind: "func", hint: "(", where: atTop, members: "method", body: true, re: re(cResult +
		`(?P<name>~?[A-Za-z_]\w*(?:(?:<[^<>()]*>)?::~?\w+)*)\s*\(`)},
}

// nativeLanguages are Rust and the languages with a preprocessor.
var nativeLanguages = []language{
	{
		name: "rust", exts: []string{".rs"},
		lex: lexicon{line: slashes, block: nesting, chars: true, quotes: []quote{
			{open: `r###"`, close: `"###`, raw: true, lines: true}, {open: `r##"`, close: `"##`, raw: true, lines: true},
			{open: `r#"`, close: `"#`, raw: true, lines: true},
			{open: `r"`, close: `"`, raw: true, lines: true}, {open: `"`, close: `"`, lines: true}}},
		rules: []rule{
			{kind: "func", hint: "fn", members: "method", re: rust(`(?:default\s+)?(?:const\s+)?(?:async\s+)?(?:unsafe\s+)?` +
				`(?:extern\s+)?fn`)},
			{kind: "struct", hint: "struct", re: rust(`struct`)},
			{kind: "enum", hint: "enum", re: rust(`enum`)},
			{kind: "struct", hint: "union", re: rust(`union`), body: true},
			{kind: "trait", hint: "trait", re: rust(`(?:unsafe\s+)?(?:auto\s+)?trait`), holds: true},
			{kind: "impl", hint: "impl", holds: true, body: true,
				re: re(`^\s*(?:unsafe\s+)?impl\b(?:\s*<.*?>)?\s+(?:.*\sfor\s+)?(?:&(?:mut\s+)?)?(?:\w+::)*(?P<name>\w+)`)},
			{kind: "module", hint: "mod", re: rust(`mod`)},
			{kind: "type", hint: "type", re: rust(`type`)},
			{kind: "const", hint: "const", re: rust(`const`)},
			{kind: "const", hint: "static", re: rust(`static(?:\s+mut)?`)},
			{kind: "macro", hint: "macro_rules", re: re(`^\s*macro_rules!\s*(?P<name>\w+)`)},
		},
	},
	{name: "c", branches: true, exts: []string{".c"}, lex: cLexicon, rules: cRules},
	{name: "c++", separator: "::", branches: true, exts: []string{".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx",
		".inl"}, lex: cLexicon, rules: cRules},
}

func rust(keyword string) *lazyregexp.Regexp {
	return re(`^\s*(?:pub(?:\([^)]*\))?\s+)?` + keyword + `\s+(?:r#)?(?P<name>\w+)`)
}
