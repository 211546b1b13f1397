package symbols

import "github.com/forayhq/foray/internal/lazyregexp"

const (
	kotlinModifiers = `^\s*(?:@[\w.:]+(?:\([^)]*\))?\s+)*(?:(?:public|private|protected|internal|open|abstract|final|` +
		`sealed|data|enum|annotation|inner|value|inline|expect|actual|external|override|suspend|operator|infix|tailrec|` +
		`const|lateinit|noinline|crossinline|companion|fun)\s+)*`
	kotlinName     = "(?P<name>\\w+|`[^`]+`)"
	swiftModifiers = `^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|private|fileprivate|internal|open|package|final|` +
		`static|class|override|mutating|nonmutating|required|convenience|indirect|dynamic|optional|lazy|weak|prefix|` +
		`postfix|infix|nonisolated|distributed|consuming|borrowing)(?:\(set\))?\s+)*`
	scalaModifiers = `^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:private|protected|final|sealed|abstract|implicit|lazy|` +
		`override|case|inline|transparent|open|opaque|infix|package)(?:\[\w+\])?\s+)*`
	scalaName   = "(?P<name>[\\w$]+|`[^`]+`|[!#%&*+\\-/:<=>?@^|~\\\\]+)"
	csModifiers = `^\s*(?:\[[^\]]*\]\s*)*(?:(?:public|protected|private|internal|static|sealed|abstract|virtual|` +
		`override|readonly|partial|unsafe|extern|new|async|ref|file|required|volatile)\s+)*`
)

// managedLanguages are the languages of virtual machines, and Swift.
var managedLanguages = []language{
	{
		name: "java", exts: []string{".java"},
		lex: lexicon{line: slashes, block: starred, quotes: []quote{triple, quoted}, chars: true},
		rules: []rule{
			{kind: "class", hint: "class", re: javaType("class"), holds: true, body: true},
			{kind: "class", hint: "record", re: javaType("record"), holds: true, body: true},
			{kind: "interface", hint: "interface", re: javaType("@?interface"), holds: true, body: true},
			{kind: "enum", hint: "enum", re: javaType("enum"), holds: true, body: true},
			{kind: "", hint: "{", tail: '{', where: inHolder, re: re(`^\s*[A-Z][A-Z0-9_]*\s*(?P<name>)(?:\(.*\))?\s*\{\s*` +
				`$`), holds: true, body: true},
			{kind: "", hint: "new ", tail: '{', re: re(`\bnew\s+[\w.]+(?:<.*>)?(?P<name>)\(.*\)\s*\{\s*$`), holds: true,
				body: true},
			{kind: "method", hint: "(", where: inHolder, owner: true,
				re: re(`^\s*(?:@[\w.]+(?:\([^)]*\))?\s+)*(?:(?:public|protected|private|static|final|abstract|synchronized|` +
					`native|default|strictfp)\s+)*(?:<.+?>\s+)?(?:@[\w.]+(?:\([^)]*\))?\s+)*(?P<type>[\w.]+(?:<.*>)?(?:\[\])*\s+)?` +
					`(?P<name>[\w$]+)\s*\(`)},
			{kind: "const", hint: "final", where: inHolder, re: re(`^\s*(?:(?:public|protected|private|static|final)\s+` +
				`){2,}[\w.<>\[\], ?]+\s+(?P<name>[A-Z]\w*)\s*=`)},
		},
	},
	{
		name: "csharp", exts: []string{".cs"}, branches: true, brackets: true,
		lex: lexicon{line: slashes, block: starred, chars: true, quotes: []quote{
			{open: `$"""`, close: `"""`, raw: true, lines: true}, {open: `"""`, close: `"""`, raw: true, lines: true},
			{open: `$@"`, close: `"`, raw: true, lines: true, doubled: true}, {open: `@$"`, close: `"`, raw: true,
				lines: true, doubled: true},
			{open: `@"`, close: `"`, raw: true, lines: true, doubled: true}, {open: `$"`, close: `"`, hole: "{"}, quoted}},
		rules: []rule{
			{kind: "module", hint: "namespace", re: re(`^\s*namespace\s+(?P<name>[\w.]+)`), holds: true},
			{kind: "struct", hint: "struct", re: re(csModifiers + `(?:record\s+)?struct\s+(?P<name>\w+)`), holds: true},
			{kind: "class", hint: "class", re: re(csModifiers + `(?:record\s+)?class\s+(?P<name>\w+)`), holds: true},
			{kind: "class", hint: "record", re: re(csModifiers + `record\s+(?P<name>\w+)\s*[(<{:;]?`), holds: true},
			{kind: "interface", hint: "interface", re: re(csModifiers + `interface\s+(?P<name>\w+)`), holds: true},
			{kind: "enum", hint: "enum", re: re(csModifiers + `enum\s+(?P<name>\w+)`), body: true},
			{kind: "type", hint: "delegate", re: re(csModifiers +
				`delegate\s+[\w.<>\[\],? ]+?\s+(?P<name>\w+)\s*(?:<[^>]*>)?\s*\(`)},
			{kind: "const", hint: "const", where: inHolder, re: re(csModifiers + `const\s+[\w.<>?]+\s+(?P<name>\w+)\s*=`)},
			{kind: "method", hint: "(", where: inHolder, owner: true, re: re(csModifiers +
				`(?P<type>(?:\([^()]*\)|[\w.]+(?:::[\w.]+)?(?:<[^()=]*>)?)[\[\],?*]*\s+)?(?:[\w.]+(?:<[^()=]*>)?\.)?` +
				`(?P<name>~?\w+)\s*(?:<[^()]*>)?\s*\(`)},
		},
	},
	{
		name: "kotlin", exts: []string{".kt", ".kts"}, breaks: true,
		lex: lexicon{line: slashes, block: nesting, chars: true, quotes: []quote{{open: `"""`, close: `"""`, raw: true,
			lines: true, hole: "${"}, {open: `"`, close: `"`, hole: "${"}}},
		rules: []rule{
			{kind: "enum", hint: "enum class", re: re(kotlinModifiers + `class\s+` + kotlinName), holds: true},
			{kind: "class", hint: "class", re: re(kotlinModifiers + `class\s+` + kotlinName), holds: true},
			{kind: "interface", hint: "interface", re: re(kotlinModifiers + `interface\s+` + kotlinName), holds: true},
			{kind: "class", hint: "object", re: re(kotlinModifiers + `object\s+` + kotlinName), holds: true},
			{kind: "class", hint: "companion", named: "Companion",
				re:    re(`^\s*(?:(?:public|private|protected|internal)\s+)?companion\s+object\s*(?P<name>)(?:$|[:{])`),
				holds: true},
			{kind: "func", hint: "fun", members: "method", re: re(kotlinModifiers +
				`fun\s+(?:<.*?>\s+)?(?:\(.*\)\.|[\w<>?*,. ]+\.)?` + kotlinName + `\s*\(`)},
			{kind: "type", hint: "typealias", re: re(kotlinModifiers + `typealias\s+` + kotlinName)},
			{kind: "const", hint: "const", where: atTop, re: re(kotlinModifiers + `val\s+(?P<name>\w+)`)},
		},
	},
	{
		name: "scala", exts: []string{".scala", ".sc"}, breaks: true,
		lex: lexicon{line: slashes, block: nesting, chars: true, quotes: []quote{{open: `"""`, close: `"""`, raw: true,
			lines: true}, quoted}},
		rules: []rule{
			{kind: "class", hint: "class", re: re(scalaModifiers + `class\s+` + scalaName), holds: true},
			{kind: "trait", hint: "trait", re: re(scalaModifiers + `trait\s+` + scalaName), holds: true},
			{kind: "class", hint: "object", re: re(scalaModifiers + `object\s+` + scalaName), holds: true},
			{kind: "enum", hint: "enum", re: re(scalaModifiers + `enum\s+` + scalaName), holds: true},
			{kind: "func", hint: "def", members: "method", re: re(scalaModifiers + `def\s+` + scalaName)},
			{kind: "type", hint: "type", where: atTop, re: re(scalaModifiers + `type\s+` + scalaName)},
		},
	},
	{
		name: "swift", exts: []string{".swift"}, breaks: true, branches: true,
		lex: lexicon{line: slashes, block: nesting, quotes: []quote{{open: `#"""`, close: `"""#`, raw: true,
			lines: true}, {open: `"""`, close: `"""`, lines: true, hole: `\(`}, {open: `#"`, close: `"#`, raw: true},
			{open: `"`, close: `"`, hole: `\(`}}},
		rules: []rule{
			{kind: "func", hint: "func", members: "method", re: re(swiftModifiers +
				"func\\s+(?P<name>[\\w\\pL]+|`\\w+`|[!%&*+\\-./<=>?^|~]+)\\s*[(<]")},
			{kind: "method", hint: "init", where: inHolder, re: re(swiftModifiers + `(?P<name>init)[?!]?\s*[(<]`)},
			{kind: "method", hint: "deinit", where: inHolder, re: re(swiftModifiers + `(?P<name>deinit)\s*\{`)},
			{kind: "method", hint: "subscript", where: inHolder, re: re(swiftModifiers + `(?P<name>subscript)\s*[(<]`)},
			{kind: "class", hint: "class", re: re(swiftModifiers + `class\s+(?P<name>[\w\pL]+)`), holds: true, body: true},
			{kind: "class", hint: "actor", re: re(swiftModifiers + `actor\s+(?P<name>[\w\pL]+)`), holds: true, body: true},
			{kind: "struct", hint: "struct", re: re(swiftModifiers + `struct\s+(?P<name>[\w\pL]+)`), holds: true, body: true},
			{kind: "enum", hint: "enum", re: re(swiftModifiers + `enum\s+(?P<name>[\w\pL]+)`), holds: true, body: true},
			{kind: "interface", hint: "protocol", re: re(swiftModifiers + `protocol\s+(?P<name>[\w\pL]+)`), holds: true,
				body: true},
			{kind: "impl", hint: "extension", re: re(swiftModifiers + `extension\s+(?P<name>[\w\pL.]+)`), holds: true,
				body: true},
			{kind: "type", hint: "typealias", re: re(swiftModifiers + `typealias\s+(?P<name>\w+)`)},
			{kind: "type", hint: "associatedtype", where: inHolder, re: re(swiftModifiers + `associatedtype\s+(?P<name>\w+)`)},
		},
	},
}

func javaType(keyword string) *lazyregexp.Regexp {
	return re(`^\s*(?:@[\w.]+(?:\([^)]*\))?\s+)*(?:(?:public|protected|private|static|final|abstract|sealed|` +
		`non-sealed|strictfp)\s+)*` + keyword + `\s+(?P<name>\w+)`)
}
