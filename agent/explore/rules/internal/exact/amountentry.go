package exact

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/search"
)

// entryLines is how many lines around a default may belong to the same entry of a table, a call or a document.
const entryLines = 8

// entriesCall searches for numbers that are called a default, with what is around them: the name and the help text.
func entriesCall() rulemodel.Call {
	pattern := `\b` + defaultKey + "[\"'`\\])]*" + `(?:\s+(?:value|is|to|of))*\s*(?:=>|[=:(])?\s*[^,;]{0,40}\d`
	return rulemodel.Ask("search", map[string]any{"pattern": pattern, "before": entryLines, "after": entryLines,
		"limit": maxAmounts, "max_per_file": maxAmountsEach}, "defaults beside what they are for")
}

// defaultKey matches the keys of a default.
const defaultKey = `[Dd]efault(?:s|_?[Vv]al(?:ue)?(?:_t)?|_?[Nn]um|_?[Ii]nt)?`

var (
	// entryDefault matches what gives the default in an entry, up to the value.
	entryDefault = lazyregexp.New(`\b(` + defaultKey + `)["']?\s*(?:=>|[=:(])\s*`)
	// entryName matches a text or a symbol that names what an entry is for; entryField a field or key.
	entryName  = lazyregexp.New(`["'](?:-\w, ?)?-{0,2}([A-Za-z][\w.-]*)(?:[ =][<\[A-Z][^"']*)?["']|[\s(\[]:([a-z]\w*),`)
	entryField = lazyregexp.New(`^\s*(?:(?:pub(?:\(\w+\))?|private|protected|public|static|final|readonly|var|let|val|` +
		`const)\s+)*(?:[A-Za-z][\w<>,?]*\s+)?["']?([A-Za-z_][\w-]*)["']?\??\s*(?:[:;=]|\s[\w.*\[\]]+\s+` + "`)")
	// longName matches a name that an entry has in a field of its own, or as an option of the command line.
	longName = lazyregexp.New(`(?:\b[lL]ong|\b[nN]ame)\s*[:=(]\s*["']([A-Za-z][\w.-]*)["']|["']--([a-z][\w-]+)`)
	// attribute matches a line before what it is about.
	attribute = lazyregexp.New(`^\s*(?:#\[|@)`)
	// typePair matches a key that says of what kind an entry is, and no name.
	typePair = lazyregexp.New(`\b(?:type|kind|action|format|unit)["']?\s*(?:=>|[:=])\s*(?:["'][^"']*["']|:?\w+)`)
	// amountText matches a number in prose, with its unit.
	amountText = lazyregexp.New("^[`\"'*]*(-?\\d[\\d_,.]*(?: ?(?:%|[kKMG]i?B?|bytes?|ms|s|m|h|d|(?:milli|micro)?seconds?|" +
		"minutes?|hours?|days?|weeks?)\\b)?)")
)

// entries returns the defaults that entries of tables and calls give, and that documents and comments name.
func (s amounts) entries() (all []amount) {
	r, _ := decoded[codebase.SearchResult](s.Search, entriesCall())
	for _, f := range r.Items {
		of := assignment{path: f.Path}.part()
		if of != source && of != documents || noSettings.MatchString(f.Path) || changes.MatchString(f.Path) {
			continue
		}
		for _, m := range f.Matches {
			a, ok := documentedAt(f.Path, m)
			if !ok && of == source && comments(m.Text) == 0 {
				a, ok = entryAt(f.Path, m)
			}
			if ok && a.name != "" && s.measures(a.value) && !ofTests.MatchString(m.Symbol) && !a.empty(a.name) {
				all = append(all, a)
			}
		}
	}
	return all
}

// entryAt returns the default that a line of code gives in an entry, with its name and help text.
func entryAt(path string, m search.Match) (a amount, ok bool) {
	at := entryDefault.FindStringSubmatchIndex(m.Text)
	if at == nil || inText(m.Text, at[2], at[3]) || example.MatchString(m.Text) {
		return a, false
	}
	a.assignment = assignment{path: path, symbol: m.Symbol, line: m.Line, text: m.Text, declared: true}
	a.value = strings.TrimRight(firstValue(m.Text[at[1]:]), "`")
	a.about = a.value
	before := typePair.ReplaceAllLiteralString(m.Text[:at[0]], "")
	above, below := m.Before[len(m.Before):], m.After[:0]
	switch field := entryField.FindStringSubmatch(before); {
	case attribute.MatchString(m.Text) && longName.MatchString(before):
		a.name = nameIn(longName, before)
	case attribute.MatchString(m.Text):
		for _, next := range m.After {
			if !attribute.MatchString(next) {
				a.name = nameIn(entryField, next)
				break
			}
		}
	case field != nil && strings.Contains(before, "`"): // tags of Go
		a.name = field[1]
	case entryName.MatchString(before):
		a.name = nameIn(entryName, before)
		if long := nameIn(longName, before); long != "" {
			a.name = long
		}
	case field != nil:
		a.name = field[1]
	default:
		above = opened(m.Before)
		a.name = nameAbove(above)
	}
	if depth := depthOf(m.Text); len(above) > 0 || depth > 0 {
		below = m.After[:inside(m.After, max(depth, 0))]
	}
	help := append([]string{commentAbove(m.Before[:len(m.Before)-len(above)])}, above...)
	a.help = strings.Join(append(append(help, m.Text), below...), " ")
	return a, true
}

func nameIn(re *lazyregexp.Regexp, text string) string {
	if m := re.FindStringSubmatch(text); m != nil {
		return strings.Join(m[1:], "")
	}
	return ""
}

// opened returns the last lines from the one that opens the bracket that is open after them.
func opened(lines []string) []string {
	depth := 0
	for i, text := range slices.Backward(lines) {
		if depth += depthOf(text); depth > 0 {
			return lines[i:]
		}
	}
	return nil
}

// inside returns how many lines there are up to the one that closes a bracket: the one around them, or one of those
// that are open.
func inside(lines []string, depth int) int {
	for i, text := range lines {
		before := depth
		if depth += depthOf(text); depth < 0 || before > 0 && depth == 0 {
			return i + 1
		}
	}
	return 0
}

// nameAbove returns the name of an entry that begins with these lines.
func nameAbove(lines []string) string {
	for _, re := range []*lazyregexp.Regexp{longName, opens, entryName} {
		for _, text := range lines {
			if name := nameIn(re, text); name != "" {
				return name
			}
		}
	}
	return ""
}

// documentedAt returns the default that a line of a comment or a document names for the option of its entry.
func documentedAt(path string, m search.Match) (a amount, ok bool) {
	found := saysDefault.FindStringSubmatch(m.Text)
	if found == nil || entryDefault.MatchString(m.Text) && sideOf(path) == source && comments(m.Text) == 0 {
		return a, false
	}
	value := amountText.FindStringSubmatch(found[1])
	if value == nil {
		return a, false
	}
	lines := append(slices.Clone(m.Before), m.Text)
	for i, text := range slices.Backward(lines) {
		for _, form := range []int{1, 5, 6, 7} {
			if name := declaredForms[form].FindStringSubmatch(text); name != nil {
				a.assignment = assignment{path: path, line: m.Line, text: m.Text, declared: true,
					value: strings.TrimRight(value[1], ",.")}
				a.name, a.about, a.documented = name[1], a.value, true
				a.help = strings.Join(lines[i:], " ")
				return a, true
			}
		}
		if entry.MatchString(text) {
			break
		}
	}
	return a, false
}

// withHelp gives lines the help texts of entries of the same name: those in the same file, or else those with a name
// that few things have, or with the same value. It returns the lines, and the entries but for documents that repeat a
// line.
func withHelp(all, entries []amount) []amount {
	helps := make(map[string][]int) // by name
	for i, e := range entries {
		helps[normal(e.name)] = append(helps[normal(e.name)], i)
	}
	all = slices.DeleteFunc(all, func(a amount) bool { // found as "default = 3"
		return slices.ContainsFunc(entries, func(e amount) bool { return e.path == a.path && e.line == a.line })
	})
	known := make(map[int]bool)
	for i := range all {
		a := &all[i]
		ids := helps[normal(a.name)]
		same := slices.DeleteFunc(slices.Clone(ids), func(k int) bool { return entries[k].path != a.path })
		if len(same) > 0 {
			ids = same
		} else if len(partsOf(a.name)) < 2 { // many things have a limit
			ids = slices.DeleteFunc(slices.Clone(ids), func(k int) bool { return !sameNumber(entries[k].value, a.value) })
		}
		for _, k := range ids {
			a.help += " " + entries[k].help
			known[k] = known[k] || entries[k].documented
		}
	}
	for k, e := range entries {
		if !known[k] {
			all = append(all, e)
		}
	}
	return all
}

var noDigits = lazyregexp.New(`\D+`)

// sameNumber reports whether two values have the same digits.
func sameNumber(a, b string) bool {
	return noDigits.ReplaceAllLiteralString(a, "") == noDigits.ReplaceAllLiteralString(b, "")
}
