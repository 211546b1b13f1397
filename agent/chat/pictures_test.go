package chat_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/toollimit"
)

func picture(name string) toollimit.Image {
	return toollimit.Image{Name: name, Type: "image/png", Width: 100, Height: 100, Data: []byte("data of " + name)}
}

func shownIn(req providers.Request) (names []string, words int) {
	for _, m := range req.Messages {
		for i := range m.Images {
			names = append(names, m.Images[i].Name)
		}
		words += strings.Count(m.Text, "[picture: ")
	}
	return names, words
}

// Rule: a picture is sent with its message and the messages after it while there is room; then the oldest become words.
// The thread keeps them, also in a database.
func TestPicturesInAThread(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chat.db")
	model := scripted.Options{Info: providers.Info{Window: 16_000, Vision: providers.Vision{Base: 1_500}}}.New(
		scripted.Repeat(0, scripted.Text("I see.")))
	h, id := open(t, chat.Config{Store: openStore(t, path), Agent: agent.Config{Model: model}})
	for i := range 8 {
		name := fmt.Sprintf("p%d.png", i)
		turn, err := chat.WithImages(h, picture(name)).Do(t.Context(), id, "And this one?")
		if err != nil {
			t.Fatal(err)
		}
		if m := turn.Messages[0]; len(m.Images) != 1 || m.Images[0].Tokens != 1_500 {
			t.Fatalf("stored %+v", m)
		}
		requests := model.Requests()
		names, words := shownIn(requests[len(requests)-1])
		if len(names) == 0 || names[len(names)-1] != name || len(names)+words != i+1 {
			t.Fatalf("message %d: shows %v, and names %d", i, names, words)
		}
		if i == 7 && (words == 0 || len(names) < 3) {
			t.Errorf("the last request shows %v and names %d", names, words)
		}
	}
	ms, err := h.Messages(t.Context(), id, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		if m := ms[2*i]; len(m.Images) != 1 || string(m.Images[0].Data) != fmt.Sprintf("data of p%d.png", i) {
			t.Errorf("message %d has %+v", m.Seq, m.Images)
		}
	}
	if err := transcript.Check([]transcript.Message{ms[0].Message}, transcript.AnyProvider); err != nil {
		t.Error(err)
	}
}

func TestTooManyPictures(t *testing.T) {
	h, id := open(t, chat.Config{Agent: agent.Config{Model: scripted.New(scripted.Text("no"))}})
	if _, err := chat.WithImages(h, make([]toollimit.Image, 9)...).Do(t.Context(), id, "Look."); !errors.Is(err, chat.ErrInvalid) {
		t.Error(err)
	}
}
