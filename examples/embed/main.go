// Command embed is a program with an agent that remembers: a fact saved once appears in the request where it matters.
// Its model is a script; use catalog.Open("openai/gpt-4.1", nil) for a real one.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
)

func main() {
	model := scripted.New(scripted.Text("On Tuesdays."))
	if err := run(context.Background(), os.Stdout, model, store.InMemory); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, model providers.Model, path string) (err error) {
	db, err := store.Open(ctx, path, nil) // threads and memories in one file
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	memories, err := longterm.Open(ctx, &longterm.Options{Store: db.Memories()})
	if err != nil {
		return err
	}
	c, err := chat.New(chat.Config{
		Agent:   agent.Config{Model: model, System: "You help a team with its releases."},
		Store:   db,
		Memory:  memories,
		Builder: contextbuilder.Config{Category: "*"}, // memories of any kind
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close(ctx)) }()
	fact := longterm.Memory{User: "ada", Category: longterm.ProjectContext, Content: "Deploys go out on Tuesdays."}
	if _, err := c.Remember(ctx, fact); err != nil {
		return err
	}
	thread, err := c.Create(ctx, chat.Thread{User: "ada"})
	if err != nil {
		return err
	}
	turn, err := c.Do(ctx, thread.ID, "When do deploys go out?")
	if err != nil {
		return err
	}
	fmt.Fprintln(w, turn.Text)
	return nil
}
