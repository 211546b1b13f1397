package live

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/providers"
)

// searchTool is the tool that the requests of the forms offer.
var searchTool = transcript.ToolSchema{Name: "search", Description: "Search the text of all files.",
	Schema: json.RawMessage(`{"type":"object","properties":{"pattern":{"type":"string",` +
		`"description":"text to find"}},"required":["pattern"]}`)}

// formPrompts are requests that need a call, and requests that need words.
var formPrompts = []struct {
	ask  string
	call string // what the argument of the call must contain; empty: no call
}{
	{"Which files mention ErrTimeout? Search for it.", "ErrTimeout"},
	{"Find out where the function parseConfig is defined in this code base.", "parseConfig"},
	{"Suche die Stellen im Code, an denen retryAfter vorkommt.", "retryAfter"},
	{"Do not use a tool. Show me an example of a JSON object with the keys name and arguments, as a tool call has them.", ""},
	{"What does 2 + 2 make? Answer in words.", ""},
	{"Explain in one sentence what a JSON schema is. Do not search anything.", ""},
}

// maxFormAnswer bounds an answer, in tokens: a call takes 30, an example 60.
const maxFormAnswer = 200

// A formRow is the outcome of the requests in one form.
type formRow struct {
	origin
	Form   string `json:"form"`
	Calls  int    `json:"calls"`  // calls that were needed and made
	Needed int    `json:"needed"` // calls that were needed
	Wrong  int    `json:"wrong"`  // calls made where words were needed
	Words  int    `json:"words"`  // requests that need words
	cost
	Error   string   `json:"error,omitempty"` // the first
	Answers []string `json:"answers"`
}

// forms tries each form of calls.
func (s *session) forms(ctx context.Context) error {
	for _, form := range s.Forms {
		if row, ok := s.earlier.forms[form]; ok {
			s.report.Forms = append(s.report.Forms, row)
			continue
		}
		row, err := s.form(ctx, form)
		if err != nil {
			return err
		}
		s.report.Forms = append(s.report.Forms, row)
		err = s.row(row, "form %s: %d of %d calls, %d of %d wrong ones, %.0f s", form, row.Calls, row.Needed, row.Wrong,
			row.Words, row.Seconds)
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *session) form(ctx context.Context, form string) (formRow, error) {
	row := formRow{origin: s.origin("form"), Form: form, Answers: []string{}}
	m, err := s.Open(form)
	if err != nil {
		return row, fmt.Errorf("opening the model with calls as %s: %w", form, err)
	}
	tapped := &tap{Model: m, log: s.Transcripts}
	zero := 0.0
	took := s.within(ctx, time.Duration(len(formPrompts))*s.Timeout, func(ctx context.Context) {
		for _, p := range formPrompts {
			s.transcript("==== form %s: %s\n\n", form, p.ask)
			answer, err := providers.Ask(ctx, tapped, &providers.Request{
				System:   "You answer questions about a code base. Use the tool when you need to see code.",
				Messages: []transcript.Message{{Role: transcript.User, Text: p.ask}},
				Tools:    []transcript.ToolSchema{searchTool}, MaxOutput: maxFormAnswer, Temperature: &zero,
			})
			if err != nil && row.Error == "" {
				row.Error = err.Error()
			}
			row.add(p.call, answer)
		}
	})
	row.cost = costOf(tapped.reset(given{}), took)
	return row, ctx.Err()
}

// add counts an answer, given what the argument of its call must contain.
func (r *formRow) add(call string, answer *providers.Response) {
	text := answer.Message.Text
	made, fits := len(answer.Message.Calls) > 0, false
	for _, c := range answer.Message.Calls {
		text += fmt.Sprintf("[call %s %s]", c.Name, c.Args)
		fits = fits || c.Name == searchTool.Name && strings.Contains(string(c.Args), call)
	}
	r.Answers = append(r.Answers, text)
	switch {
	case call == "":
		if r.Words++; made {
			r.Wrong++
		}
	default:
		if r.Needed++; fits {
			r.Calls++
		}
	}
}

func (r *Report) formTable() evals.Table {
	t := evals.Table{Title: "Forms of calls: " + r.Model,
		Note:    "Calls: made where one was needed, with the right argument. Wrong: made where words were needed.",
		Columns: []string{"form", "calls", "wrong", "s", "requests", "read", "written", "error"}}
	for _, f := range r.Forms {
		t.Rows = append(t.Rows, append(append([]string{f.Form, strconv.Itoa(f.Calls) + " of " + strconv.Itoa(f.Needed),
			strconv.Itoa(f.Wrong) + " of " + strconv.Itoa(f.Words)}, f.cells()...), f.Error))
	}
	return t
}
