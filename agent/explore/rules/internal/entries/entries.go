package entries

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// A Kind is what an entry of a definition is.
type Kind int

// The kinds of entries.
const (
	Value     Kind = iota // of an enumeration, a table, a list, a constant
	Field                 // a property or an attribute
	Method                // or a function
	Parameter             // of a function
)

// An Entry is one of the things that a definition lists.
type Entry struct {
	Name     string
	Kind     Kind
	Line     int    // in the text, from 0
	Declared string // a parameter, as it is declared
}

// Bounds of a list.
const (
	Max     = 500 // entries
	maxName = 60  // bytes; what is longer is a text
)

var (
	// item matches what begins an entry between commas, after annotations: a name or a text.
	item = lazyregexp.New(`^[{(\[]*\s*(?:(?:#\[[^\]]*\]|@[\w.]+(?:\([^()]*\))?|case|pub)\s*)*[*&.:$]{0,3}\[?` +
		"(?:[\"'`]([^\"'`\n]+)[\"'`]|([A-Za-z_$][\\w$.-]*))")
	// alternatives matches a type that is one of several values.
	alternatives = lazyregexp.New(`^[^={(]*=\s*\|?\s*["'\w]`)

	// words matches a list of words of Ruby, up to its end.
	words = lazyregexp.New(`=\s*%[wi][\[({]([^\])}]*)`)

	modifiers = lazyregexp.New(`^(?:(?:@[\w.]+(?:\([^()]*\))?|#\[[^\]]*\]|pub(?:\([^)]*\))?|public|private|protected|` +
		`internal|static|readonly|final|abstract|override|lateinit|export|declare|const|var|val|let|case|mut|open|volatile|` +
		`transient|async|suspend|unsafe|extern|inline|operator|get|set|default|virtual|sealed|synchronized|native)\s+)*`)
	function = lazyregexp.New(`^(?:fn|func|fun|function|def)\s+(?:self\.)?(?:<[^>]*>\s*)?(?:[\w<>?]+\.)?&?([\w$]+[?!=]?)`)
	declared = lazyregexp.New(`^["'\[]?([A-Za-z_$#][\w$-]*)["'\]]?[?!]?\s*(?:<[^=;]*>)?(?:([:;,(])|(=)(?:[^=]|$))|` +
		`^([A-Za-z_$]\w*)$`)
	typed    = lazyregexp.New(`^(?:[\w.?|\\]+(?:<[^;=]*>)?(?:\[\])*[*&]*\s+)+[*&]*(\$?[A-Za-z_]\w*)\s*([=;(,]|$)`)
	goField  = lazyregexp.New(`^((?:\w+, )*\w+)\s+[\w*\[\](<{.]`)
	embedded = lazyregexp.New("^\\*?(?:\\w+\\.)?(\\w+)(?:\\[.*\\])?\\s*(?:[`\"]|$)")

	pythonField = lazyregexp.New(`^([A-Za-z]\w*)\s*(?::|=[^=])`)
	rubyField   = lazyregexp.New(`^(?:attr_(?:reader|writer|accessor)\s+:(.*)|([A-Z]\w*)\s*=[^=])`)
	selfField   = lazyregexp.New(`^\s*(?:self\.([A-Za-z]\w*)|@([a-z]\w*))\s*(?::[^=]+)?=[^=]`)
	noName      = lazyregexp.New(`^(?:return|if|for|while|throw|else|try|catch|switch|new|delete|await|yield|import|use|` +
		`init|static|super|this|where|end|begin|private|protected|public|include|extend|raise|type|struct|enum|class|` +
		`interface|companion|object|fn|impl|function|def)$`)
)

// Entries returns what a definition of a kind of package symbols lists, in its order.
func (t Text) Entries(of string) (all []Entry) {
	if len(t.lines) == 0 {
		return nil
	}
	at, bracket := t.opening(slices.Contains([]string{"class", "struct", "interface", "trait", "enum"}, of))
	switch {
	case words.MatchString(t.lines[0]):
		all = t.words()
	case alternatives.MatchString(t.kept[0]) && (t.ext == ".ts" || t.ext == ".pyi"):
		all = t.alternatives()
	case (t.ext == ".py" || t.ext == ".pyi" || t.ext == ".rb") && (of == "class" || of == "module"):
		all = t.indented()
	case !bracket:
	case of == "enum" || of == "const" || of == "var" || t.code[at.line][at.column] != '{':
		if all = t.items(at); of != "enum" || len(all) > 0 && !caseFirst(t, at) {
			break
		}
		fallthrough
	default:
		all = t.declarations(at)
	}
	return Once(all)
}

// caseFirst reports whether the values of an enumeration are statements.
func caseFirst(t Text, at spot) bool {
	return at.line+1 < len(t.kept) && strings.HasPrefix(strings.TrimSpace(t.kept[at.line+1]), "case ")
}

// Once leaves out entries with the name of one before, and what is too long for a name.
func Once(all []Entry) (kept []Entry) {
	seen := make(map[string]bool)
	for _, e := range all {
		if e.Name = strings.TrimPrefix(e.Name, "$"); e.Name != "" && len(e.Name) <= maxName && !seen[e.Name] {
			seen[e.Name] = true
			kept = append(kept, e)
		}
	}
	return kept
}

// items are the values between the commas of a bracket, up to a semicolon.
func (t Text) items(at spot) (all []Entry) {
	pieces := t.pieces(at)
	if t.ext == ".go" && len(pieces) == 1 && t.code[at.line][at.column] == '(' {
		return t.declarations(at)
	}
	for _, p := range pieces {
		text := strings.TrimSpace(p.text)
		if m := aText.FindStringSubmatch(text); m != nil && strings.HasPrefix(text, "{") {
			all = append(all, Entry{Name: m[1], Kind: Value, Line: p.line})
		} else if m := item.FindStringSubmatch(text); m != nil && p.line >= 0 {
			all = append(all, Entry{Name: m[1] + m[2], Kind: Value, Line: p.line})
		}
		if p.ends {
			break
		}
	}
	return all
}

// alternatives are the texts of a type that is one of several.
func (t Text) alternatives() (all []Entry) {
	_, first, _ := strings.Cut(t.kept[0], "=")
	for n, l := range append([]string{first}, t.kept[1:]...) {
		for _, m := range aText.FindAllStringSubmatch(l, -1) {
			all = append(all, Entry{Name: m[1], Kind: Value, Line: n})
		}
		last := n+1 < len(t.kept) && !continues.MatchString(t.kept[n+1])
		if strings.Contains(l, ";") || last && strings.TrimSpace(l) != "" {
			break
		}
	}
	return all
}

var (
	aText     = lazyregexp.New("[\"'`]([^\"'`]+)[\"'`]")
	continues = lazyregexp.New(`^\s*(?:\||["']|$)`)
)

// words are those of a list of words of Ruby.
func (t Text) words() (all []Entry) {
	for w := range strings.FieldsSeq(words.FindStringSubmatch(t.lines[0])[1]) {
		all = append(all, Entry{Name: w, Kind: Value})
	}
	return all
}

// declarations are the fields and methods on the lines that begin right below a bracket, or between its semicolons if
// it has only one line.
func (t Text) declarations(at spot) (all []Entry) {
	depth := 0
	for n := at.line; n < len(t.code); n++ {
		start := 0
		if n == at.line {
			start = at.column
		} else if depth == 1 {
			all = append(all, t.declaration(strings.TrimSpace(t.kept[n]), n)...)
		}
		for i := start; i < len(t.code[n]); i++ {
			if depth += depthOf(t.code[n][i]); depth > 0 {
				continue
			}
			if n == at.line {
				for _, p := range t.pieces(at) {
					all = append(all, t.declaration(strings.TrimSpace(p.text), n)...)
				}
			}
			return all
		}
	}
	return all
}

// property matches a line of Kotlin that declares something.
var property = lazyregexp.New(`\b(?:val|var|fun|const)\s`)

func (t Text) isKotlin() bool { return t.ext == ".kt" || t.ext == ".kts" }

// declaration returns what a line of a type declares.
func (t Text) declaration(l string, n int) []Entry {
	if m := goField.FindStringSubmatch(l); t.ext == ".go" && m != nil {
		var all []Entry
		for name := range strings.SplitSeq(m[1], ", ") {
			all = append(all, Entry{Name: name, Kind: Field, Line: n})
		}
		return all
	}
	if m := embedded.FindStringSubmatch(l); t.ext == ".go" && m != nil {
		return []Entry{{Name: m[1], Kind: Field, Line: n}}
	}
	rest := l[len(modifiers.FindString(l)):]
	if t.isKotlin() && !property.MatchString(l) {
		return nil // the end of an expression
	}
	if m := function.FindStringSubmatch(rest); m != nil {
		return []Entry{{Name: m[1], Kind: Method, Line: n}}
	}
	for _, re := range []*lazyregexp.Regexp{declared, typed} {
		m := re.FindStringSubmatch(rest)
		if m == nil {
			continue
		}
		e := Entry{Name: m[1], Kind: Field, Line: n}
		switch {
		case m[2] == "(":
			e.Kind = Method
		case len(m) > 4 && m[4] != "":
			e.Name = m[4]
		}
		if noName.MatchString(e.Name) {
			return nil
		}
		return []Entry{e}
	}
	return nil
}

// indented are the methods and fields of a class of Python or Ruby: what is at the least indentation of its body, and
// what its methods assign to the object.
func (t Text) indented() (all []Entry) {
	least := 0
	for _, l := range t.code[1:] {
		rest := strings.TrimLeft(l, " \t")
		if in := len(l) - len(rest); rest != "" && in > 0 && (least == 0 || in < least) {
			least = in
		}
	}
	property, nested, depth := false, false, 0
	for n, l := range t.kept {
		rest := strings.TrimLeft(l, " \t")
		in, inside := len(l)-len(rest), depth > 0
		for i := range len(t.code[n]) {
			depth += depthOf(t.code[n][i])
		}
		if n > 0 && rest != "" && in <= least {
			nested = strings.HasPrefix(rest, "class ") || strings.HasPrefix(rest, "module ")
		}
		if m := selfField.FindStringSubmatch(l); m != nil && in > least && !nested {
			all = append(all, Entry{Name: m[1] + m[2], Kind: Field, Line: n})
		}
		if in != least || n == 0 || inside {
			continue
		}
		if strings.HasPrefix(rest, "@") {
			property = property || strings.Contains(rest, "property")
			continue
		}
		if m := function.FindStringSubmatch(strings.TrimPrefix(rest, "async ")); m != nil {
			e := Entry{Name: m[1], Kind: Method, Line: n}
			if property {
				e.Kind = Field
			}
			all, property = append(all, e), false
		} else if m := rubyField.FindStringSubmatch(rest); m != nil && t.ext == ".rb" {
			for name := range strings.SplitSeq(m[1]+m[2], ", :") {
				all = append(all, Entry{Name: strings.TrimSpace(name), Kind: Field, Line: n})
			}
		} else if m := pythonField.FindStringSubmatch(rest); m != nil && t.ext != ".rb" && !noName.MatchString(m[1]) {
			all = append(all, Entry{Name: m[1], Kind: Field, Line: n})
		}
	}
	return all
}

// End returns the line of the last of some entries, or that after it, on which a bracket closes.
func (t Text) End(all []Entry) int {
	last := all[len(all)-1].Line
	if last+1 < len(t.code) && strings.IndexAny(strings.TrimSpace(t.code[last+1]), ")}]") == 0 {
		last++
	}
	return last
}
