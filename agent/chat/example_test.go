package chat_test

import (
	"context"
	"fmt"
	"log"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/providers/scripted"
)

func Example() {
	ctx := context.Background()
	model := scripted.New( // or catalog.Open("openai/gpt-4.1", nil)
		scripted.Text("Nice to meet you, Ada."),
		scripted.Text("Your name is Ada."),
	)
	c, err := chat.New(chat.Config{Agent: agent.Config{Model: model, System: "You are a patient assistant."}})
	if err != nil {
		log.Fatal(err)
	}
	thread, err := c.Create(ctx, chat.Thread{User: "ada"})
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{"My name is Ada.", "What is my name?"} {
		turn, err := c.Do(ctx, thread.ID, text)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(turn.Text)
	}
	fmt.Println(len(model.Requests()[1].Messages), "messages in the second request,", c.Close(ctx))
	// Output:
	// Nice to meet you, Ada.
	// Your name is Ada.
	// 3 messages in the second request, <nil>
}
