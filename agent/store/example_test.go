package store_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/contextwindow/transcript"
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
