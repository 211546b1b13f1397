package exact

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/tools/codebase"
)

// A doubt says how surely a call means one of the definitions, by what precedes the name in the call.
type doubt int

const (
	sure   doubt = iota
	unsure       // the receiver does not show its type
	other        // the receiver is of another type or package
)

// ownReceivers are the words for the object or type that a method belongs to.
var ownReceivers = []string{"self", "this", "cls", "super", "Self", "static", "parent", "super()", "@"}

// implicit matches files of languages whose methods call each other by their bare name.
var implicit = lazyregexp.New(`\.(?:rb|java|kts?|swift|scala|cs|cc|cpp|cxx|h|hpp|hh)$`)

// doubtOf returns the least doubt about a use of the name over the definitions that are meant. All has every definition
// of the name.
func (u use) doubtOf(name string, meant, all []codebase.Symbol) doubt {
	const dot = `\s*(?:\?\.|\.|::|->)\s*`
	member := regexp.MustCompile(`(?:([\w$]+(?:\(\))?|@)(?:::<[^>]*>)?|[)\]}]|^)` + dot + regexp.QuoteMeta(name) + `\b`)
	before := ""
	if m := member.FindStringSubmatch(u.text); m != nil {
		before = cmp.Or(m[1], ")") // the result of another expression
	}
	least := other
	if len(meant) == 0 {
		least = sure
	}
	for _, d := range meant {
		least = min(least, u.against(d, before, all))
	}
	return least
}

// against returns the doubt that a call with the receiver means one definition.
func (u use) against(d codebase.Symbol, receiver string, all []codebase.Symbol) doubt {
	owner := leafOf(ownerOf(d.Name))
	own := slices.Contains(ownReceivers, receiver)
	switch {
	case d.Kind != "func" && d.Kind != "method":
		return sure // a type or a constant is no member that other types have too
	case path.Ext(u.path) == ".go" && path.Ext(d.Path) == ".go" && owner == "":
		return u.inPackage(d, receiver)
	case owner == "" && own:
		return other
	case owner == "" && (receiver == "" || slices.Contains(strings.FieldsFunc(d.Path, isPathMark), receiver)):
		return sure
	case owner == "":
		return unsure
	case own:
		return u.ofOwn(d, owner, all)
	case receiver == "" && u.path == d.Path && path.Ext(d.Path) != ".go" && path.Ext(d.Path) != ".py":
		return sure
	case receiver == "" && !implicit.MatchString(u.path):
		return other
	case receiver != "" && alike(receiver, owner), u.initial(receiver, owner) && path.Dir(u.path) == path.Dir(d.Path):
		return sure
	case receiver != "" && ofClass.MatchString(d.Signature) && (path.Ext(d.Path) == ".cs" || path.Ext(d.Path) == ".java"):
		return other // it is called on the name of its class
	case receiver != "" && receiver[0] >= 'A' && receiver[0] <= 'Z' && strings.Contains(u.text, receiver+"::"):
		return other
	}
	return unsure
}

// ofClass matches the declaration of a method of a class and not of its objects.
var ofClass = lazyregexp.New(`\bstatic\b`)

// initial reports whether a receiver in Go is the first letter of its type.
func (u use) initial(receiver, owner string) bool {
	return path.Ext(u.path) == ".go" && len(receiver) == 1 && strings.EqualFold(receiver, owner[:1])
}

func isPathMark(c rune) bool { return c == '/' || c == '.' }

// ofOwn returns the doubt that a call on the own object means a method of owner: a class of another file that defines
// the name itself means its own, any other may inherit it.
func (u use) ofOwn(d codebase.Symbol, owner string, all []codebase.Symbol) doubt {
	around := strings.FieldsFunc(u.symbol, func(c rune) bool { return c == '.' || c == ':' })
	if slices.Contains(around, owner) {
		return sure
	}
	for _, o := range all {
		if o.Path == u.path && o.Path != d.Path && slices.Contains(around, leafOf(ownerOf(o.Name))) {
			return other
		}
	}
	return unsure
}

// inPackage returns the doubt that a call in Go means a function: it has no receiver in its own package, and the
// package's name elsewhere.
func (u use) inPackage(d codebase.Symbol, receiver string) doubt {
	dir := path.Dir(d.Path)
	switch {
	case receiver == "" && path.Dir(u.path) == dir:
		return sure
	case receiver == "":
		return other
	case dir == "." || receiver == ")":
		return unsure
	case strings.Contains(dir, receiver):
		return sure
	}
	return other
}

// ownerOf returns a qualified name without its last part.
func ownerOf(name string) string {
	return strings.TrimRight(strings.TrimSuffix(name, leafOf(name)), ".:#>-")
}

// alike reports whether a variable has the name of a type: session or sess for Session.
func alike(receiver, owner string) bool {
	r, o := normal(receiver), normal(owner)
	return r == o || len(r) > 2 && strings.HasPrefix(o, r) || len(o) > 3 && strings.HasSuffix(r, o)
}
