package exact

import (
	"fmt"
	"path"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/tools/symbols"
)

// An assignment is a line that gives the name a value.
type assignment struct {
	path, symbol string
	line         int
	text, value  string
	form         int  // of assigning
	declared     bool // by an option or a file of settings, as its default
	fills        bool // if the name has no value yet: if (x < 0) x = 5
	score        float64
}

var (
	constant = lazyregexp.New(`\b(?:const|constexpr|static|final|readonly|define|DEFINE_\w+|val|Final)\b|` +
		`^\s*[A-Z][A-Z0-9_]+\s*[:=]`)
	// nothing matches a value that leaves the choice to others.
	nothing = lazyregexp.New(`^(?i:none|nil|null|undefined)$`)
	named   = lazyregexp.New(`^[A-Za-z_][\w.:]*$`)
	// doctest matches an example of a session in a comment.
	doctest = lazyregexp.New(`^\s*(?:>>>|\.\.\.|iex(?:\(\d+\))?>|irb>)\s`)
	// setter matches a method that assigns, whose parameter is no value.
	setter = lazyregexp.New(`^\s*def\s+[\w.]+=`)
	// equals matches a value after an equals sign, as of a parameter, and not only after a colon.
	equals = lazyregexp.New(`[^=!<>]=[^=>]`)
	// parameter matches the default of a parameter in the line that declares a function.
	parameter = lazyregexp.New(`^\s*(?:\w+ )*(?:def|func|function|fn|fun)\b.*\(.*=`)
	// condition matches a line that asks for a value and sets none.
	condition = lazyregexp.New(`^\s*(?:\} else |el)?(?:if|while|unless)\b`)
	// unfilled matches a condition that something has no value yet.
	unfilled = lazyregexp.New(`<=?\s*[01]\b|[=<]=?\s*-1|={2,3}\s*0\b|(?i:\b(?:null|nil|none|undefined|empty|unless|not)\b)` +
		`|isNull|if\s*\(?!\s*[\w$]`)
	// missing matches a value that has no meaning of its own and is replaced where the value is used.
	missing = lazyregexp.New(`^(?i:-1[lL]?|0[lL]?|none|nil|null|undefined)$`)
	// local matches the assignment of a variable in a function, which need not be the default of anything.
	local = lazyregexp.New(`^\s+(?:(?:let|var|auto|my|local)\s|` +
		`(?:unsigned\s+)?(?:u?int(?:\d+_t)?|s?size_t|long|bool|boolean|float|double|String)\s+\w+\s*=|[\w, ]+:=)`)
	// typed matches what a colon gives a name in code that declares its type.
	typed = lazyregexp.New(`^(?:pub |mut |final )?(?:&(?:'\w+ )?)?(?:` +
		`(?:number|string|boolean|any|unknown|void|never|object|` +
		`[ui](?:8|16|32|64|128|size)|f32|f64|bool|str|char|int|long|float|double)(?:\[\]|\?)?(?:\s*\|.*)?|` +
		`(?:\w+(?:::|\.))*[A-Z]\w*[a-z]\w*(?:[<\[].*|\?|\s*\|.*)?|(?:\w+::)*[A-Z]\w*<.*|\([^)]*\)\s*=>.*)$`)
	// typeName matches the name of a type as a text, in a table of types; typeCall a type of Elixir and Erlang.
	typeName = lazyregexp.New(`^["':](?:number|string|bool|boolean|int|integer|float|double|object|array|any|null|` +
		`atom|map|(?:pos|non_neg)_integer)["']?$`)
	typeAlias = lazyregexp.New(`^\s*(?:export\s+|pub\s+)?type\s`)
	typeCall  = lazyregexp.New(`^(?:[\w.]+\(\)|nil|:\w+)(?:\s*\|.*)?$`)
	ofTypes   = lazyregexp.New(`\.(?:rs|tsx?|kts?|swift|scala|php)$`)
	stub      = lazyregexp.New(`^(?:\.\.\.|…)|^(?:require|import|__import__)\(`) // a value that is elsewhere, a module
	versions  = lazyregexp.New(`^["'](?:[\^~]|[<>]=?)\s*\d`)                     // of what a manifest requires
	// noSettings matches files whose values are versions or the numbers of fields.
	noSettings = lazyregexp.New(`(?:^|[/.-])lock(?:\.\w+)?$|\.proto$|` +
		`(?:^|/)(?:pyproject\.toml|setup\.cfg|Cargo\.toml|package\.json|composer\.json)$`)
)

// settingsFile matches those of them that the product reads. Others configure the tools that build it.
var settingsFile = lazyregexp.New(`(?i)(?:^|/)[^._/][^/]*\.(?:conf|cnf)(?:\.\w+)?$|` +
	`(?:^|/)[^./_][^/]*\.(?:cfg|ini|properties|toml|ya?ml)\.(?:example|sample|default|dist|in)$|` +
	`(?:^|/)(?:[^./_][^/]*)?(?:config|setting|default|option|preference|application)[^/]*` +
	`\.(?:cfg|ini|properties|toml|ya?ml)$`)

// empty reports whether a line only declares a type for the name, passes on a value of the same name, requires a
// version of what has the name, or is an example.
func (a assignment) empty(name string) bool {
	if doctest.MatchString(a.text) || strings.HasSuffix(a.value, "{") ||
		typeAlias.MatchString(a.text) || typeName.MatchString(a.value) ||
		versions.MatchString(a.value) ||
		passedOn(a.value) == normal(leafOf(name)) || stub.MatchString(a.value) ||
		hole.MatchString(a.value) && a.value[0] == '{' {
		return true
	}
	at := strings.LastIndex(a.text, a.value)
	before := strings.TrimRight(a.text[:max(at, 0)], " ")
	if !strings.HasSuffix(before, ":") || strings.HasSuffix(strings.TrimRight(before, ": "), `"`) {
		return false
	}
	switch path.Ext(a.path) {
	case ".ex", ".exs", ".erl", ".hrl":
		return arities.MatchString(a.text) || strings.Contains(a.value, "()") && typeCall.MatchString(a.value)
	case ".py", ".pyi":
		return !strings.HasSuffix(strings.TrimRight(before, ": "), "'")
	default:
		return ofTypes.MatchString(a.path) && typed.MatchString(a.value) && !plain.MatchString(a.value)
	}
}

// arities matches the line that begins, or is, a list of functions of Elixir with how many parameters each has.
var arities = lazyregexp.New(aritiesPattern)

const aritiesPattern = `^\s*(?:import\s.*(?:only|except):\s*\[|@optional_callbacks\b|@compile\b|defoverridable\b)`

var (
	getter = lazyregexp.New(`^(?:[gG]et([A-Z]\w*)|get_(\w+))\(\)$`)
	// member matches what a method of a field returns, whose name no module has. Its group is the field.
	member = lazyregexp.New(`^\w+\.(?:\w+\.)*([a-z]\w*[A-Z]\w*)\.\w+\(\)$`)
)

// passedOn returns what a value passes on if it is a name or what a getter of that name, or a method of a field of that
// name, returns.
func passedOn(value string) string {
	if m := member.FindStringSubmatch(value); m != nil {
		return normal(m[1])
	}
	leaf := leafOf(value)
	if m := getter.FindStringSubmatch(leaf); m != nil {
		leaf = m[1] + m[2]
	}
	return normal(leaf)
}

// tells reports whether a line may say what the default of something is, and not only what it is set to in one place.
func (a assignment) tells() bool {
	return a.part() < examples && !a.passing() && (initial.MatchString(leafOf(a.symbol)) || !local.MatchString(a.text))
}

// ofItself matches a value that a function or type makes by itself.
var ofItself = lazyregexp.New(`^[\w.:]+\(\)$`)

// parameter reports whether a line declares a parameter, or fills a field, with a value that is made by itself.
func (a assignment) parameter() bool {
	return ofItself.MatchString(a.value) && strings.HasSuffix(strings.TrimSpace(a.text), ",")
}

// where says where a line is.
func (a assignment) where() string {
	if a.symbol != "" {
		return fmt.Sprintf("`%s` (%s, line %d)", a.symbol, a.path, a.line)
	}
	return fmt.Sprintf("%s, line %d", a.path, a.line)
}

// ofProject matches files that configure a project for its own tools, tests and machines, and not for its users.
var ofProject = lazyregexp.New(`(?:^|/)config/(?:config|dev|test|ci)\.exs$|(?:^|/)config/environments/|` +
	`(?:^|/)(?:docker-)?compose[\w.-]*\.ya?ml$|\.(?:config|conf)\.[cm]?[jt]s$|` +
	`(?:^|/)(?:[\w-]+[._-])?(?:dev|development|test|testing|ci|local)\.(?:exs|ya?ml|json|toml|ini|cfg|conf|properties)$|` +
	`(?:^|/)(?:package|composer|tsconfig[\w.-]*|renovate|lerna|nx|turbo|biome|deno|codecov)\.jsonc?$|` +
	`(?:^|/)(?:pyproject|[cC]argo|rustfmt|clippy|deny|netlify|fly)\.toml$|` +
	`(?:^|/)(?:setup|tox|pytest|mypy|phpunit|codecov|appveyor)\.(?:cfg|ini|ya?ml|xml)(?:\.dist)?$`)

// part returns the part of the tree that a line belongs to. A file of settings to be copied is no example; a file of an
// unknown kind is no source, and no more is what only configures the project itself.
func (a assignment) part() side {
	switch of := sideOf(a.path); {
	case ofTests.MatchString(a.symbol):
		return tests
	case of == examples && settingsFile.MatchString(a.path):
		return sideOf(a.path[:strings.LastIndexByte(a.path, '.')])
	case of == source && (ofProject.MatchString(a.path) ||
		symbols.Language(a.path) == "" && !setsByName.MatchString(a.path)):
		return examples
	default:
		return of
	}
}

// setsByName matches files that may set something and whose language has no table.
var setsByName = lazyregexp.New(`\.(?:json5?|ya?ml|toml|ini|cfg|conf|cnf|properties|xml|env|plist|tf|vue|svelte|` +
	`vim|nix|ps1|psm1|dart|jl|r|ml|hs|clj\w*|el|erl|hrl|pas|f90|zig|nim|pyx|pxd|sql|proto|in|inc|def|cmake|awk|fish)$`)

// target matches what a line assigns to, up to the sign: a variable, or a part of something. Its groups are what the
// part is of, and its name.
var target = lazyregexp.New(`^\s*(?:if\s*\(.*\)\s*)?[*&]?((?:[\w$\[\]]+(?:\.|->|::)|@+)*)([\w$-]+)\s*:?=[^=]`)

// inner matches what is before the name of a part of a part, which belongs to something else.
var inner = lazyregexp.New(`(?:\.|->|::).*(?:\.|->|::)`)

// script matches what is before the name of a part of a variable, and not of a class; itself, of the module or object
// that the lines are in.
var (
	script = lazyregexp.New(`^[a-z]\w*(?:\.|->)$`)
	itself = lazyregexp.New(`^(?:this|self|exports|module)\b`)
)

// initial matches the name of a function that gives things their first value.
var initial = lazyregexp.New(`(?i)^_*(?:init|new|constructor|set_?up|create|build)|default`)

// passing reports whether a line sets a variable on its way through a function. Any function does that, and it says
// nothing of what the variable is before.
func (a assignment) passing() bool {
	if a.form == asSet {
		return !isDefault.MatchString(a.symbol + a.text)
	}
	m := target.FindStringSubmatch(a.text)
	leaf := leafOf(a.symbol)
	switch {
	case a.declared, a.form != 0, m == nil, strings.HasSuffix(strings.TrimSpace(a.text), ","),
		isDefault.MatchString(m[2] + a.value + a.symbol), constant.MatchString(a.text):
		return false
	case initial.MatchString(leaf) && !inner.MatchString(m[1]):
		return false
	case strings.Trim(m[1], "@") == "" && title(leaf) == leaf && !strings.HasSuffix(a.path, ".go"):
		return false // a field of a class
	case leaf == "": // outside of functions it is, if it is a part of something that a script has made
		return script.MatchString(m[1]) && !itself.MatchString(m[1])
	}
	return true
}

// onceEach returns each line once.
func onceEach(all []assignment) (some []assignment) {
	type place struct {
		path string
		line int
	}
	seen := make(map[place]bool)
	for _, a := range all {
		if at := (place{a.path, a.line}); !seen[at] {
			seen[at] = true
			some = append(some, a)
		}
	}
	return some
}

// sameValue reports whether two values are the same but for what names the module of a function.
func sameValue(a, b string) bool {
	return a == b || ofItself.MatchString(a) && ofItself.MatchString(b) && leafOf(a) == leafOf(b)
}

var isDefault = lazyregexp.New(`(?i)default`)
