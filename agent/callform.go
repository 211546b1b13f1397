package agent

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// withIDs returns calls with unique ids in UTF-8. A call without an id, or with a duplicate one, gets a new one.
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

// maxCallName is the longest name of a call that every service accepts, in bytes.
const maxCallName = 64

// storableName returns the name of an unknown tool in the alphabet that every service accepts.
func storableName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	return cmp.Or(name[:min(len(name), maxCallName)], "unnamed")
}

// wrapArguments returns an object that holds arguments which are not one.
func wrapArguments(text string) json.RawMessage {
	object, err := json.Marshal(map[string]string{"unparsed_arguments": text})
	if err != nil {
		return json.RawMessage("{}") // a string always encodes
	}
	return object
}
