package rules

import "github.com/forayhq/foray/internal/rulemodel"

// A use is a line that names a definition elsewhere.
type use struct {
	name string // that was asked for, its last part
	path string
	in   string // definition around; "" for none
	line int
	kind string // "call", "import" or another
	text string
}

// lookedUp takes up definitions of a name of the question; others than of that name are near ones.
func (e *evidence) lookedUp(x *exchange) {
	asked := lastPart(x.args.text("name"))
	for _, item := range x.result.objects("items") {
		s := symbolOf(item)
		if lastPart(s.name) == asked {
			e.at(s.path).add(s)
		} else {
			e.nearest = append(e.nearest, s.name)
		}
	}
}

// references takes up where a name is used.
func (e *evidence) references(result object) {
	name := lastPart(result.text("name"))
	e.defined[name] = max(e.defined[name], len(result.objects("definitions")))
	for _, group := range result.objects("items") {
		for _, r := range group.objects("references") {
			u := use{name: name, path: group.text("path"), in: group.text("symbol"), line: r.number("line"), kind: r.text("kind"), text: r.text("text")}
			if u.path != "" && u.line > 0 && name != "" {
				e.uses = append(e.uses, u)
				e.at(u.path)
			}
		}
	}
}

// usesOf are the lines that name a definition: as references tells them, else hits of a search.
func (r *run) usesOf(name string) []use {
	var all []use
	for _, u := range r.e.uses {
		if u.name == name {
			all = append(all, u)
		}
	}
	if len(all) > 0 || r.offered["references"] {
		return all
	}
	for _, f := range r.e.sorted {
		for _, h := range f.lines {
			if !wholeWord(h.text, name) || h.defines() && lastPart(h.symbol) == name {
				continue
			}
			u := use{name: name, path: f.path, in: h.symbol, line: h.line, text: h.text}
			if calls(h.text, name) {
				u.kind = "call"
			}
			all = append(all, u)
		}
	}
	return all
}

// ask for the uses of the best definitions.
func (r *run) lookUses() []rulemodel.Call {
	var out []rulemodel.Call
	var patterns []string
	blocks := r.called()
	for _, b := range blocks {
		out = append(out, rulemodel.Ask("references", map[string]any{"name": b.name, "path": b.path, "limit": maxUses}, "who uses it, and its tests"))
		patterns = append(patterns, `\b`+quoteName(lastPart(b.name))+`\b`)
	}
	if len(patterns) > 0 && !r.offered["references"] {
		out = append(out, content(patterns, 600, 6, "who uses the best definitions, and their tests"))
	}
	return out
}

const maxUses = 80 // of one definition
