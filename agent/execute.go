package agent

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/toolcall"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// run makes the calls of a step: those without effects side by side, those with effects one by one and in order.
// Records and results are in the order of the calls; the ends are yielded as they come. A call with an error in
// tooLarge is not made. In a session, what is known of the calls of an earlier process is taken, and calls with effects
// are written before and after they are made. The error is errWaiting, or that of the session.
func (x *executor) run(calls []transcript.ToolCall, tooLarge []error) ([]ToolRecord, []transcript.Message, error) {
	var reader *contextwindow.Reader
	records, results := make([]ToolRecord, len(calls)), make([]transcript.Message, len(calls))
	ready := make([]*tools.Tool, len(calls))
	for i, c := range calls {
		records[i] = ToolRecord{Step: x.step.Number, Call: c, Made: c}
		if records[i].Err = tooLarge[i]; records[i].Err == nil {
			ready[i], records[i].Err = x.admit(i, &records[i])
		}
		if reader == nil && records[i].Made.Name == toollimit.ReadTool {
			reader = x.window.Reader()
		}
	}
	if err := x.make(records, results, ready, reader); err != nil {
		return nil, nil, err
	}
	x.pending = nil
	for i, c := range calls {
		m := &results[i]
		m.Role, m.CallID, m.Name = transcript.Tool, c.ID, c.Name
		if err := records[i].Err; err != nil {
			m.Kind, m.Text, m.Failed = toollimit.Error, err.Error(), true
		}
		if notes := records[i].Notes; len(notes) > 0 && m.Kind != toollimit.JSON {
			m.Text = "note: " + line.Truncate(line.Single(strings.Join(notes, "; ")), maxNotes) + "\n" + m.Text
		}
	}
	return records, results, nil
}

// make makes the calls that are ready: side by side, or alone.
func (x *executor) make(
	records []ToolRecord, results []transcript.Message, ready []*tools.Tool, reader *contextwindow.Reader,
) error {
	if slices.ContainsFunc(ready, hasEffects) {
		if err := x.journaling(); err != nil {
			return err
		}
	}
	for from := 0; from < len(records); {
		if x.recall(from, &records[from], &results[from]) {
			from++
			continue
		}
		effects, to := hasEffects(ready[from]) || x.isUnknown(from), from+1
		for !effects && to < len(records) && !hasEffects(ready[to]) && !x.isUnknown(to) && !x.knows(to) {
			to++
		}
		b := batch{
			executor: x, records: records[from:to], results: results[from:to], tools: ready[from:to],
			first: from, reader: reader,
		}
		if effects {
			settled, err := x.settle(from, ready[from], &records[from], &results[from])
			if err != nil {
				return err
			}
			if settled {
				from = to
				continue
			}
		}
		b.run()
		x.journal.bound(b.records, b.results)
		if err := x.journal.ended(from, b.records, b.results, effects); err != nil {
			return err
		}
		from = to
	}
	return nil
}

func hasEffects(t *tools.Tool) bool { return t != nil && t.Effects }

// maxNotes is how much of the notes on a call its result begins with, in runes.
const maxNotes = 300

// admit returns the tool of a call, or why the call is not made. It sets what was understood.
func (x *executor) admit(i int, rec *ToolRecord) (*tools.Tool, error) {
	c := &rec.Made
	if limit := x.config.Limits.CallsPerStep; limit > 0 && i >= limit {
		return nil, fmt.Errorf("%w: limit %d calls a step; call again in the next step", errNotExecuted, limit)
	}
	tool, ok := x.tools.Lookup(c.Name)
	if !ok {
		return x.meant(rec)
	}
	if x.typed.takes(c.Name) {
		return &tool, nil
	}
	args, notes, err := x.tools.Understand(c.Name, c.Args)
	if c.Args, rec.Notes = args, notes; err != nil {
		bad := (*tools.ArgumentError)(nil)
		if _, unparsed := providers.Unparsed(c.Args); unparsed && errors.As(err, &bad) {
			return nil, fmt.Errorf("%w\nthe schema of the arguments is %s", err, tool.Schema)
		}
		return nil, err
	}
	return &tool, nil
}

// meant returns the tool that another agent calls by the name of the call, if the arguments fit it and it only reads.
func (x *executor) meant(rec *ToolRecord) (*tools.Tool, error) {
	names := make([]string, len(x.tools.schemas))
	for i, s := range x.tools.schemas {
		names[i] = s.Name
	}
	tool, ok := x.tools.Lookup(toolcall.Name(rec.Call.Name, names))
	if !ok || tool.Effects || x.typed.takes(tool.Name) {
		return nil, x.unknownTool(rec.Call.Name)
	}
	args, notes, err := x.tools.Understand(tool.Name, rec.Call.Args)
	if err != nil {
		return nil, x.unknownTool(rec.Call.Name)
	}
	rec.Made.Name, rec.Made.Args = tool.Name, args
	rec.Notes = append([]string{storableName(rec.Call.Name) + " was read as " + tool.Name}, notes...)
	return &tool, nil
}

func (x *executor) unknownTool(name string) error {
	if x.tools.own == 0 {
		return fmt.Errorf("there is no tool %q: this run has no tools; answer in text", name)
	}
	names := make([]string, len(x.tools.schemas))
	for i, s := range x.tools.schemas {
		names[i] = s.Name
	}
	return fmt.Errorf("there is no tool %q; nearest: %s; tools: %v", name, x.tools.Nearest(name), names)
}

// storable returns calls in a form that every service accepts in later requests. The name of an unknown tool keeps only
// letters, digits, "_" and "-"; arguments that are not a JSON object are wrapped in one. The results of these calls
// say what was wrong.
func (x *executor) storable(calls []transcript.ToolCall) []transcript.ToolCall {
	out := make([]transcript.ToolCall, len(calls))
	for i, c := range calls {
		if _, known := x.tools.Lookup(c.Name); !known {
			c.Name = storableName(c.Name)
		}
		if text, bad := providers.Unparsed(c.Args); bad {
			c.Args = wrapArguments(text)
		}
		out[i] = c
	}
	return out
}

// withIDs returns calls with unique ids in UTF-8, and names no longer than a tool can have. A call without an id, or
// with a duplicate one, gets a new one.
func withIDs(calls []transcript.ToolCall, step int) []transcript.ToolCall {
	out := make([]transcript.ToolCall, len(calls))
	own := make(map[string]bool, len(calls))
	for i, c := range calls {
		c.ID, c.Name = strings.ToValidUTF8(c.ID, "\uFFFD"), line.Truncate(c.Name, maxCallName)
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

// maxKept is how much is kept of arguments that are too large, in bytes.
const maxKept = 200

// cutArguments replaces arguments that are too large to decode with an object that holds their beginning, so that
// nobody else reads them. It returns why by call.
func cutArguments(calls []transcript.ToolCall) []error {
	tooLarge := make([]error, len(calls))
	for i := range calls {
		c := &calls[i]
		if err := toolcall.Bounded(c.Args); err != nil {
			tooLarge[i] = fmt.Errorf("invalid arguments for %s: %w", storableName(c.Name), err)
			c.Args = wrapArguments(strings.ToValidUTF8(string(c.Args[:min(len(c.Args), maxKept)]), ""))
		}
	}
	return tooLarge
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
