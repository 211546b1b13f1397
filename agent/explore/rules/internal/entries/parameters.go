package entries

import (
	"regexp"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
)

var (
	// constructor matches the line of a class that begins what makes an object of it.
	constructor = lazyregexp.New(`\b(?:__init__|constructor|__construct|initialize|fn new)\b`)
	// receiver matches the object itself, which is passed by nobody.
	receiver = lazyregexp.New(`^(?:&?(?:'\w+ )?(?:mut )?self|cls|this)\b`)
	// before matches what may be before the name of a parameter whose type follows the name or is left out.
	beforeName = lazyregexp.New(`^(?:(?:@[\w.:]+(?:\([^()]*\))?|#\[[^\]]*\]|private|public|protected|readonly|` +
		`internal|override|val|var|vararg|mut|crossinline|noinline)\s+)*(?:\.\.\.|\*\*?|&)?\{?\s*`)
	named = lazyregexp.New(`^([A-Za-z_]\w*)[?!]?\s*(?:[:=,}]|$)`)
	// typedParameter matches one whose type is before its name, and goParameter one whose type is after it.
	typedParameter = lazyregexp.New(`[\s*&>\]]\.{0,3}&?\$?([A-Za-z_]\w*)(?:\[\])?\s*(?:=|$)`)
	goParameter    = lazyregexp.New(`^([A-Za-z_]\w*)(?:\s|$)`)
	phpParameter   = lazyregexp.New(`\$([A-Za-z_]\w*)`)
)

const maxDeclared = 70 // runes of a parameter as it is declared

// Parameters returns what may be passed to a function or, for a class, to what makes an object of it.
func (t Text) Parameters(name string, class bool) (all []Entry) {
	at, ok := t.list(regexp.MustCompile(`\b` + regexp.QuoteMeta(name) +
		`\s*(?:<[^()]*>|\[[^()]*\])?(?:\s*=\s*(?:async\s*)?(?:function\s*\*?\s*\w*\s*)?)?\s*\(`))
	if class {
		if at2, has := t.list(regexp.MustCompile(constructor.String() + `\s*(?:<[^()]*>)?\s*\(`)); has {
			at, ok = at2, true
		}
	}
	if !ok {
		return nil
	}
	for _, p := range unpacked(t.pieces(at)) {
		if name := t.parameter(strings.TrimSpace(p.text)); name != "" && p.line >= 0 {
			as := line.Truncate(line.Flat(p.text), maxDeclared)
			all = append(all, Entry{Name: name, Kind: Parameter, Line: p.line, Declared: as})
		}
	}
	return Once(all)
}

// unpacked returns the parameters with those that are taken out of an object one by one.
func unpacked(pieces []piece) (all []piece) {
	for _, p := range pieces {
		inner := strings.TrimSpace(p.text)
		if !strings.HasPrefix(inner, "{") {
			all = append(all, p)
			continue
		}
		inner, _, _ = strings.Cut(inner[1:], "}")
		for one := range strings.SplitSeq(inner, ",") {
			all = append(all, piece{text: one, line: p.line})
		}
	}
	return all
}

// list returns the bracket with which a match ends.
func (t Text) list(re *regexp.Regexp) (spot, bool) {
	for n, l := range t.code {
		if at := re.FindStringIndex(l); at != nil {
			for at[1] < len(l) && l[at[1]] == '(' { // around a whole function
				at[1]++
			}
			return spot{n, at[1] - 1}, true
		}
	}
	return spot{}, false
}

// parameter returns the name of a parameter, "" for the object itself.
func (t Text) parameter(p string) string {
	if receiver.MatchString(p) || p == "" {
		return ""
	}
	re := named
	switch t.ext {
	case ".go":
		re = goParameter
	case ".php":
		re = phpParameter
	default:
		p = p[len(beforeName.FindString(p)):]
	}
	m := re.FindStringSubmatch(p)
	if m == nil {
		m = typedParameter.FindStringSubmatch(p)
	}
	if m == nil {
		return ""
	}
	return m[1]
}
