package exact

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
)

// A reason is when the first message of a report comes.
type reason struct {
	messages
	mention
	text  codebase.FileText // the function around it
	guard guard             // what decides in that function; without: who uses the function decides
	sure  bool              // there is a guard, or the line has its condition itself
}

// reason returns when the best mention comes, or false without one.
func (s messages) reason() (r reason, ok bool) {
	all := s.shown()
	if len(all) == 0 {
		return r, false
	}
	r = reason{messages: s, mention: all[0], text: s.around(all[0].path, all[0].line)}
	if len(r.text.Lines) == 0 {
		return r, false
	}
	i := beginning(r.text.Lines, r.line-r.text.StartLine, true)
	if i > 0 && decides(r.text.Lines[i]) {
		r.sure = true
	} else {
		r.guard, r.sure = guardAbove(r.text, i)
	}
	return r, true
}

// findReason looks up what the condition of the message calls or, without a condition, who uses its function.
func (s messages) findReason() (calls []rulemodel.Call) {
	r, ok := s.reason()
	switch {
	case !ok:
	case r.key() != "":
		calls = append(calls, keyCall(r.key()))
	case !r.sure:
		if name, _ := r.holder(); name != "" {
			calls = append(calls, usesCall(name, r.path, maxUses))
		}
	default:
		for _, p := range r.predicates() {
			calls = append(calls, symbolCall(p.name))
		}
		if name := r.limit(); name != "" {
			calls = append(calls, limitCall(name))
		}
	}
	return calls
}

// inGuard matches the name of a constant in a condition.
var inGuard = lazyregexp.New(`\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b`)

// limit returns the constant that the condition of the message compares with, or "".
func (r reason) limit() string { return inGuard.FindString(r.guard.text) }

// limitCall looks for where a constant gets a number or a text.
func limitCall(name string) rulemodel.Call {
	pattern := `\b` + name + `\s*(?::[^=]+)?(?:=|:=|=>)\s*["'\d-]|#\s*define\s+` + name + `\s+["'\d(-]`
	return rulemodel.Ask("search", map[string]any{"pattern": pattern, "case": "sensitive", "context": 0,
		"limit": maxMentions}, "the value of "+name)
}

// addLimit adds the value of that constant.
func (r reason) addLimit(st *report.Statement) {
	found, _ := decoded[codebase.SearchResult](r.Search, limitCall(r.limit()))
	for _, f := range found.Items {
		for _, m := range f.Matches {
			if sideOf(f.Path) == source && comments(m.Text) == 0 {
				st.Text += fmt.Sprintf(". `%s` is set in %s, line %d: `%s`", r.limit(), f.Path, m.Line,
					line.Truncate(strings.TrimSpace(m.Text), maxLineText))
				st.Citations = append(st.Citations, lookup.Cite(f.Path, m.Line, m.Line))
				return
			}
		}
	}
}

// readReason reads the functions that [messages.findReason] found.
func (s messages) readReason() (calls []rulemodel.Call) {
	r, ok := s.reason()
	if !ok {
		return nil
	}
	if u := r.users(); len(u) > 0 {
		calls = append(calls, functionCall(u[0].path, u[0].line))
	}
	if d, _, ok := r.predicate(); ok {
		calls = append(calls, readCall(d.Path, d.Start, d.End))
	}
	return calls
}

// reasonedReport says where a message comes from, and when.
func (s messages) reasonedReport() *report.Report {
	rep := s.messageReport()
	if rep != nil && len(rep.Summary) > 0 {
		s.because(rep)
	}
	return rep
}

// raiserTrust is the confidence of the place that uses what holds the message.
const raiserTrust = .3

// because adds to the first statement of a report when the message comes.
func (s messages) because(rep *report.Report) {
	st := &rep.Summary[0]
	r, ok := s.reason()
	if !ok {
		return
	}
	if r.guard.at > 0 {
		st.Text += ". It " + r.guard.says()
		st.Citations = append(st.Citations, lookup.Cite(r.path, r.guard.at, r.guard.at))
		if d, says, ok := r.predicate(); ok {
			r.addPredicate(st, d, says)
		}
		if r.limit() != "" {
			r.addLimit(st)
		}
		return
	}
	users := r.users()
	if len(users) == 0 {
		return
	}
	u := users[0]
	where := fmt.Sprintf("%s, line %d", u.path, u.line)
	if u.symbol != "" {
		where = fmt.Sprintf("`%s` (%s)", u.symbol, where)
	}
	name, _ := r.holder()
	name = cmp.Or(r.key(), name)
	st.Text += fmt.Sprintf(". `%s` is used in %s: `%s`", leafOf(name), where,
		line.Truncate(strings.TrimSpace(u.text), maxLineText))
	st.Citations = append(st.Citations, lookup.Cite(u.path, u.line, u.line))
	f := s.around(u.path, u.line)
	rep.Places = slices.Insert(rep.Places, min(1, len(rep.Places)), report.Place{Path: u.path, Start: max(1, f.StartLine),
		End: max(1, f.EndLine), Symbol: u.symbol, Why: "uses " + leafOf(name), Confidence: raiserTrust})
	if g, ok := guardOf(f, u.line); ok && !decides(u.text) {
		st.Text += ", which " + g.says()
		st.Citations = append(st.Citations, lookup.Cite(u.path, g.at, g.at))
	}
	if others := slices.DeleteFunc(slices.Clone(users[1:]), func(o use) bool {
		return o.rank > u.rank || testSymbol.MatchString(o.symbol)
	}); len(others) > 0 {
		st.Text += ". Also in " + listed(others, maxNear)
	}
}

// assigned matches a statement that gives a member or a constant its value.
var assigned = lazyregexp.New(`^(\s*)(?:#\s*define\s+(\w+)\s|(?:[\w<>\[\]*&:]+\s+)*(?:\w+(\.|->))?(\w+)(?:\[\])?\s*` +
	`(?::\s*[\w<>&' .\[\]]+)?:?=[^=>])`)

// plainText are names that many things give a text.
var plainText = map[string]bool{"message": true, "msg": true, "text": true, "error": true, "err": true, "title": true,
	"reason": true, "description": true, "label": true, "name": true, "value": true, "detail": true, "help": true}

// inCapitals matches the name of a constant.
var inCapitals = lazyregexp.New(`^[A-Z][A-Z0-9_]+$`)

// holder returns the name of what holds the message, a constant, a function or a member, and what comes before a
// member.
func (r reason) holder() (name, before string) {
	first := r.text.Lines[beginning(r.text.Lines, r.line-r.text.StartLine, true)]
	if name := r.annotated(); name != "" {
		return name, ""
	}
	if m := assigned.FindStringSubmatch(first); m != nil && !plainText[strings.ToLower(m[4])] &&
		(m[2] != "" || m[3] != "" || m[1] == "" || r.text.Symbol == "" || inCapitals.MatchString(m[4])) {
		return m[2] + m[4], m[3]
	}
	name = r.text.Symbol
	if name == "" {
		name = r.symbol
	}
	switch leaf := leafOf(name); {
	case constructors[leaf], saysItself.MatchString(leaf) && ownerOf(name) != "":
		name = ownerOf(name)
	case strings.HasPrefix(leaf, "__"):
		return "", "" // the language calls it
	}
	return name, ""
}

// annotated returns the name of the variant or the type that an attribute with the message belongs to, or "".
func (r reason) annotated() string {
	at := r.line - r.text.StartLine
	first := at
	for first > max(0, at-mostOfAttribute) && !strings.HasPrefix(strings.TrimSpace(r.text.Lines[first]), "#[") {
		first--
	}
	before := strings.Join(r.text.Lines[first:at], " ")
	open := first == at || strings.Count(before, "[") > strings.Count(before, "]")
	if !open || !strings.HasPrefix(strings.TrimSpace(r.text.Lines[first]), "#[") {
		return ""
	}
	for _, text := range r.text.Lines[at:min(at+2*mostOfAttribute, len(r.text.Lines))] {
		if m := ofAttribute.FindStringSubmatch(text); m != nil {
			return m[1]
		}
	}
	return ""
}

// mostOfAttribute is how many lines of an attribute are before its message.
const mostOfAttribute = 3

// ofAttribute matches what an attribute of Rust belongs to.
var ofAttribute = lazyregexp.New(`^\s*(?:pub(?:\([^)]*\))?\s+)?(?:struct\s+|enum\s+)?([A-Z]\w*)\s*(?:[({,;]|$)`)

// keyed matches a message in a table of messages, under the code of it.
var keyed = lazyregexp.New(`^\s*["'\[:]*([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)["'\]]*\s*(?::|=>|=)\s*["'` + "`]")

// variant matches the message of a variant in Rust.
var variant = lazyregexp.New(`^\s*(?:\w+::)+([A-Z]\w*)\b[^=]*=>`)

// key returns the code or the variant that the message has in a table, or "".
func (r reason) key() string {
	if m := keyed.FindStringSubmatch(r.mention.text); m != nil {
		return m[1]
	}
	if m := variant.FindStringSubmatch(r.mention.text); m != nil && path.Ext(r.path) == ".rs" {
		return m[1]
	}
	return ""
}

func keyCall(key string) rulemodel.Call {
	return rulemodel.Ask("search", map[string]any{"patterns": []string{`\b` + key + `\b`}, "context": 0,
		"limit": maxMentions, "max_per_file": 200}, "the code of the message")
}

// keyUsers returns the lines of the source with the code of a message, also in quotes, those that raise it first.
func (r reason) keyUsers(key string) (all []use) {
	found, _ := decoded[codebase.SearchResult](r.Search, keyCall(key))
	for _, item := range found.Items {
		for _, m := range item.Matches {
			u := use{path: item.Path, symbol: m.Symbol, line: m.Line, text: m.Text, rank: 2*truth(m.Symbol == "") +
				truth(!leave.MatchString(m.Text) && !raising.MatchString(m.Text))}
			declares := keyed.MatchString(m.Text) || variant.MatchString(m.Text) ||
				path.Ext(item.Path) == ".rs" && !strings.Contains(m.Text, "::"+key)
			if r.mayRaise(u, key) && !declares {
				all = append(all, u)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b use) int { return a.rank - b.rank })
	return all
}

// constructors are names of methods that are called by the name of their type.
var constructors = map[string]bool{"__init__": true, "constructor": true, "initialize": true, "__construct": true}

// saysItself matches names of methods that return the text of their type, such as that of an error.
var saysItself = lazyregexp.New(`^(?:fmt|Error|String|to_?[sS]tring|to_s|message|getMessage|what|description)$`)

// compares matches a line that only compares with a value, or hands on its name.
var compares = lazyregexp.New(`[=!]==?|\bis(?:not)?\b|errors\.(?:Is|As)|instanceof|^\s*(?:case|catch|except|rescue|` +
	`export|module\.exports)\b`)

// users returns the lines of the source that use what holds the message, those that raise it first.
func (r reason) users() (all []use) {
	if r.sure {
		return nil
	}
	if key := r.key(); key != "" {
		return r.keyUsers(key)
	}
	name, member := r.holder()
	if name == "" {
		return nil
	}
	found, _ := decoded[codebase.ReferenceResult](r.Search, usesCall(name, r.path, maxUses))
	function := member == "" && isFunction(found.Definitions)
	for _, g := range found.Items {
		for _, ref := range g.References {
			u := use{path: g.Path, symbol: g.Symbol, line: ref.Line, text: ref.Text}
			u.rank = 4*truth(g.Symbol == "") + 2*truth(!leave.MatchString(ref.Text)) + truth(g.Path != r.path)
			other := foreign(ref.Text, leafOf(name), found.Definitions)
			if !other && ref.Kind != "import" && (ref.Kind == "call" || !function) && r.mayRaise(u, member+leafOf(name)) {
				all = append(all, u)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b use) int { return a.rank - b.rank })
	return all
}

// mayRaise reports whether a use of what holds the message may raise it: it is in the source, in another function, and
// neither compares with it nor declares it.
func (r reason) mayRaise(u use, name string) bool {
	before, _, named := strings.Cut(u.text, name)
	own := u.path == r.path && (u.line == r.line ||
		r.text.Symbol != "" && !inCapitals.MatchString(name) &&
			r.text.StartLine <= u.line && u.line <= r.text.EndLine)
	return named && !own && sideOf(u.path) == source && !compares.MatchString(before) && comments(u.text) == 0 &&
		(u.symbol != "" || !declares(u.text, leafOf(name)))
}

// Bounds of the functions that a condition calls.
const (
	maxPredicates = 3  // functions of one condition
	maxPredicate  = 30 // lines of one
	shortBody     = 6  // lines of a function whose last line is its value
)

// A call is the name of a function that a condition calls.
type call struct {
	name    string
	negated bool // the condition holds if it returns false
}

var (
	// calling matches the call of a function, and a name of Ruby or Elixir for one that answers a question.
	calling = lazyregexp.New(`([A-Za-z_]\w*[?!]?)\s*\(|\b([a-z_]\w*\?)`)
	// negates matches what precedes a call whose result is negated.
	negates = lazyregexp.New(`(?:!|\bnot\s+|\bunless\s+)\(?[\w.>:@$-]*$`)
)

// predicates returns what the condition of the message calls.
func (r reason) predicates() (all []call) {
	for _, m := range calling.FindAllStringSubmatchIndex(r.guard.text, maxPredicates) {
		from, to := max(m[2], m[4]), max(m[3], m[5])
		if m[2] >= 0 && compared.MatchString(afterCall(r.guard.text[m[1]:])) {
			continue
		}
		all = append(all, call{r.guard.text[from:to], negates.MatchString(r.guard.text[:from])})
	}
	return all
}

// compared matches what follows a call whose result is only a part of a condition.
var compared = lazyregexp.New(`^\s*(?:[=!]=|[<>.+*/%-]|(?:is|in|instanceof)\b)`)

// afterCall returns what follows the arguments of a call.
func afterCall(text string) string {
	open := 1
	for i, c := range text {
		switch c {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return text[i+1:]
			}
		}
	}
	return ""
}

// predicate returns the only short function of the source that the condition calls, and what decides in it.
func (r reason) predicate() (d codebase.Symbol, negated, ok bool) {
	for _, p := range r.predicates() {
		found, _ := decoded[codebase.SymbolResult](r.Search, symbolCall(p.name))
		var all []codebase.Symbol
		for _, d := range found.Items {
			if leafOf(d.Name) == p.name && sideOf(d.Path) == source && isFunction([]codebase.Symbol{d}) {
				all = append(all, d)
			}
		}
		if len(all) == 1 && all[0].End-all[0].Start <= maxPredicate {
			return all[0], p.negated, true
		}
	}
	return d, false, false
}

// addPredicate adds what decides in the body of a function that the condition calls.
func (r reason) addPredicate(st *report.Statement, d codebase.Symbol, negated bool) {
	f, ok := decoded[codebase.FileResult](r.Search, readCall(d.Path, d.Start, d.End))
	if !ok || len(f.Items) == 0 {
		return
	}
	at, text := deciding(f.Items[0], !negated)
	if at == 0 {
		return
	}
	st.Text += fmt.Sprintf("; in `%s` (%s), line %d decides: `%s`", d.Name, d.Path, at,
		line.Truncate(text, maxLineText))
	st.Citations = append(st.Citations, lookup.Cite(d.Path, at, at))
}

var (
	returned = lazyregexp.New(`\breturn\b[\s(]*([^;]*?)[\s)]*;?\s*\}?$`)
	no       = lazyregexp.New(`^(?i:0|false|nil|null|none|nullptr)$`)
	yes      = lazyregexp.New(`^(?i:1|true)$`)
)

// deciding returns the line of a function that decides whether its value is as wanted: the guard of such a value, or an
// expression that it returns.
func deciding(f codebase.FileText, wanted bool) (at int, text string) {
	best := 0
	note := func(worth, n int, says string) {
		if worth > best {
			best, at, text = worth, n, strings.TrimSpace(says)
		}
	}
	for i := len(f.Lines) - 1; i > 0; i-- {
		here := f.Lines[i]
		m := returned.FindStringSubmatch(here)
		if m == nil {
			continue
		}
		literal := yes.MatchString(m[1]) || no.MatchString(m[1])
		g, guarded := guardOf(f, f.StartLine+i)
		if decides(here) {
			g, guarded = guard{at: f.StartLine + i, text: here}, true
		}
		switch {
		case !literal:
			note(2, f.StartLine+i, joinedLine(f.Lines, i))
		case guarded && yes.MatchString(m[1]) == wanted:
			note(3, g.at, g.text)
		case guarded:
			note(1, g.at, g.text)
		}
	}
	for i := len(f.Lines) - 1; best == 0 && len(f.Lines) <= shortBody && i >= 0; i-- {
		if !closing.MatchString(f.Lines[i]) && (i > 0 || len(f.Lines) == 1) {
			note(1, f.StartLine+i, f.Lines[i])
		}
	}
	return at, text
}
