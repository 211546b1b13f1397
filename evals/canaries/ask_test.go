package canaries

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/toollimit"
)

// reader answers as a model that reads well and never guesses: with what a line has between the texts around the gap.
func reader(req *providers.Request) scripted.Line {
	question := req.Messages[len(req.Messages)-1].Text
	before, after, _ := strings.Cut(question[strings.LastIndex(question, "\n")+1:], gapText)
	for _, m := range req.Messages[:len(req.Messages)-1] {
		for line := range strings.Lines(m.Text) {
			_, rest, begins := strings.Cut(line, before)
			end := strings.LastIndex(rest, after)
			switch fields := strings.Fields(rest[:max(end, 0)]); {
			case !begins || len(fields) == 0:
			case before == "":
				return scripted.Text(strings.Join(fields[max(0, len(fields)-2):], " "))
			default:
				return scripted.Text(strings.Join(fields[:min(2, len(fields))], " "))
			}
		}
	}
	return scripted.Text("Unknown.")
}

func askConfig(t *testing.T, model providers.Model, list string) Config {
	t.Helper()
	return Config{Budgets: []int{4_000}, Policies: strings.Split(list, ","), Windows: []int{3}, Languages: []string{"en"},
		Sessions: 2, Split: "dev", Seed: 5, Model: model, Gaps: 15}
}

// TestAsk asks a model that reads well. It finds what it sees and nothing else, and all questions after one view
// follow each other, so that a server reads the view once.
func TestAsk(t *testing.T) {
	model := scripted.New(scripted.Repeat(1_000, scripted.Func(reader)))
	cfg := askConfig(t, model, "none,trim")
	var said []string
	var transcripts bytes.Buffer
	cfg.Say, cfg.Transcripts = func(line string) { said = append(said, line) }, &transcripts
	r, err := Ask(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		if row.Gaps != 15 || row.Wrong > 0 {
			t.Errorf("%+v: want 15 gaps and no invented answer", row)
		}
		switch name := row.Condition + row.Policy; {
		case name == "viewnone" && (row.Right < 15 || row.Visible != 15):
			t.Errorf("%+v: everything was visible", row)
		case (name == "list" || name == "full") && (row.Right < 15 || row.Visible != 15):
			t.Errorf("%+v: the list holds every sentence", row)
		case name == "nothing" && (row.Unknown != 15 || row.Visible != 0):
			t.Errorf("%+v: nothing was visible", row)
		case name == "viewtrim" && row.Right > row.Visible:
			t.Errorf("%+v: found what it did not see", row)
		}
	}
	if len(said) != 2*5 || !strings.HasPrefix(said[0], "en-3-4000-0 (1 of 2), view none: ") {
		t.Errorf("progress: %q", said)
	}
	if n := strings.Count(transcripts.String(), "verdict:  "); n != 5*15 {
		t.Errorf("%d verdicts in the transcripts", n)
	}
	changes := 0
	requests := model.Requests()
	for i, req := range requests {
		last := req.Messages[len(req.Messages)-1]
		if last.Role != transcript.User || !strings.Contains(last.Text, gapText) || *req.Temperature != 0 || req.MaxOutput == 0 {
			t.Errorf("request %d ends with %q", i, last.Text)
		}
		if i > 0 && !samePrefix(requests[i-1].Messages, req.Messages) {
			changes++
		}
	}
	if changes != 2*5-1 {
		t.Errorf("the messages before the question changed %d times", changes)
	}
}

// TestAfterFillsTheBudget checks that the newest turns fill the budget after a list, and begin with a user's message.
func TestAfterFillsTheBudget(t *testing.T) {
	s := specsOf(t, askConfig(t, nil, "none"))[0].session()
	list := []transcript.Message{{Role: transcript.User, Text: "- one"}, {Role: transcript.Assistant, Text: "OK."}}
	full := s.after(list)
	if n := size(full) + toollimit.Tokens(s.system); n > s.budget || n < s.budget/2 {
		t.Errorf("%d of %d tokens", n, s.budget)
	}
	if last := s.units[len(s.units)-1]; full[2].Role != transcript.User || full[len(full)-1].Text != last[len(last)-1].Text {
		t.Errorf("the newest turns are %s … %s", full[2].Role, full[len(full)-1].Text)
	}
}

// TestAskEndless asks a model whose server ignores the length of answers: what arrived is judged.
func TestAskEndless(t *testing.T) {
	endless := scripted.Line{Text: "unknown", Err: &providers.Error{Class: providers.TooLong}}
	r, err := Ask(context.Background(), askConfig(t, scripted.New(scripted.Repeat(0, endless)), "trim"))
	if err != nil || len(r.Rows) == 0 || r.Rows[0].Unknown != r.Rows[0].Gaps {
		t.Errorf("%+v, %v", r, err)
	}
}

func samePrefix(a, b []transcript.Message) bool {
	return len(a) == len(b) && written(a[:len(a)-1]) == written(b[:len(b)-1])
}

// TestAskBreaksOff checks that what was answered before an error is reported.
func TestAskBreaksOff(t *testing.T) {
	model := scripted.New(scripted.Text("unknown"), scripted.Fail(providers.Auth))
	r, err := Ask(context.Background(), askConfig(t, model, "trim"))
	if err == nil || providers.ClassOf(err) != providers.Auth || len(r.Rows) != 1 || r.Rows[0].Gaps != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestMark(t *testing.T) {
	old := say("{unit} is at {=version}.", "the relay", "1.2.3")
	g := gap{item: &item{old: &old, Statement: say("{unit} is at {=version} now.", "the relay", "4.5.6")}}
	for answer, want := range map[string]string{
		"4.5.6": right, "It is 4.5.6.": right, "14.5.6": wrong, "1.2.3": superseded, "": unknown, "Unknown.": unknown,
		"The conversation does not say.": unknown, "不知道": unknown, "seven": wrong,
	} {
		if got := g.mark(answer); got != want {
			t.Errorf("%q is %s, want %s", answer, got, want)
		}
	}
}
