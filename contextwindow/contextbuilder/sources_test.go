package contextbuilder_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/contextbuilder/blocks"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// filled describes and fills a source, and returns its block, or false if it has none.
func filled(t *testing.T, s contextbuilder.Source, q contextbuilder.Query) (contextbuilder.Block, bool) {
	t.Helper()
	b, ok := s.Describe(q)
	if !ok {
		return b, false
	}
	b, err := s.Fill(t.Context(), q, b)
	if err != nil {
		t.Fatal(err)
	}
	return b, b.Text != ""
}

// What each of the built-in types says, and when.
func TestBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := contextbuilder.Query{User: "u", Input: "what is the requirement?", Turn: 5, Stage: "assessment"}
		want := map[string]string{
			"user_memory": "- [fact] is 35 years old\n- [user_preference] wants plan B\n" +
				"- [user_preference] likes short answers",
			"collected_info":      "- Age: 35\nStill missing: Degree",
			"conversation_stats":  "- user turns: 5\n- duration: 12 minutes\n- stage: assessment (turn 1 in it)\n- replies: 30 characters on average, short: a question may bring more",
			"assessment_result":   "Recommended: plan B\nScore: 75 of 100",
			"relevant_knowledge":  "From guide.md (rules) (similarity 0.92):\n> Three years of work.\n> A degree.",
			"similar_experiences": "1. [case] ask what worries them",
			"device_context":      "- phone\n- UTC+8",
			"active_agents_history": "Recent runs. Do not repeat them; use their results:\n1. [2 min ago, 1400 ms, 350 tokens] policy: rules of B → " +
				strings.Repeat("x", 200) + "…",
		}
		for _, s := range eight(func(string) {}) {
			b, _ := filled(t, s, q)
			if b.Text != want[b.Type] {
				t.Errorf("%s:\n%s\nwant\n%s", b.Type, b.Text, want[b.Type])
			}
		}
	})
}

func TestWhenThereIsABlock(t *testing.T) {
	at := func(name string) contextbuilder.Source {
		for _, s := range eight(func(string) {}) {
			if b, _ := s.Describe(contextbuilder.Query{User: "u", Input: "requirement", Turn: 1, Stage: "assessment"}); b.Type == name {
				return s
			}
		}
		t.Fatalf("no source of %s", name)
		return nil
	}
	tests := []struct {
		name string
		q    contextbuilder.Query
		want bool
	}{
		{"user_memory", contextbuilder.Query{}, false},
		{"relevant_knowledge", contextbuilder.Query{Input: "good morning"}, false},
		{"relevant_knowledge", contextbuilder.Query{Input: "REQUIREMENT of B"}, true},
		{"relevant_knowledge", contextbuilder.Query{Input: "申请条件"}, true},
		{"similar_experiences", contextbuilder.Query{Stage: "greeting"}, false},
		{"device_context", contextbuilder.Query{Turn: 1}, true},
		{"device_context", contextbuilder.Query{Turn: 4}, false},
		{"device_context", contextbuilder.Query{Turn: 10}, true},
		{"device_context", contextbuilder.Query{}, false},
	}
	for _, test := range tests {
		if _, got := filled(t, at(test.name), test.q); got != test.want {
			t.Errorf("%s for %+v: %v", test.name, test.q, got)
		}
	}
	none := blocks.AssessmentResult{Result: func(context.Context, contextbuilder.Query) (*blocks.Assessment, error) { return nil, nil }}
	if _, got := filled(t, none, contextbuilder.Query{}); got {
		t.Error("an assessment before there is one")
	}
	for runes, tells := range map[int]string{19: "very short", 20: "short", 49: "short", 50: "of medium", 149: "of medium", 150: "detailed"} {
		s := blocks.ConversationStats{State: func(context.Context, contextbuilder.Query) (blocks.Conversation, error) {
			return blocks.Conversation{UserTurns: 1, ReplyRunes: runes}, nil
		}}
		if b, _ := filled(t, s, contextbuilder.Query{}); !strings.Contains(b.Text, fmt.Sprintf("%d characters on average, %s", runes, tells)) {
			t.Errorf("%d runes: %s", runes, b.Text)
		}
	}
}

// A source whose own source fails is missing, whatever its type, and the rest is there.
func TestFailingBlocks(t *testing.T) {
	down := errors.New("down")
	got := build(t, contextbuilder.Config{Memories: failing{down}, Sources: []contextbuilder.Source{
		contextbuilder.UserMemory(failing{down}),
		blocks.CollectedInfo{Values: func(context.Context, contextbuilder.Query) (map[string]string, error) { return nil, down }},
		blocks.ConversationStats{State: func(context.Context, contextbuilder.Query) (blocks.Conversation, error) {
			return blocks.Conversation{}, down
		}},
		blocks.AssessmentResult{Result: func(context.Context, contextbuilder.Query) (*blocks.Assessment, error) { return nil, down }},
		blocks.RelevantKnowledge{Retrieve: failing{down}.Retrieve},
		blocks.SimilarExperiences{Search: func(context.Context, contextbuilder.Query, int) ([]blocks.Experience, error) {
			return nil, down
		}},
		blocks.DeviceContext{Lines: func(context.Context, contextbuilder.Query) ([]string, error) { return nil, down }},
		blocks.ActiveAgentsHistory{Runs: func(context.Context, contextbuilder.Query) ([]contextbuilder.AgentRun, error) { return nil, down }},
	}}, contextbuilder.Query{Input: "hello", User: "u", Turn: 1})
	if len(got.Dropped) != 9 || got.Prompt.Text != "hello" || len(got.Known) != 0 {
		t.Errorf("%+v", got)
	}
	for _, d := range got.Dropped {
		if d.Verdict != contextbuilder.Missing || !strings.HasSuffix(d.Why, "down") {
			t.Errorf("%+v", d)
		}
	}
}

type failing struct{ err error }

func (f failing) Top(context.Context, string, int) ([]contextbuilder.Memory, error) {
	return nil, f.err
}
func (f failing) Search(context.Context, contextbuilder.MemoryQuery) ([]contextbuilder.Memory, error) {
	return nil, f.err
}
func (f failing) Retrieve(context.Context, contextbuilder.Query, string) ([]blocks.Passage, error) {
	return nil, f.err
}

// Arguments that are too long become an object that says so, with a pointer to the whole.
func TestLongArguments(t *testing.T) {
	var th thread
	th.say(transcript.User, "write it")
	args := fmt.Sprintf(`{"path":"a","content":%q}`, prose(4_000))
	th.call("c1", args, "written")
	store := &bodies{}
	got := build(t, contextbuilder.Config{Recent: th.Recent, MaxMessageTokens: 2_000}, contextbuilder.Query{Input: "and?", Thread: "t", Store: store})
	if err := transcript.Check(append(got.History, got.Prompt), transcript.AnyProvider); err != nil {
		t.Fatal(err)
	}
	short := string(got.History[1].Calls[0].Args)
	if len(short) > 100 || !strings.Contains(short, "left_out") || string(th[1].Calls[0].Args) != args {
		t.Fatalf("arguments %.300s", short)
	}
	for _, whole := range store.texts {
		if whole == args {
			return
		}
	}
	t.Errorf("the arguments were not kept: %s", short)
}

// The cache is bounded: by entries of a conversation, and by conversations.
func TestCacheBounds(t *testing.T) {
	s := &keyed{}
	b := newBuilder(t, contextbuilder.Config{Sources: []contextbuilder.Source{s}})
	asked := func(thread, input string) bool {
		before := s.calls
		if _, err := b.Build(t.Context(), contextbuilder.Query{Input: input, Thread: thread}); err != nil {
			t.Fatal(err)
		}
		return s.calls > before
	}
	for i := range 64 {
		asked("t", fmt.Sprint("message ", i))
	}
	if asked("t", "message 0") || !asked("t", "one more") || asked("t", "message 0") || !asked("t", "message 1") {
		t.Error("not the entry that was used longest ago was dropped")
	}
	for i := range 1_024 {
		asked(fmt.Sprint("thread ", i), "x")
	}
	if !asked("t", "message 0") {
		t.Error("the conversation that was used longest ago is still there")
	}
}

// keyed is a source whose block depends on the message.
type keyed struct{ calls int }

func (k *keyed) Describe(q contextbuilder.Query) (contextbuilder.Block, bool) {
	return contextbuilder.Block{Type: "facts", TTL: time.Hour, Key: q.Input}, true
}

func (k *keyed) Fill(_ context.Context, q contextbuilder.Query, b contextbuilder.Block) (contextbuilder.Block, error) {
	k.calls++
	b.Text = q.Input
	return b, nil
}

// A builder with memories tells what is known of the user by itself, and once if it is also given a source of that.
func TestUserMemoryByItself(t *testing.T) {
	memories := known{func(string) {}}
	for name, c := range map[string]contextbuilder.Config{
		"by itself": {Memories: memories},
		"given":     {Memories: memories, Sources: []contextbuilder.Source{contextbuilder.UserMemory(memories)}},
	} {
		got := build(t, c, contextbuilder.Query{Input: "hello", Thread: "t", User: "u"})
		if strings.Count(got.Prompt.Text, "<user_memory>") != 1 || strings.Count(strings.ToLower(got.Prompt.Text), "is 35 years old") != 1 || len(got.Dropped) > 0 {
			t.Errorf("%s: %s\n%+v", name, got.Prompt.Text, got.Dropped)
		}
		if nobody := build(t, c, contextbuilder.Query{Input: "hello", Thread: "t"}); strings.Contains(nobody.Prompt.Text, "<user_memory>") {
			t.Errorf("%s: of nobody: %s", name, nobody.Prompt.Text)
		}
	}
}
