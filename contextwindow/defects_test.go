package contextwindow

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// The tests of this file each guard against a defect that an earlier design of such a window had.

// words is text of about so many tokens.
func words(tokens int) string {
	var b strings.Builder
	for i := 0; b.Len() < 5*tokens; i++ {
		fmt.Fprintf(&b, "line %d says something\n", i)
	}
	text := b.String()
	for toollimit.Tokens(text) > tokens {
		text = text[:len(text)*tokens/toollimit.Tokens(text)-1]
	}
	return text
}

func window(limit int, p Profile) *Window {
	return New(Budget{Limit: limit, Profile: p}, &Options{ReadTool: toollimit.ReadTool})
}

func mustAppend(t *testing.T, w *Window, m transcript.Message, results ...transcript.Message) {
	t.Helper()
	if _, err := w.Append(m, results...); err != nil {
		t.Fatal(err)
	}
}

func ask(t *testing.T, w *Window, text string) {
	t.Helper()
	mustAppend(t, w, transcript.Message{Role: transcript.User, Text: text})
}

// round appends a message with one call for each result.
func round(t *testing.T, w *Window, results ...string) {
	t.Helper()
	head := transcript.Message{Role: transcript.Assistant}
	var messages []transcript.Message
	for i, text := range results {
		id := fmt.Sprintf("c%d_%d", len(w.units.list), i)
		head.Calls = append(head.Calls, transcript.ToolCall{ID: id, Name: "read", Args: json.RawMessage(fmt.Sprintf(`{"path":"f%d.go"}`, len(w.units.list)))})
		messages = append(messages, transcript.Message{Role: transcript.Tool, CallID: id, Kind: toollimit.File, Text: text})
	}
	mustAppend(t, w, head, messages...)
}

func mustFit(t *testing.T, w *Window) Compaction {
	t.Helper()
	c, err := w.Fit()
	if err != nil {
		t.Fatal(err)
	}
	if u := w.Usage(); u.Tokens > u.Limit {
		t.Fatalf("%d tokens in a budget of %d", u.Tokens, u.Limit)
	}
	checkPairs(t, w.View())
	return c
}

func fill(t *testing.T, w *Window, share float64, result int) {
	t.Helper()
	for w.Usage().Share() < share {
		round(t, w, words(result))
	}
}

func shown(w *Window) string {
	var b strings.Builder
	for _, m := range w.View() {
		b.WriteString(m.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

func TestParallelResultsStayWithTheirCalls(t *testing.T) {
	w := window(4_000, Off)
	ask(t, w, "prompt")
	for range 3 {
		round(t, w, words(400), words(400), words(400), words(400))
	}
	if c := mustFit(t, w); c.Level == 0 || w.View()[0].Text != "prompt" {
		t.Errorf("%v; the view begins with %q", c, w.View()[0].Text)
	}
}

func TestFewMessagesAreCompacted(t *testing.T) {
	w := window(4_000, Off)
	ask(t, w, "prompt")
	round(t, w, words(34_000))
	if n := len(w.View()); n > 4 {
		t.Fatalf("the test wants at most four messages, has %d", n)
	}
	if c := mustFit(t, w); c.Before < 8*4_000 {
		t.Errorf("the test wants eight times the budget, has %v", c)
	}
	if !strings.Contains(shown(w), "s2.1") {
		t.Errorf("no pointer to the result: %.300s", shown(w))
	}
}

func TestLastRoundLargerThanTheBudget(t *testing.T) {
	for _, p := range Profiles() {
		w := window(2_000, p)
		ask(t, w, "prompt")
		round(t, w, words(100))
		round(t, w, words(2_300), words(2_300), words(2_300))
		mustFit(t, w)
		if last := w.View()[len(w.View())-1]; last.Role != transcript.Tool {
			t.Errorf("%s: the newest round left the view, which ends in %v", p, last)
		}
	}
}

func TestOneFitGoesThroughAllLevels(t *testing.T) {
	w := window(8_000, Ladder)
	ask(t, w, "prompt")
	for range 30 {
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(300)})
	}
	c := mustFit(t, w)
	if c.Level != 2 || w.Usage().Share() >= .80 {
		t.Errorf("%v, usage %.2f: want level 2 and less than .80 at once", c, w.Usage().Share())
	}
}

func TestCountsGrowOverFolds(t *testing.T) {
	w := window(8_000, Ladder)
	ask(t, w, "prompt")
	folds := 0
	for range 120 {
		round(t, w, words(380))
		if slices.Contains(mustFit(t, w).Steps, "L2") {
			folds++
		}
	}
	if folds < 2 {
		t.Fatalf("the test wants repeated folds, has %d", folds)
	}
	kept := 0
	for _, m := range w.View() {
		if m.Role == transcript.Tool {
			kept++
		}
	}
	if want := fmt.Sprintf("%d turns with %d results", 120-kept, 120-kept); strings.Count(shown(w), want) != 1 {
		t.Errorf("want %q once in:\n%.400s", want, shown(w))
	}
	if n := strings.Count(shown(w), "<record>"); n != 1 {
		t.Errorf("%d records in the view", n)
	}
}

func TestL1IsNotSkipped(t *testing.T) {
	w := window(24_000, Ladder)
	ask(t, w, "prompt")
	fill(t, w, .35, 1_000)
	for range 11 {
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(1_000)})
	}
	if u := w.Usage().Share(); u < .80 || u > 1 {
		t.Fatalf("the test wants a jump over the band of L1, has %.2f", u)
	}
	c := mustFit(t, w)
	if len(c.Steps) == 0 || c.Steps[0] != "L1" {
		t.Errorf("%v does not begin with L1", c)
	}
	if c.Level != 1 {
		t.Errorf("%v goes on although L1 was enough", c)
	}
}

func TestNothingToDoIsLevelZero(t *testing.T) {
	w := window(24_000, Ladder)
	ask(t, w, "prompt")
	for w.Usage().Share() < .65 {
		round(t, w, words(250))
	}
	before := slices.Clone(w.View())
	if c := mustFit(t, w); c.Level != 0 || len(c.Steps) != 0 {
		t.Errorf("%v at %.2f, though no result is long enough", c, w.Usage().Share())
	}
	if !cmp.Equal(before, w.View()) || len(w.Compactions()) != 0 {
		t.Error("a compaction of level 0 changed the view or the log")
	}
}

func TestTextOnlyConversation(t *testing.T) {
	w := window(8_000, Ladder)
	ask(t, w, "prompt")
	for i := range 40 {
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(250)})
		ask(t, w, fmt.Sprintf("follow-up %d about topic_%d", i, i))
		if c := mustFit(t, w); c.Level > 2 {
			t.Fatalf("after %d turns: %v", i, c)
		}
	}
	for i := range 40 {
		if want := fmt.Sprintf("follow-up %d about topic_%d", i, i); !strings.Contains(shown(w), want) {
			t.Errorf("%q left no trace", want)
		}
	}
}

func TestHistoryGoesBeforeThePrompt(t *testing.T) {
	w := window(8_000, Ladder)
	for i := range 12 {
		mustAppend(t, w, transcript.Message{Role: transcript.User, Text: fmt.Sprintf("old question %d", i), Origin: transcript.History})
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(500), Origin: transcript.History})
	}
	ask(t, w, "the prompt")
	round(t, w, words(900))
	round(t, w, words(900))
	round(t, w, words(900))
	c := mustFit(t, w)
	rounds := 0
	for _, m := range w.View() {
		if m.Role == transcript.Tool {
			rounds++
		}
	}
	if !strings.Contains(shown(w), "the prompt") || rounds != 3 {
		t.Errorf("%v: the prompt or a round went before the history: %d rounds", c, rounds)
	}
	if last := w.View(); !strings.Contains(shown(w), "old question 11") || last[0].Text == "old question 0" {
		t.Errorf("not the oldest turns went first: %.200q", shown(w))
	}
}

// submit appends a call that hands in an item.
func submit(t *testing.T, w *Window, title string, failed bool) {
	t.Helper()
	id := fmt.Sprintf("c%d", len(w.units.list))
	args, err := json.Marshal(map[string]string{"title": title})
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: id, Name: "submit", Args: args}}},
		transcript.Message{Role: transcript.Tool, CallID: id, Kind: toollimit.Receipt, Failed: failed, Text: "status: done"})
}

func TestKeptListHoldsWhatWasAccepted(t *testing.T) {
	w := window(8_000, Ladder)
	ask(t, w, "prompt")
	submit(t, w, "Alpha", false)
	submit(t, w, "Beta", true)
	submit(t, w, "Alpha", false)
	for range 400 {
		submit(t, w, fmt.Sprintf("a finding with a rather long title, number %d", len(w.units.list)), false)
	}
	round(t, w, words(300))
	round(t, w, words(300))
	mustFit(t, w)
	line := ""
	for l := range strings.Lines(shown(w)) {
		if strings.HasPrefix(l, "Submitted") {
			line = l
		}
	}
	if !strings.HasPrefix(line, "Submitted and accepted (401)") || strings.Contains(line, "Beta") {
		t.Errorf("kept list: %.200s", line)
	}
	if tokens := toollimit.Tokens(line); tokens > w.shareOf(submittedShare) || !strings.Contains(line, "more") {
		t.Errorf("the kept list takes %d tokens: %.100s", tokens, line)
	}
}

func TestStageKeepsWhatWasSubmitted(t *testing.T) {
	w := window(8_000, Ladder)
	ask(t, w, "first stage")
	submit(t, w, "Alpha", false)
	round(t, w, words(400))
	if err := w.ResetStage(); err != nil {
		t.Fatal(err)
	}
	ask(t, w, "second stage")
	mustFit(t, w)
	view := w.View()
	if view[0].Text != "second stage" || strings.Contains(shown(w), "first stage\n") && len(view) > 2 {
		t.Errorf("the stage opens with %.300q", shown(w))
	}
	if !strings.Contains(shown(w), "Alpha") {
		t.Errorf("the submission is forgotten: %.300q", shown(w))
	}
	round(t, w, "a result")
	if got := w.View()[len(view)].Calls[0].ID; got != "c4_0" {
		t.Errorf("the stage goes on with %q", got)
	}
}

func TestWholeRequestIsCounted(t *testing.T) {
	w := window(4_000, Off)
	w.Open(Prefix{System: words(1_500), Tools: []transcript.ToolSchema{{Name: "read", Description: words(500), Schema: json.RawMessage(`{"type":"object"}`)}}})
	ask(t, w, "prompt")
	if got := w.Usage().Tokens; got < 2_000 {
		t.Errorf("system prompt and schemas count %d tokens", got)
	}
	round(t, w, words(2_500))
	if c := mustFit(t, w); c.Level == 0 {
		t.Error("system prompt and schemas were left out of the budget")
	}
	w = window(4_000, Off)
	w.Open(Prefix{System: words(5_000)})
	ask(t, w, "prompt")
	round(t, w, "evictable, and so no part of what is too large")
	_, err := w.Fit()
	sizes := (*IrreducibleError)(nil)
	if !errors.Is(err, ErrIrreducible) || !errors.As(err, &sizes) || sizes.System < 4_900 || sizes.Limit != 4_000 || sizes.Rest != 0 {
		t.Errorf("a system prompt larger than the budget gives %v", err)
	}
}

func TestViewIsNotTheLiveArray(t *testing.T) {
	w := window(24_000, Ladder)
	ask(t, w, "prompt")
	round(t, w, words(100))
	view := w.View()
	held := slices.Clone(view)
	_ = append(view, transcript.Message{Role: transcript.User, Text: "scribble"})
	w.Note("status", "a note")
	round(t, w, words(100))
	if strings.Contains(shown(w), "scribble") {
		t.Error("what a caller appends shows in the window")
	}
	if !cmp.Equal(view, held) {
		t.Error("a view that was handed out changed")
	}
	fill(t, w, .85, 900)
	mustFit(t, w)
	if !cmp.Equal(view, held) {
		t.Error("a compaction changed a view that was handed out")
	}
}

func TestOriginalsSurvive(t *testing.T) {
	store := newMapStore()
	w := New(Budget{Limit: 2_000, Profile: Ladder}, &Options{Store: store})
	ask(t, w, "prompt")
	var texts []string
	for i := range 20 {
		texts = append(texts, fmt.Sprintf("result %d\n%s", i, words(700)))
		round(t, w, texts[i])
		mustFit(t, w)
	}
	for i, want := range texts {
		id := partID{step: i + 2, part: 1}.String()
		if got, err := store.Get(id); err != nil || got != want {
			t.Errorf("%s: %v, %d bytes, want %d", id, err, len(got), len(want))
		}
		if got := w.units.list[i+1].Messages[1].Text; got != want {
			t.Errorf("the log holds %d bytes of result %d, want %d", len(got), i, len(want))
		}
	}
}

func TestNotesDoNotPileUp(t *testing.T) {
	w := window(8_000, Ladder)
	ask(t, w, "prompt")
	for i := range 60 {
		round(t, w, words(150))
		w.Note("nudge", fmt.Sprintf("nudge number %d", i))
		w.Note("status", "always the same")
		mustFit(t, w)
	}
	view := w.View()
	for i, m := range view {
		if m.Role == transcript.User && i > 0 && m.Origin != transcript.Runtime {
			t.Errorf("a note became a message of the user: %q", m.Text)
		}
	}
	if last := view[len(view)-1].Text; !strings.Contains(last, "nudge number 59") {
		t.Errorf("the newest note is not behind the newest message: %q", last)
	}
	rounds := len(w.view.slots)
	if n := strings.Count(shown(w), "nudge number"); n > rounds {
		t.Errorf("%d nudges behind %d messages", n, rounds)
	}
	if n := strings.Count(shown(w), "always the same"); n > 3 {
		t.Errorf("an unchanged status stands %d times", n)
	}
}

func TestEmptyCallsAreNoRound(t *testing.T) {
	w := window(24_000, Ladder)
	ask(t, w, "prompt")
	mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: "thinking", Calls: []transcript.ToolCall{}})
	if got := w.View()[1]; got.Calls != nil || got.Text != "thinking" {
		t.Errorf("%+v", got)
	}
	_, err := w.Append(transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{}}, transcript.Message{Role: transcript.Tool, CallID: "x"})
	if !errors.Is(err, transcript.ErrUnpaired) {
		t.Errorf("a result without a call: %v", err)
	}
}

func TestAppendTakesOnlyWholeUnits(t *testing.T) {
	call := func(ids ...string) transcript.Message {
		m := transcript.Message{Role: transcript.Assistant}
		for _, id := range ids {
			m.Calls = append(m.Calls, transcript.ToolCall{ID: id, Name: "read"})
		}
		return m
	}
	result := func(id string) transcript.Message {
		return transcript.Message{Role: transcript.Tool, CallID: id, Text: id}
	}
	for name, unit := range map[string][]transcript.Message{
		"missing result":     {call("a", "b"), result("a")},
		"surplus result":     {call("a"), result("a"), result("b")},
		"other id":           {call("a"), result("b")},
		"two calls of an id": {call("a", "a"), result("a"), result("a")},
		"answered twice":     {call("a", "b"), result("a"), result("a")},
		"result alone":       {result("a")},
		"a user calls":       {{Role: transcript.User, Calls: call("a").Calls}, result("a")},
		"a user as result":   {call("a"), {Role: transcript.User, CallID: "a"}},
		"no role":            {{Text: "x"}},
	} {
		w := window(24_000, Ladder)
		ask(t, w, "prompt")
		if _, err := w.Append(unit[0], unit[1:]...); !errors.Is(err, transcript.ErrUnpaired) {
			t.Errorf("%s: %v", name, err)
		}
		if len(w.View()) != 1 || len(w.Entries(0)) != 1 {
			t.Errorf("%s: left %d messages", name, len(w.View()))
		}
	}
	w := window(24_000, Ladder)
	for _, m := range []transcript.Message{{Role: transcript.User}, {Role: transcript.Assistant, Text: " \n"}, {Role: transcript.User, Origin: transcript.Prompt}} {
		if _, err := w.Append(m); !errors.Is(err, transcript.ErrEmpty) {
			t.Errorf("%+v: %v", m, err)
		}
	}
	ask(t, w, "prompt")
	mustAppend(t, w, call("a", "b", "c"), result("c"), result("a"), result("b"))
	checkPairs(t, w.View())
}

func TestCallersMessagesAreNotModified(t *testing.T) {
	w := window(1_000, Ladder)
	ask(t, w, "prompt")
	head := transcript.Message{Role: transcript.Assistant, Text: words(500), Calls: []transcript.ToolCall{{ID: "a", Name: "read", Args: json.RawMessage(`{"path":"` + strings.Repeat("x", 3_000) + `"}`)}}}
	results := []transcript.Message{{Role: transcript.Tool, CallID: "a", Text: words(3_000)}}
	want := []transcript.Message{head, results[0]}
	want[0].Calls = []transcript.ToolCall{{ID: "a", Name: "read", Args: slices.Clone(head.Calls[0].Args)}}
	mustAppend(t, w, head, results...)
	mustFit(t, w)
	if diff := cmp.Diff(want, []transcript.Message{head, results[0]}); diff != "" {
		t.Errorf("changed:\n%s", diff)
	}
	copy(head.Calls[0].Args, "XXXXXXXX")
	if strings.Contains(string(w.units.list[1].Messages[0].Calls[0].Args), "XXXX") {
		t.Error("a caller's buffer shows in the log")
	}
}

func TestParallelResultsShareTheRoom(t *testing.T) {
	w := window(24_000, Ladder)
	ask(t, w, "prompt")
	page := words(2_000)
	before := w.Usage()
	round(t, w, page, page, page, page, page, page, page, page)
	taken := w.Usage().Tokens - before.Tokens
	if free := before.Limit - before.Tokens; taken > free*6/10 {
		t.Errorf("eight results took %d of %d free tokens", taken, free)
	}
	w = window(24_000, Ladder)
	ask(t, w, "prompt")
	round(t, w, "small", words(1_400))
	if got := w.View()[3].Text; strings.Contains(got, "cut") {
		t.Errorf("a result that fits was cut: %.100s", got)
	}
}
