// Package reread is the tool with which a model reads again what its window truncated or evicted.
//
// Start with [Tool]. An agent adds it to its runs by itself, see agent.Config.
package reread

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// Tool returns the tool read_working_memory. It reads the texts of the calling run's window, or those of another store:
// open returns it for a call; nil means the window's own.
func Tool(open func(context.Context) contextwindow.Store) tools.Tool {
	t := tools.New(toollimit.ReadTool,
		"Read a shortened text again, by the id in its place, such as s12.1. "+
			"The same call again reads on; the last line of each result says which lines it has.",
		func(ctx context.Context, in input) (excerpt, error) {
			r := new(contextwindow.Reader)
			if run, ok := tools.RunFrom(ctx).Caller.(interface{ Reader() *contextwindow.Reader }); ok && run.Reader() != nil {
				*r = *run.Reader()
			}
			if open != nil {
				r.Store = open(ctx)
			}
			if r.Store == nil {
				return excerpt{}, tools.Problemf("no_memory", "repeat the call whose result was truncated",
					"this run does not keep texts")
			}
			text, err := r.Read(toollimit.Reading{
				ID: in.ID, Line: in.StartLine, Offset: in.Offset, Lines: in.Limit, Find: in.Find,
			})
			found := excerpt{ID: in.ID, Content: text}
			if tools.RunFrom(ctx).Sees && err == nil {
				found.shown = r.Images(in.ID)
			}
			return found, problem(err)
		})
	t.Brief = tools.Brief{Description: "Read a shortened text on, by its id, as s12.1.",
		Schema: json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`)}
	return t
}

type input struct {
	ID        string `json:"id" jsonschema:"minLength=1" doc:"the id"`
	StartLine int    `json:"start_line,omitempty" jsonschema:"minimum=0" doc:"first line; default: read on"`
	Limit     int    `json:"limit,omitempty" doc:"most lines; default: what fits"`
	Offset    int    `json:"offset,omitempty" doc:"bytes of that line to skip, if it is very long"`
	Find      string `json:"find,omitempty" doc:"show only lines that contain this"`
}

// An excerpt is a part of a stored text with its footer.
type excerpt struct {
	ID      string `json:"id"`
	Content string `json:"content"`

	shown []toollimit.Image // of the message or result that the text is from
}

// Images returns the pictures beside the text.
func (e excerpt) Images() []toollimit.Image { return e.shown }

// Text returns the content.
func (e excerpt) Text() (toollimit.Kind, string) { return toollimit.Excerpt, e.Content }

// problem says why there is no excerpt, and what to do.
func problem(err error) error {
	var expired *working.ExpiredError
	var known interface{ Problem() (code, try string) }
	switch {
	case err == nil:
		return nil
	case errors.As(err, &expired):
		return tools.Problemf("expired", again(expired.Entry),
			"the text of %s has expired: %s", expired.Entry.ID, expired.Entry.Gone)
	case errors.As(err, &known):
		code, try := known.Problem()
		return tools.Problemf(code, try, "%v", err)
	}
	return tools.Problemf("no_memory", "repeat the call whose result was truncated", "%v", err)
}

// again says which call returns the text of an entry again.
func again(e working.Entry) string {
	switch {
	case e.Tool == "":
		return "make the call again whose result it was"
	case e.Args == "":
		return "call " + e.Tool + " again, with the arguments that it had"
	}
	return "call " + e.Tool + " " + e.Args + " again"
}
