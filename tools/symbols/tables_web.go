package symbols

const jsName = `(?P<name>#?[\w$\pL]+)`

// jsModifiers may precede a declaration in JavaScript and TypeScript.
const jsModifiers = `^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?`

// jsArrow matches the start of a value that is a function.
const jsArrow = `(?:async\s*)?(?:function\b|(?:<.*>\s*)?\(.*=>|(?:<.*>\s*)?\(.*\)\s*:.*=>|[\w$]+\s*=>)`

var jsLexicon = lexicon{line: slashes, block: starred, quotes: []quote{quoted, single, backtick}, regex: true}

var jsRules = []rule{
	{kind: "class", hint: "class", re: re(jsModifiers + `(?:abstract\s+)?class\s+` + jsName), holds: true, body: true},
	{kind: "class", hint: "class", re: re(`^\s*(?:export\s+)?(?:const|let|var)\s+` + jsName + `\s*=\s*class\b`),
		holds: true, body: true},
	{kind: "interface", hint: "interface", re: re(jsModifiers + `interface\s+` + jsName), holds: true, body: true},
	{kind: "enum", hint: "enum", re: re(jsModifiers + `(?:const\s+)?enum\s+` + jsName), body: true},
	{kind: "module", hint: "namespace", re: re(jsModifiers + `namespace\s+(?P<name>[\w$.]+)`), body: true, holds: true},
	{kind: "module", hint: "module", re: re(jsModifiers + `module\s+(?P<name>[\w$.]+)`), body: true, holds: true},
	{kind: "type", hint: "type", re: re(jsModifiers + `type\s+` + jsName + `\s*(?:<.*|=|$)`)},
	{kind: "func", hint: "function", re: re(jsModifiers + `(?:async\s+)?function\b\s*\*?\s*` + jsName)},
	{kind: "method", hint: "prototype", re: re(`^\s*(?P<owner>[\w$]+)\.prototype\.` + jsName +
		`\s*=\s*(?:async\s+)?function`)},
	{kind: "func", hint: "exports", re: re(`^\s*(?:module\.)?exports\.` + jsName +
		`\s*=\s*(?:async\s*)?(?:function|\(.*=>)`)},
	{kind: "func", hint: "=", re: re(`^\s*(?:export\s+)?(?:const|let|var)\s+` + jsName + `\s*(?::[^=]+)?=\s*` +
		jsArrow)},
	{kind: "func", hint: "=>", re: re(`^\s*(?:export\s+)?(?:const|let|var)\s+` + jsName +
		`\s*:.*=>.*[^=!<>]=\s*(?:async\s*)?(?:\(.*|[\w$]+\s*)=>`)},
	{kind: "func", hint: "async", re: re(`^\s*(?:export\s+)?(?:const|let|var)\s+` + jsName +
		`\s*(?::[^=]+)?=\s*async\s*\(`)},
	{kind: "func", hint: "function", re: re(`^\s*(?P<owner>[\w$.]+)\.` + jsName +
		`\s*=\s*(?:[\w$.]+\s*=\s*)*(?:async\s+)?function\b`)},
	{kind: "method", hint: "function", re: re(`^\s*["']?` + jsName + `["']?\s*:\s*(?:async\s+)?function\b`)},
	{kind: "method", hint: "(", tail: '{', where: anywhere, plain: true,
		re: re(`^\s*(?:(?:async|get|set)\s+)*\*?\s*` + jsName + `\s*\([^()]*\)\s*\{\s*$`)},
	{kind: "const", hint: "const", re: re(`^(?:export\s+)?(?:declare\s+)?const\s+` + jsName)},
	{kind: "method", hint: "(", where: inHolder, re: re(`^\s*(?:(?:public|private|protected|static|readonly|async|` +
		`override|abstract|get|set|declare)\s+)*\*?\s*` + jsName + `\??\s*(?:<.*>)?\(`)},
	{kind: "method", hint: "<", where: inHolder, re: re(`^\s*(?:(?:public|private|protected|static|readonly|async|` +
		`override|abstract|declare)\s+)*` + jsName + `<[^=;()]*$`), body: true},
	{kind: "method", hint: "=>", where: inHolder, re: re(`^\s*(?:(?:public|private|protected|static|readonly|` +
		`override)\s+)*` + jsName + `\s*(?::[^=]+)?=\s*(?:async\s*)?(?:\(.*|[\w$]+\s*)=>`)},
}

var webLanguages = []language{
	{name: "javascript", breaks: true, apart: true,
		exts: []string{".js", ".jsx", ".mjs", ".cjs"}, lex: jsLexicon, rules: jsRules},
	{name: "typescript", breaks: true, apart: true,
		exts: []string{".ts", ".tsx", ".mts", ".cts"}, lex: jsLexicon, rules: jsRules},
	{
		name: "php", separator: `\`, exts: []string{".php", ".phtml", ".inc", ".phpt"},
		lex: lexicon{line: []string{"//", "#"}, block: starred, island: "<?", heredoc: "<<<", quotes: []quote{
			{open: "?>", close: "<?", raw: true, lines: true}, {open: `"`, close: `"`, lines: true}, {open: `'`,
				close: `'`, lines: true}}},
		rules: []rule{
			{kind: "module", hint: "namespace", re: re(`^\s*namespace\s+(?P<name>[\w\\]+)`)},
			{kind: "class", hint: "class", re: re(`^\s*(?:(?:abstract|final|readonly)\s+)*class\s+(?P<name>[\w\pL]+)`),
				holds: true, body: true},
			{kind: "interface", hint: "interface", re: re(`^\s*interface\s+(?P<name>[\w\pL]+)`), holds: true, body: true},
			{kind: "trait", hint: "trait", re: re(`^\s*trait\s+(?P<name>[\w\pL]+)`), holds: true, body: true},
			{kind: "enum", hint: "enum", re: re(`^\s*enum\s+(?P<name>[\w\pL]+)`), holds: true, body: true},
			{kind: "func", hint: "function", members: "method", re: re(`^\s*(?:(?:public|protected|private|static|final|` +
				`abstract)\s+)*function\s+&?\s*(?P<name>[\w\pL]+)\s*\(`)},
			{kind: "const", hint: "const", where: atTop, re: re(`^\s*(?:(?:public|protected|private|final)\s+)*const\s+` +
				`(?:\??[\w\\|]+\s+)?(?P<name>\w+)\s*=`)},
		},
	},
}
