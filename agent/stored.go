package agent

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// withIDs returns calls whose ids are UTF-8 and differ: one without an id, or with one that is taken, gets another.
func withIDs(calls []transcript.ToolCall, step int) []transcript.ToolCall {
	out := make([]transcript.ToolCall, len(calls))
	own := make(map[string]bool, len(calls))
	for i, c := range calls {
		c.ID = strings.ToValidUTF8(c.ID, "\uFFFD")
		own[c.ID] = true
		out[i] = c
	}
	taken := make(map[string]bool, len(calls))
	for i := range out {
		c := &out[i]
		for n := i + 1; c.ID == "" || taken[c.ID]; n++ {
			if id := providers.CallID(step, n); !own[id] {
				c.ID = id
			}
		}
		own[c.ID], taken[c.ID] = true, true
	}
	return out
}

// maxCallName is how long the name of a call may be that no tool has, in bytes: the least that services allow.
const maxCallName = 64

// stored returns calls in a form in which every service takes them back: a name that no tool has is of letters, digits,
// "_" and "-", and what the model wrote in place of an object of arguments stands in one. What is wrong with such a call
// is told by its result.
func (r *run) stored(calls []transcript.ToolCall) []transcript.ToolCall {
	out := make([]transcript.ToolCall, len(calls))
	for i, c := range calls {
		if _, known := r.tools.Lookup(c.Name); !known {
			c.Name = callName(c.Name)
		}
		if text, bad := providers.Unparsed(c.Args); bad {
			c.Args = unparsed(text)
		}
		out[i] = c
	}
	return out
}

func callName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	return cmp.Or(name[:min(len(name), maxCallName)], "unnamed")
}

// unparsed is the object that stands for arguments that are none.
func unparsed(text string) json.RawMessage {
	object, err := json.Marshal(map[string]string{"unparsed_arguments": text})
	if err != nil {
		return json.RawMessage("{}") // a string always encodes
	}
	return object
}
