package entries

import "github.com/forayhq/foray/internal/lazyregexp"

// Begins matches what a list begins with, after its name: what assigns it, and its bracket.
const Begins = `["']?\??(?:\[[^\]]*\])*\s*(?::[^=({]{0,80})?(?::=|=>|=|:)\s*&?(?:new\s+)?(?:%[wi][\[({]|` +
	`(?:map\[[\w.*]+\]|\[\d*\])[*\w.]+\{|` +
	`[\w.:<>]*(?:[oO]f|asList|array|[sS]et|list|tuple|dict|freeze|vec!|\.new)(?:<[^(]*>)?\s*[(\[{]|[\[{(])`

const (
	fewest   = 3  // constants of a file that are a list
	maxLists = 40 // of a file that are read
)

const declaring = `^(?:(?:export|pub|const|static|final|public|let|var|val)\s+)*`

var (
	// plain matches a line that gives a constant a plain value, and made one that makes it of a type.
	plain = lazyregexp.New(`^\s{0,4}(?:(?:export|pub|const|static|final|public)\s+)*([A-Z][A-Z0-9_]+)\b` +
		`[^=("']{0,40}=\s*["'\d-]`)
	made = lazyregexp.New(declaring + `(\w+)\s*(?::[^=]+)?=\s*(?:new\s+)?([A-Z]\w*)\(`)
	// list matches a line that begins a list, and exports one that says which names of the file others may use.
	list    = lazyregexp.New(declaring + `\w+` + Begins)
	exports = lazyregexp.New(`^(?:__all__|module\.exports|exports|export default)\b`)
)

// Constants returns those that a file gives a plain value, or what it makes of one type, or else its longest list.
func (t Text) Constants() []Entry {
	var values []Entry
	most, of := "", make(map[string][]Entry)
	for n, l := range t.kept {
		if m := plain.FindStringSubmatch(l); m != nil {
			values = append(values, Entry{Name: m[1], Line: n})
		} else if m := made.FindStringSubmatch(l); m != nil {
			of[m[2]] = append(of[m[2]], Entry{Name: m[1], Line: n})
			if len(of[m[2]]) > len(of[most]) {
				most = m[2]
			}
		}
	}
	switch {
	case len(values) >= fewest:
		return Once(values)
	case len(of[most]) >= fewest:
		return Once(of[most])
	}
	return t.longest()
}

// longest returns the longest list to which a file gives a name.
func (t Text) longest() (best []Entry) {
	lists := 0
	for n, l := range t.code {
		if !list.MatchString(l) || exports.MatchString(l) {
			continue
		}
		if lists++; lists > maxLists {
			break
		}
		all := t.from(n).Entries("const")
		for i := range all {
			all[i].Line += n
		}
		if len(all) > len(best) {
			best = all
		}
	}
	return best
}
