// Command consulting is a conversation about where to move. The program injects what it knows besides the conversation:
// eight blocks, each when it is useful. It prints the blocks that each answer saw. Its model is a script.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
)

// A turn is a message of the user and the scripted answer.
type turn struct{ says, answer string }

var turns = []turn{
	{"I want to move to a city by the sea.", "How many rooms do you need, and what may they cost?"},
	{"Two rooms, at most 900.", "Thank you. What does the way to work have to be like?"},
	{"By train. What does a rental contract have to say about the deposit?", "At most three months' rent."},
	{"So where should I look?", "In Aarhus: it suits the budget and the train."},
}

func main() {
	var lines []scripted.Line
	for _, t := range turns {
		lines = append(lines, scripted.Text(t.answer))
	}
	if err := run(context.Background(), os.Stdout, scripted.New(lines...)); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, model providers.Model) (err error) {
	memories, err := longterm.Open(ctx, nil)
	if err != nil {
		return err
	}
	a := &advice{memories: memories, collected: map[string]string{}}
	system := "You advise people who want to move. Ask for what is missing, one thing at a time."
	c, err := chat.New(chat.Config{
		Agent:   agent.Config{Model: model, System: system},
		Memory:  memories,
		Builder: contextbuilder.Config{Sources: a.sources()},
		Stage:   func(chat.Thread) string { return a.stage() },
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close(ctx)) }()
	wish := longterm.Memory{User: "ada", Category: longterm.UserPreference, Content: "Wants short answers.", Importance: 8}
	if _, err := c.Remember(ctx, wish); err != nil {
		return err
	}
	thread, err := c.Create(ctx, chat.Thread{User: "ada"})
	if err != nil {
		return err
	}
	for _, t := range turns {
		a.hear(t.says)
		done, err := c.Do(ctx, thread.ID, t.says)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "ada: %s\nadvisor: %s\n", t.says, done.Text)
		fmt.Fprintf(w, "  stage %s; blocks: %s\n", a.stage(), strings.Join(done.Stats.Injection.Injected, ", "))
	}
	return nil
}
