package textcalls

import (
	"encoding/json"
	"slices"

	"github.com/forayhq/foray/providers"
)

// A call is what the model wrote: the name of an offered tool and its arguments, a JSON object.
type call struct {
	name  string
	args  json.RawMessage
	whole bool // both were written
}

// normalize turns the arguments into an object, as native calls have them. It reports false if they cannot be one, or
// are the tool's schema.
func (c *call) normalize() bool {
	var inner string
	switch {
	case len(c.args) == 0 || string(c.args) == "null":
		c.args = json.RawMessage("{}")
	case json.Unmarshal(c.args, &inner) == nil:
		c.args = providers.Arguments(inner)
	default:
		c.args = providers.Arguments(string(c.args))
	}
	var schema struct {
		Type       string
		Properties map[string]any
	}
	if json.Unmarshal(c.args, &schema) == nil && schema.Type == "object" && schema.Properties != nil {
		return false
	}
	_, unparsed := providers.Unparsed(c.args)
	return !unparsed
}

// objects reads calls in JSON: one, several, or a list.
func (p *parser) objects() ([]call, bool) {
	var calls []call
	listed := p.take('[')
	for {
		p.space()
		if !p.at("{") {
			break
		}
		c, ok := p.object()
		if !ok || !c.normalize() {
			return nil, false
		}
		calls = append(calls, c)
		if p.space(); !p.take(',') {
			p.take(';')
		}
	}
	return calls, len(calls) > 0 && (!listed || p.take(']') || p.unclosed())
}

// object reads a call in JSON. It fails at the first key or name that no call has.
func (p *parser) object() (c call, ok bool) {
	named, argued := false, false
	ok = p.members(func(key string) bool {
		var ok bool
		switch {
		case key == "function" && p.at("{"):
			c, ok = p.object()
			named, argued = true, c.whole
		case slices.Contains(nameKeys, key):
			c.name, ok = p.short()
			named, ok = true, ok && p.tools.has(c.name)
		case slices.Contains(argumentKeys, key):
			c.args, ok = p.raw()
			argued = true
		case slices.Contains(otherKeys, key):
			_, ok = p.raw()
		}
		return ok
	})
	c.whole = named && argued
	return c, ok && named
}
