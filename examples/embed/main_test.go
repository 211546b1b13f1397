package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/forayhq/foray/providers/scripted"
)

func TestRemembered(t *testing.T) {
	path := filepath.Join(t.TempDir(), "embed.db")
	for range 2 { // the second finds what the first has kept
		model := scripted.New(scripted.Text("On Tuesdays."))
		var out strings.Builder
		if err := run(t.Context(), &out, model, path); err != nil {
			t.Fatal(err)
		}
		if out.String() != "On Tuesdays.\n" {
			t.Errorf("answered %q", out.String())
		}
		messages := model.Requests()[0].Messages
		asked := messages[len(messages)-1].Text
		if !strings.Contains(asked, "Deploys go out on Tuesdays.") || !strings.Contains(asked, "When do deploys go out?") {
			t.Errorf("the model was asked:\n%s", asked)
		}
	}
}
