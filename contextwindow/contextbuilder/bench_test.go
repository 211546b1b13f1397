package contextbuilder_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/contextbuilder/blocks"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// tenThousand is a thread of 10,000 messages.
func tenThousand() thread { return chat(2_500) }

// percentiles runs fn many times and returns the percentiles of how long it took.
func percentiles(n int, fn func(i int)) func(percent int) time.Duration {
	times := make([]time.Duration, n)
	for i := range times {
		began := time.Now()
		fn(i)
		times[i] = time.Since(began)
	}
	slices.Sort(times)
	return func(percent int) time.Duration { return times[(n*percent-1)/100] }
}

// A build of a thread of 10,000 messages without sources: cold, where each build is of another message and nothing is
// cached; and warm.
func BenchmarkBuild10k(b *testing.B) {
	th := tenThousand()
	system := strings.Repeat("You answer questions about a code base.\n", 50)
	for _, bench := range []struct {
		name string
		sum  contextbuilder.Summary
		warm bool
	}{
		{"cold", nil, false},
		{"cold summary", summary{text: "Main topics\n- files", last: 9_900}, false},
		{"warm", nil, true},
	} {
		b.Run(bench.name, func(b *testing.B) {
			builder, err := contextbuilder.New(contextbuilder.Config{Recent: th.Recent, Summary: bench.sum})
			if err != nil {
				b.Fatal(err)
			}
			defer builder.Close()
			times := percentiles(max(b.N, 100), func(i int) {
				q := contextbuilder.Query{System: system, Input: "and now?", Thread: "t"}
				if !bench.warm {
					q.Seq = int64(len(th) - i%1_000*4)
					builder.Clear("t")
				}
				if _, err := builder.Build(context.Background(), q); err != nil {
					b.Fatal(err)
				}
			})
			b.ReportMetric(float64(times(99).Microseconds()), "p99-µs")
		})
	}
}

// eight is a source of each type, with state that takes no time.
func eight(calls func(name string)) []contextbuilder.Source {
	now := func(name string) { calls(name) }
	return []contextbuilder.Source{
		contextbuilder.UserMemory(known{now}),
		blocks.CollectedInfo{
			Fields: []blocks.Field{{Key: "age", Label: "Age", Required: true}, {Key: "degree", Label: "Degree", Required: true}},
			Values: func(context.Context, contextbuilder.Query) (map[string]string, error) {
				return map[string]string{"age": "35"}, nil
			},
		},
		blocks.ConversationStats{State: func(_ context.Context, q contextbuilder.Query) (blocks.Conversation, error) {
			return blocks.Conversation{UserTurns: q.Turn, Duration: 12 * time.Minute, Stage: q.Stage, ReplyRunes: 30}, nil
		}},
		blocks.AssessmentResult{Result: func(context.Context, contextbuilder.Query) (*blocks.Assessment, error) {
			return &blocks.Assessment{Recommended: []string{"plan B"}, Score: 75, Of: 100}, nil
		}},
		blocks.RelevantKnowledge{
			Retrieve: known{now}.Retrieve, Need: blocks.Triggers(map[string][]string{"rules": {"requirement", "条件"}}),
		},
		blocks.SimilarExperiences{Stages: []string{"assessment"}, Search: func(context.Context, contextbuilder.Query, int) ([]blocks.Experience, error) {
			now("similar_experiences")
			return []blocks.Experience{{Kind: "case", Text: "ask what worries them", Active: true}, {Text: "old"}}, nil
		}},
		blocks.DeviceContext{Lines: func(context.Context, contextbuilder.Query) ([]string, error) {
			now("device_context")
			return []string{"phone", "UTC+8"}, nil
		}},
		blocks.ActiveAgentsHistory{Runs: func(context.Context, contextbuilder.Query) ([]contextbuilder.AgentRun, error) {
			return []contextbuilder.AgentRun{{Name: "policy", Started: time.Now().Add(-2 * time.Minute), Duration: 1400 * time.Millisecond, Tokens: 350, Input: "rules of B", Output: strings.Repeat("x", 500)}}, nil
		}},
	}
}

// known knows a few things, and tells who asked.
type known struct{ asked func(string) }

func (k known) Top(_ context.Context, user string, limit int) ([]contextbuilder.Memory, error) {
	k.asked(contextbuilder.TypeUserMemory)
	return []contextbuilder.Memory{
		{Text: "is 35 years old", Category: "fact"}, {Text: "wants plan B", Category: "intent"},
	}, nil
}

func (k known) Search(_ context.Context, q contextbuilder.MemoryQuery) ([]contextbuilder.Memory, error) {
	return []contextbuilder.Memory{{Text: "likes short answers", Category: "user_preference"},
		{Text: "Is 35 years old", Category: "fact"}}, nil
}

func (k known) Retrieve(_ context.Context, _ contextbuilder.Query, category string) ([]blocks.Passage, error) {
	k.asked("relevant_knowledge")
	return []blocks.Passage{{Source: "guide.md (" + category + ")", Text: "Three years of work.\nA degree.", Similarity: .92}}, nil
}

// An injection of all eight blocks with warm caches.
func BenchmarkInjectWarm(b *testing.B) {
	builder, err := contextbuilder.New(contextbuilder.Config{Recent: chat(20).Recent, Sources: eight(func(string) {})})
	if err != nil {
		b.Fatal(err)
	}
	defer builder.Close()
	q := contextbuilder.Query{Input: "what are the requirements?", Thread: "t", User: "u", Turn: 5, Stage: "assessment"}
	times := percentiles(max(b.N, 100), func(int) {
		if _, err := builder.Build(context.Background(), q); err != nil {
			b.Fatal(err)
		}
	})
	b.ReportMetric(float64(times(99).Microseconds()), "p99-µs")
}

// In a conversation of 30 turns in which each turn makes three requests to the model, more than 70 % of the looks at cached
// sources are hits, and blocks are at most 15 % of what is built, although none is left out.
func TestCacheHits(t *testing.T) {
	hits, calls, share := conversation(t)
	t.Logf("cached sources over 30 turns: %d hits, %d calls, %.0f %% hits; blocks are %.1f %% of what is built", hits, calls,
		100*float64(hits)/float64(hits+calls), 100*share)
	if float64(hits) < .7*float64(hits+calls) {
		t.Errorf("%d hits of %d", hits, hits+calls)
	}
	if share > .15 {
		t.Errorf("blocks are %.1f %% of what is built, at most 15", 100*share)
	}
}

// conversation plays 30 turns with a builder and eight sources and returns how often cached sources were called, and how
// often they were spared.
func conversation(t *testing.T) (hits, calls int, share float64) {
	var th thread
	count := make(chan string, 1_000)
	live := 4 // sources that are asked each time and never cached
	asked := 0
	builder := newBuilder(t, contextbuilder.Config{Recent: threadAt{&th}.Recent, Sources: eight(func(name string) { count <- name })})
	for turn := 1; turn <= 30; turn++ {
		q := contextbuilder.Query{
			System: strings.Repeat("You advise.\n", 200), Input: fmt.Sprintf("message %d", turn), Thread: "t", User: "u", Turn: turn, Stage: "collection",
		}
		if turn%6 == 0 {
			q.Input = fmt.Sprintf("what is requirement %d?", turn)
		}
		if turn > 20 {
			q.Stage = "assessment"
		}
		built, err := builder.Build(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		in := built.Stats.Injection
		if len(in.Dropped)+len(in.Shortened) > 0 {
			t.Errorf("turn %d: %+v, but everything fits", turn, in)
		}
		asked += in.Hits + in.Calls
		if in.Calls > 3 || in.Live != live {
			t.Errorf("turn %d: %d calls and %d live ones", turn, in.Calls, in.Live)
		}
		share += float64(in.Tokens) / float64(built.Stats.Tokens) / 30
		known := built.Known
		for range 2 { // the run goes on
			if _, known, err = builder.Refresh(t.Context(), q, known); err != nil {
				t.Fatal(err)
			}
			asked += in.Hits + in.Calls
		}
		th.say(transcript.User, q.Input)
		th.say(transcript.Assistant, strings.Repeat("An answer of a few lines.\n", 10))
	}
	return asked - len(count), len(count), share
}

// threadAt is a thread that goes on.
type threadAt struct{ *thread }

func (t threadAt) Recent(ctx context.Context, id string, before int64, limit int) ([]contextbuilder.Message, error) {
	return (*t.thread).Recent(ctx, id, before, limit)
}
