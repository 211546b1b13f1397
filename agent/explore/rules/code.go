package rules

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/comments"
	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
)

// testName matches the name of a test, of a definition in a test module, or of one that only tests use.
var testName = lazyregexp.New(`^(?:tests?\.|Test[A-Z_]|test_)|\.(?:test_|Test[A-Z_])|` +
	`(?:ForTest|_for_test)(?:s|ing)?$`)

// calls reports whether a line of code calls a name, and what precedes the name.
func calls(text, name string) (before string, ok bool) {
	before, _, ok = strings.Cut(text, name+"(")
	return before, ok && (before == "" || !isNameByte(before[len(before)-1])) && !comments.Is(text) && isCall(before)
}

// isTestOf reports whether a test's file is named after the file it tests, as b_test.go, test_b.py or b.test.ts.
func isTestOf(test, tested string) bool {
	name, _, _ := strings.Cut(path.Base(tested), ".")
	return strings.Contains(strings.ToLower(path.Base(test)), strings.ToLower(name))
}

func wholeWord(text, name string) bool {
	i := strings.Index(text, name)
	if i < 0 {
		return false
	}
	end := i + len(name)
	return (i == 0 || !isNameByte(text[i-1])) && (end == len(text) || !isNameByte(text[end]))
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// firstLine returns the first line of s, without the space around it and truncated.
func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return line.Truncate(s, maxFirstLine)
}

const maxFirstLine = 200 // runes

var callPattern = lazyregexp.New(`([A-Za-z_$][\w$]*)\s*\(`)

// plainNames look like calls but are keywords, built-in functions, or too common to follow.
var plainNames = set(`
if for while switch catch return function func def class elif else except with print println printf len append make
new panic recover copy cap range delete close min max string int bool error float64 float str list dict tuple
isinstance super getattr setattr hasattr sorted reversed enumerate zip map filter any all open type repr require
import export typeof sizeof assert Errorf Sprintf Printf Println Fprintf Sprint Error String GoString MarshalJSON
__init__ __repr__ __str__ constructor push pop slice splice join split trim indexOf forEach replace concat log
toString keys values items get set add then catch await async Some None Ok Err unwrap clone into iter collect vec
format match fn Done Contains HasPrefix HasSuffix Join Split TrimSpace New Lock Unlock Background defined void this self
equal cast not and or in is lambda var let const yield throw using static Len Less Swap Close Write Read Name Value
Get Set Add Print Is As Unwrap Next Do Run init main setUp as_ref as_str as_bytes as_mut as_slice as_path to_string
to_owned to_vec into_iter is_empty is_some is_none is_ok is_err unwrap_or map_err and_then or_else write close read
strip lower upper encode decode update copy extend remove lstrip rstrip startswith endswith replace sub findall
hasOwnProperty int32 int64 uint byte rune object Object Array String Number Boolean Promise Set Map Date`)

// qualified finds the type, module or value that a call names. Those of anyOwner say nothing of where the callee is;
// what ofClass matches is a class, whose own methods are called on it.
var (
	ofClass   = lazyregexp.New(`^\p{Lu}\w+$`)
	qualified = lazyregexp.New(`(\w+)(?:\(\))?(?:(?:::<[^<>]*>)?::|\.)$`)
	anyOwner  = set("Self self crate super static parent")
)

// ownCall matches the receiver of a call on the same object, as "self.".
var ownCall = lazyregexp.New(`\b(?:self|this|cls|super\(\)|super|@)(?:\.|->)$`)

// beforeCall are the words that may directly precede a call. After any other word, a name with brackets is a definition
// or prose.
var beforeCall = set(`
return await yield in is if elif unless while until and or not else go defer new throw raise case when assert from do
then co_await co_return co_yield try match lambda del delete typeof void with as print echo export default`)

var lastWord = lazyregexp.New(`([A-Za-z_$][\w$]*)\s+$`)

// typed matches a line up to a name that is declared with a type of several parts: "public List<Item> " or "char *".
var typed = lazyregexp.New(`^\s*([@A-Za-z_$]\w*)(?:[.:]+\w+)*(?:<[^()=;]*>)?(?:\[\])*[*&]*\s+` +
	`(?:[A-Za-z_$]\w*(?:[.:]+\w+)*(?:<[^()=;]*>)?(?:\[\])*[*&]*\s+)*[*&]*(?:\w+::)*$`)

// isCall reports whether a name with brackets is a call, given the line before it.
func isCall(before string) bool {
	if m := lastWord.FindStringSubmatch(before); m != nil {
		return beforeCall[m[1]]
	}
	m := typed.FindStringSubmatch(before)
	return m == nil || beforeCall[m[1]]
}

func quoteName(name string) string { return regexp.QuoteMeta(name) }

// keywords open a definition in the languages that outline knows, and some more.
const keywords = `\b(?:func|def|class|type|struct|interface|enum|trait|impl|fn|function|module|const|var|let|static|` +
	`record|public|private|protected|define|fun|macro_rules!)\b`

// memberLine reports whether text looks like a member defined without a keyword: modifiers, a type, the name, a bracket
// or an equals sign, and no semicolon at the end.
func memberLine(text, name string) bool {
	before, after, ok := strings.Cut(text, name)
	after = strings.TrimSpace(after)
	return ok && (strings.HasPrefix(after, "(") || strings.HasPrefix(after, "<") || strings.HasPrefix(after, "=")) &&
		!strings.HasSuffix(after, ";") && !strings.ContainsAny(before, "(.=,\"'") && !strings.Contains(before, "return")
}

func lastPart(name string) string {
	return name[strings.LastIndexAny(name, ".:#")+1:]
}

func ownerOf(symbol string) string {
	i := strings.LastIndexByte(symbol, '.')
	if i < 0 {
		return ""
	}
	return lastPart(symbol[:i])
}

// cite writes lines of a file as a citation.
func cite(p string, start, end int) string { return lookup.Cite(p, start, end) }

func sameDir(a, b string) bool { return path.Dir(a) == path.Dir(b) }

func splitCitation(c string) (string, int) {
	i := strings.LastIndexByte(c, ':')
	first, _, _ := strings.Cut(c[i+1:], "-")
	n, err := strconv.Atoi(first)
	if i < 0 || err != nil {
		return c, 0
	}
	return c[:i], n
}
