package contextwindow

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// pictures returns none to two pictures, most often none.
func pictures(r *rand.Rand) []toollimit.Image {
	var images []toollimit.Image
	for range max(r.IntN(8)-5, 0) {
		images = append(images, toollimit.Image{Name: "shot.png", Type: "image/png", Width: 640, Height: 480,
			Data: []byte{byte(r.IntN(256))}, Tokens: r.IntN(1_600)})
	}
	return images
}

func picture(name string, tokens int) toollimit.Image {
	return toollimit.Image{Name: name, Type: "image/png", Width: 800, Height: 600, Data: []byte(name), Tokens: tokens}
}

// look appends a step that reads a picture and one that reads a text.
func look(t *testing.T, w *Window, name string) {
	t.Helper()
	call := func(id, file string) transcript.ToolCall {
		return transcript.ToolCall{ID: id, Name: "read_file", Args: []byte(`{"path":"` + file + `"}`)}
	}
	_, err := w.Append(transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{
		call("a", name), call("b", name+".txt")}},
		transcript.Message{Role: transcript.Tool, CallID: "a", Text: "a picture", Images: []toollimit.Image{picture(name, 1_500)}},
		transcript.Message{Role: transcript.Tool, CallID: "b", Kind: toollimit.File, Text: strings.Repeat("line of "+name+"\n", 150)})
	if err != nil {
		t.Fatal(err)
	}
}

func shownPictures(w *Window) (names []string) {
	for _, m := range w.View() {
		for i := range m.Images {
			names = append(names, m.Images[i].Name)
		}
	}
	return names
}

// Under every profile the pictures of earlier turns go before their texts, the newest stay, and those of the prompt
// always; each that went is named, and its id gives it back.
func TestPicturesGoFirst(t *testing.T) {
	for _, p := range Profiles() {
		t.Run(string(p), func(t *testing.T) {
			w := New(Budget{Limit: 12_000, Profile: p}, nil)
			w.Open(Prefix{System: "You look at pictures.", Tools: []transcript.ToolSchema{{Name: toollimit.ReadTool}}})
			prompt := transcript.Message{Role: transcript.User, Text: "compare them", Origin: transcript.Prompt,
				Images: []toollimit.Image{picture("first.png", 1_000)}}
			if _, err := w.Append(prompt); err != nil {
				t.Fatal(err)
			}
			for i := 0; ; i++ {
				if i == 20 {
					t.Fatal("no picture went in twenty steps")
				}
				look(t, w, string(rune('a'+i))+".png")
				c, err := w.Fit()
				if err != nil {
					t.Fatal(err)
				}
				shown := shownPictures(w)
				if shown[0] != "first.png" || shown[len(shown)-1] != string(rune('a'+i))+".png" {
					t.Fatalf("pictures shown: %v", shown)
				}
				if c.Level == 0 {
					continue
				}
				if len(shown) != 2 {
					t.Errorf("after the first compaction, %v are shown: those of earlier turns go first", shown)
				}
				gone := picture("a.png", 0)
				words := "[picture, no longer shown: " + gone.String() + "; see it again: read_working_memory id="
				for _, m := range w.View() {
					at := strings.Index(m.Text, words)
					if at < 0 {
						continue
					}
					id, _, _ := strings.Cut(m.Text[at+len(words):], "]")
					again := w.Reader().Images(id)
					if len(again) != 1 || string(again[0].Data) != "a.png" {
						t.Errorf("id %s gives %d pictures back", id, len(again))
					}
					return
				}
				// Under two marks the turn itself may have been evicted: then the digest has the call.
				if !slices.ContainsFunc(w.View(), func(m transcript.Message) bool { return strings.Contains(m.Text, "a.png") }) {
					t.Errorf("nothing in the window names a.png:\n%s", shown)
				}
				return
			}
		})
	}
}

// A picture that was not counted has the size that the window's model gives it, or the general one.
func TestPictureSizes(t *testing.T) {
	for _, c := range []struct {
		options *Options
		want    int
	}{
		{nil, 1_000},
		{&Options{ImageTokens: func(im toollimit.Image) int { return im.Width * im.Height / 750 }}, 640},
	} {
		w := New(Budget{}, c.options)
		m := transcript.Message{Role: transcript.User, Images: []toollimit.Image{picture("a.png", 0)}}
		before := w.Usage().Tokens
		if _, err := w.Append(m); err != nil {
			t.Fatal(err)
		}
		if got := w.Usage().Tokens - before - m.Framing(); got != c.want {
			t.Errorf("counted %d tokens, want %d", got, c.want)
		}
	}
}

// A log that hides pictures without a word for them was not written by a window.
func TestPicturesHiddenSilently(t *testing.T) {
	w := New(Budget{}, nil)
	w.Open(Prefix{})
	if _, err := w.Append(transcript.Message{Role: transcript.User, Text: "go", Origin: transcript.Prompt}); err != nil {
		t.Fatal(err)
	}
	look(t, w, "a.png")
	entries := append(slices.Clone(w.Entries(0)), Entry{Edit: &Edit{Op: opTruncate, Cause: "L1",
		Truncations: []Truncation{{Step: 2, Part: 1, NoImages: true}}}})
	if _, err := Load(entries, Budget{}, nil); err == nil {
		t.Error("loaded")
	}
}
