package contextbuilder_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// pasted is a message with many lines that differ, and one of the user's in the middle.
func pasted(name, remark string) string {
	lines := make([]string, 120)
	for i := range lines {
		lines[i] = fmt.Sprintf("\t%s[%d] = compute(%d, base+%d)", name, i, i*7, i*13)
	}
	lines[60] = remark
	return "Read this for now.\n\n" + strings.Join(lines, "\n")
}

// longChat says things early that the window cannot show at its end.
func longChat() (th thread) {
	th.say(transcript.User, "We ship the release on 14 May.")
	th.say(transcript.Assistant, "Noted.")
	th.say(transcript.User, pasted("alpha", "// ours: ticket HRN-2291 asks for a metric here"))
	th.say(transcript.Assistant, "I have read it.")
	th.say(transcript.User, pasted("beta", "// 我们：账单的截止时间是九十秒"))
	th.say(transcript.Assistant, "I have read it.")
	th.say(transcript.User, "We want the release on 21 May and not before.")
	th.say(transcript.Assistant, "Noted.")
	for i := range 4 {
		th.say(transcript.User, pasted(fmt.Sprintf("gamma%d", i), "// nothing"))
		th.say(transcript.Assistant, "I have read it.")
	}
	th.say(transcript.User, "Which ticket was that?")
	th.say(transcript.Assistant, "I do not know.")
	return th
}

// What the window does not show any more comes back as lines when the user asks about it, and only then.
func TestEarlierLines(t *testing.T) {
	th := longChat()
	for input, want := range map[string]string{
		"Which ticket did our remark name?":                                "[3] // ours: ticket HRN-2291 asks for a metric here",
		"Which ticket did the remark beside gamma3, the last paste, name?": "[3] // ours: ticket HRN-2291 asks for a metric here",
		"账单的截止时间是多少？":                                                      "[5] // 我们：账单的截止时间是九十秒",
		"我记得之前贴过一段很长的代码，里面有一行是我们自己写的备注，账单的截止时间到底是多少来着？请直接告诉我。": "[5] // 我们：账单的截止时间是九十秒",
		"Thanks, that is all for today.":     "",
		"What do you know about kubernetes?": "",
	} {
		c := contextbuilder.Config{Total: 6_000, Recent: th.Recent}
		got := build(t, c, contextbuilder.Query{Input: input, Thread: "t", From: 1, Whole: 9})
		text, found := got.Prompt.Text, strings.Contains(got.Prompt.Text, contextbuilder.TypeEarlierLines)
		if found != (want != "") || !strings.Contains(text, want) {
			t.Errorf("%s: want %q in\n%s", input, want, text)
		}
		if n := strings.Count(text, "\n["); n > 6 {
			t.Errorf("%s: %d lines", input, n)
		}
		if len(got.Known) > 0 {
			t.Errorf("lines of the thread are no block of a source: %+v", got.Known)
		}
	}
}

// The best line comes first: the last ones are left out where the block has no room.
func TestBestEarlierLineFirst(t *testing.T) {
	th := longChat()
	best := "// our remark names ticket HRN-2291 for a metric"
	th[2].Text = strings.Replace(th[2].Text, "// ours: ticket HRN-2291 asks for a metric here", best, 1)
	th[2].Text = strings.Replace(th[2].Text, "compute(280,", `ticket(0, "some remark of the old code names a ticket",`, 1)
	got := build(t, contextbuilder.Config{Total: 6_000, Recent: th.Recent},
		contextbuilder.Query{Input: "Which ticket did the remark about a metric name?", Thread: "t", From: 1, Whole: 9})
	first, second := strings.Index(got.Prompt.Text, best), strings.Index(got.Prompt.Text, "old code")
	if first < 0 || second < first {
		t.Errorf("the best line is at %d, the other at %d:\n%s", first, second, got.Prompt.Text)
	}
}

// A statement does not come back beside the correction that the window shows.
func TestEarlierLinesAreNotOlderThanShown(t *testing.T) {
	th := longChat()
	th.say(transcript.User, "Once more: we ship the release on 21 May.")
	th.say(transcript.Assistant, "Noted.")
	got := build(t, contextbuilder.Config{Total: 6_000, Recent: th.Recent},
		contextbuilder.Query{Input: "When do we ship the release?", Thread: "t", From: 1, Whole: 9})
	if strings.Contains(got.Prompt.Text, "14 May") {
		t.Errorf("the superseded date is back:\n%s", got.Prompt.Text)
	}
}

// Another statement about the same subject is no correction: both are there.
func TestEarlierLinesBesideOthers(t *testing.T) {
	var th thread
	th.say(transcript.User, "In staging our service listens on port 7443 behind the old balancer.")
	th.say(transcript.Assistant, "Noted.")
	th = append(th, longChat()...)
	for i := range th {
		th[i].Seq = int64(i + 1)
	}
	th.say(transcript.User, "The production port is 8443.")
	th.say(transcript.Assistant, "Noted.")
	got := build(t, contextbuilder.Config{Total: 6_000, Turns: 4, Recent: th.Recent},
		contextbuilder.Query{Input: "Which ports do we have?", Thread: "t", From: 3, Whole: 11})
	if !strings.Contains(got.Prompt.Text, "7443") || !strings.Contains(bytesOf(got), "8443") {
		t.Errorf("a port is missing:\n%s", got.Prompt.Text)
	}
}

// A summary that has the words of a statement without its value does not keep the statement away.
func TestEarlierLinesBesideASummary(t *testing.T) {
	c := contextbuilder.Config{Total: 6_000, Recent: longChat().Recent,
		Summary: summary{text: "Main topics\n- the ticket that our remark names", last: 8}}
	got := build(t, c, contextbuilder.Query{Input: "Which ticket did our remark name?", Thread: "t"})
	if got.Stats.Window.Covered != 8 || !strings.Contains(got.Prompt.Text, "HRN-2291") {
		t.Errorf("the summary covers %d messages:\n%s", got.Stats.Window.Covered, got.Prompt.Text)
	}
}

// remembering is a memory of what a thread said first.
type remembering struct{ thread string }

func (m remembering) Top(context.Context, string, int) ([]contextbuilder.Memory, error) {
	return nil, nil
}

func (m remembering) Search(context.Context, contextbuilder.MemoryQuery) ([]contextbuilder.Memory, error) {
	return []contextbuilder.Memory{{Text: "We ship the release on 14 May.", Category: "user_preference", Thread: m.thread}}, nil
}

// A memory of this thread does not say again what the window shows or has corrected. Those of other threads stay.
func TestMemoriesOfWhatIsShown(t *testing.T) {
	var th thread
	th.say(transcript.User, "We changed our mind: the release ships on 21 May.")
	th.say(transcript.Assistant, "Noted.")
	for thread, want := range map[string]bool{"t": false, "other": true, "": true} {
		c := contextbuilder.Config{Recent: th.Recent, Memories: remembering{thread}, Similarity: .1}
		q := contextbuilder.Query{Input: "When does the release ship?", Thread: "t", User: "u"}
		got := build(t, c, q)
		if has := strings.Contains(got.Prompt.Text, "14 May"); has != want {
			t.Errorf("a memory from %q is shown: %v\n%s", thread, has, got.Prompt.Text)
		}
		builder, err := contextbuilder.New(c)
		if err != nil {
			t.Fatal(err)
		}
		notes, _, err := builder.Refresh(context.Background(), q, got.Known)
		builder.Close()
		if err != nil || len(notes) > 0 {
			t.Errorf("a memory from %q comes back in a note: %+v, %v", thread, notes, err)
		}
	}
}
