package recall

import (
	"context"
	"encoding/json"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/reread"
)

// ReadWorkingMemory returns the tool that reads again a text that the calling run's window truncated. An agent adds
// such a tool by itself; this one reads from the given memory. If a text has expired, the error names the call that
// returned it.
func ReadWorkingMemory(w *working.Memory) tools.Tool {
	return reread.Tool(func(ctx context.Context) contextwindow.Store { return scope{w, tools.RunFrom(ctx).Scope} })
}

// brief returns the short form of a tool with one text.
func brief(description, field string) tools.Brief {
	return tools.Brief{Description: description, Schema: json.RawMessage(
		`{"type":"object","properties":{"` + field + `":{"type":"string"}},"required":["` + field + `"]}`)}
}

// A scope is the texts of a run, for reading.
type scope struct {
	memory *working.Memory
	id     string
}

func (s scope) Get(id string) (string, error) { return s.memory.Get(s.id, id) }

func (s scope) Put(string, string) error { return working.ErrNoScope }
