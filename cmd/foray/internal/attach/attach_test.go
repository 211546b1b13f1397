package attach_test

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forayhq/foray/cmd/foray/internal/attach"
	"github.com/forayhq/foray/providers"
)

var sees = providers.Vision{Tile: 28, Each: 1, Fetch: true}

func file(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, image.NewGray(image.Rect(0, 0, 280, 28))); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTray(t *testing.T) {
	var tray attach.Tray
	path := file(t, "a b.png")
	for _, as := range []string{path, `"` + path + `"`, "'" + path + "'", strings.ReplaceAll(path, " ", `\ `)} {
		said, err := tray.Command(as, "m", sees)
		if want := "a b.png, PNG, 280×28 pixels, about 10 tokens: goes with your next message\n"; err != nil || said != want {
			t.Errorf("%s: %q, %v", as, said, err)
		}
		if images := tray.Take(); len(images) != 1 || images[0].Name != "a b.png" {
			t.Errorf("%s: %v", as, images)
		}
	}
	if said, err := tray.Command("", "m", sees); err != nil || !strings.HasPrefix(said, "no picture") {
		t.Errorf("%q, %v", said, err)
	}
	for range 8 {
		if _, err := tray.Command("https://example.org/a.png", "m", sees); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tray.Command(path, "m", sees); err == nil {
		t.Error("a ninth was taken")
	}
	taken := tray.Take()
	if tray.Put(taken); len(tray.Take()) != 8 {
		t.Error("lost what was put back")
	}
	if tray.Put(taken); true {
		if _, err := tray.Command("none", "m", sees); err != nil || len(tray.Take()) != 0 {
			t.Errorf("not emptied: %v", err)
		}
	}
}

func TestRefused(t *testing.T) {
	var tray attach.Tray
	text := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(text, []byte("no picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	for asked, want := range map[string]string{
		text: "is no PNG, JPEG, GIF or WebP", "nowhere.png": "there is no file nowhere.png",
		"http://example.org/a.png": "is not the address of a picture",
	} {
		if _, err := tray.Command(asked, "m", sees); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", asked, err)
		}
	}
	if _, err := tray.Command(file(t, "a.png"), "deepseek/deepseek-chat", providers.Vision{}); err == nil ||
		!strings.Contains(err.Error(), "deepseek/deepseek-chat is not known to take pictures") {
		t.Error(err)
	}
	if _, err := tray.Command("https://example.org/a.png", "m", providers.GeneralVision); err == nil ||
		!strings.Contains(err.Error(), "m takes pictures as files, not by address") {
		t.Error(err)
	}
	if images := tray.Take(); len(images) > 0 {
		t.Errorf("kept %v", images)
	}
}
