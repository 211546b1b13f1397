package sessions

import (
	"cmp"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/sessionfile"
	"github.com/forayhq/foray/providers"
)

// A converter makes the records of a session from the messages of another agent: a run for each prompt, a step for each
// answer.
type converter struct {
	from    *sessionfile.Run
	window  *contextwindow.Window
	records []session.Record
	saved   int // entries of the window that the records have
	steps   int // of the run
	text    string
}

// wide is the budget of a conversation that is not shortened.
const wide = 1 << 30

func recordsOf(from *sessionfile.Run) ([]session.Record, error) {
	units, err := transcript.Units(from.Messages)
	if err != nil {
		return nil, err
	}
	c := &converter{from: from, window: contextwindow.New(contextwindow.BudgetOf(wide, 0, contextwindow.Off), nil)}
	c.window.Open(contextwindow.Prefix{System: from.System})
	for i, unit := range units {
		head := unit[0]
		if i == 0 {
			head.Origin = transcript.Prompt
		}
		begins := head.Role == transcript.User && (i == 0 || c.steps > 0)
		if begins && i > 0 {
			c.end()
		}
		if _, err := c.window.Append(head, unit[1:]...); err != nil {
			return nil, err
		}
		switch {
		case begins:
			c.begin(head.Text)
		case head.Role == transcript.Assistant:
			c.step(unit)
		}
	}
	c.end()
	for i := range c.records {
		c.records[i].Time = from.Created
	}
	return c.records, nil
}

// begin begins a run with a prompt.
func (c *converter) begin(prompt string) {
	c.records = append(c.records, session.Record{Run: &session.Run{
		Agent: c.from.Source, Model: cmp.Or(c.from.Model, "unknown"), Profile: contextwindow.Off, Limit: wide,
		Prompt: prompt, Folder: c.from.Dir,
	}})
	c.grow()
}

// grow adds the entries that the log grew by.
func (c *converter) grow() {
	if entries := c.window.Entries(c.saved); len(entries) > 0 {
		c.records = append(c.records, session.Record{Entries: entries})
		c.saved += len(entries)
	}
}

// step adds an answer with its results.
func (c *converter) step(unit []transcript.Message) {
	head := unit[0]
	c.steps++
	said := session.Step{Number: c.steps, Text: head.Text, Finish: providers.Stop}
	step := &session.Stepped{Step: said, Taken: c.steps}
	for i, call := range head.Calls {
		result := unit[i+1]
		step.Step.Finish = providers.Calls
		step.Step.Calls = append(step.Step.Calls, session.StepCall{
			Name: call.Name, Args: call.Args, Result: result.Text, Failed: result.Failed,
		})
		rec := session.ToolRecord{Step: c.steps, Call: call, Made: call}
		if result.Failed {
			rec.Error = result.Text
		}
		step.Tools = append(step.Tools, rec)
	}
	c.text = cmp.Or(head.Text, c.text)
	c.grow()
	c.records = append(c.records, session.Record{Step: step})
}

// end ends a run.
func (c *converter) end() {
	c.grow()
	c.records = append(c.records, session.Record{End: &session.End{
		Stop: string(agent.Answered), Text: c.text, Steps: c.steps,
	}})
	c.steps, c.text = 0, ""
}
