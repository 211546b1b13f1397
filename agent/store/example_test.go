package store_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// A conversation and what is remembered of it stand in one file.
func Example() {
	ctx := context.Background()
	s, err := store.Open(ctx, store.InMemory, nil) // or a path: store.Path() says where the user's is
	if err != nil {
		log.Fatal(err)
	}
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	thread := chat.Thread{ID: "t1", Created: now, Updated: now}
	if err := s.CreateThread(ctx, thread); err != nil {
		log.Fatal(err)
	}
	question := transcript.Message{Role: transcript.User, Text: "Which database shall we take?"}
	added, err := s.SaveThread(ctx, thread, chat.Message{Time: now, Message: question})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("message", added[0].Seq)

	err = s.Memories().Put(ctx, longterm.Memory{
		ID: "m1", Category: longterm.UserPreference, Content: "Prefers databases without a server", Importance: 7, Created: now,
		Provenance: longterm.Provenance{Thread: "t1", Message: "1"},
	})
	if err != nil {
		log.Fatal(err)
	}
	hits, err := s.Memories().Search(ctx, longterm.Query{Text: question.Text})
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range hits {
		fmt.Println(h.ID, h.Content)
	}
	fmt.Println(s.Close())
	// Output:
	// message 1
	// m1 Prefers databases without a server
	// <nil>
}

// A run that waits for a person continues where it was, in this process or another one.
func ExampleSessions() {
	ctx := context.Background()
	db, err := store.Open(ctx, store.InMemory, nil) // or a path: store.Path() says where the user's is
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	remove := tools.New("remove", "Remove a file.", func(_ context.Context, in struct{ Path string }) (string, error) {
		return "removed " + in.Path, nil
	})
	remove.Effects = true
	later := func(context.Context, transcript.ToolCall) (agent.Decision, error) {
		return agent.Decision{Wait: true}, nil
	}
	a, err := agent.New(agent.Config{
		Tools:   []tools.Tool{remove},
		Approve: later,
		Model: scripted.New( // or catalog.Open("openai/gpt-4.1", nil)
			scripted.Calls(scripted.Call{Name: "remove", Args: map[string]string{"Path": "tmp/a"}}),
			scripted.Text("It is gone."),
		),
	})
	if err != nil {
		log.Fatal(err)
	}
	kept := &agent.Session{Store: db.Sessions(), ID: "tidy"}
	result, err := a.Do(ctx, agent.Task{Prompt: "Remove tmp/a.", Session: kept})
	if err != nil {
		log.Fatal(err)
	}
	for _, q := range result.Waiting {
		fmt.Println(result.Stop, "for", q.Call.Name, string(q.Call.Args))
		yes := session.Verdict{Index: q.Index, Decision: session.Approve}
		if err := session.Decide(ctx, kept.Store, kept.ID, yes); err != nil {
			log.Fatal(err)
		}
	}
	result, err = a.Resume(ctx, kept.Store, kept.ID)
	fmt.Println(result.Text, result.Stop, err)
	// Output:
	// waiting for remove {"Path":"tmp/a"}
	// It is gone. answered <nil>
}
