package catalog

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
	"github.com/forayhq/foray/providers/scripted"
)

// TestMaskedText cuts texts with a key in them into pieces: what comes is the text without the key, and nothing else.
func TestMaskedText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SampledFrom([]string{"aaaaaa", "abcabcabd", "sk-0123"}).Draw(t, "key")
		word := rapid.SampledFrom([]string{key, key[:3], key[3:], "a", "ab", "日", " "})
		text := strings.Join(rapid.SliceOf(word).Draw(t, "words"), "")
		inner := scripted.Options{Piece: rapid.IntRange(0, 9).Draw(t, "piece")}.New(scripted.Line{
			Text: text, Reasoning: text + "x", Calls: []scripted.Call{{Name: "search", Args: text}},
			ProviderData: &transcript.ProviderData{Data: []byte(text)},
		})
		got, err := providers.Ask(t.Context(), masked{inner, wire.NewMask(key)}, &providers.Request{})
		if err != nil {
			t.Fatal(err)
		}
		want := strings.ReplaceAll(text, key, wire.Redacted)
		if got.Message.Text != want || got.Reasoning != strings.ReplaceAll(text+"x", key, wire.Redacted) || string(got.Message.ProviderData.Data) != want {
			t.Fatalf("%q, %q, %q of %q", got.Message.Text, got.Reasoning, got.Message.ProviderData.Data, text)
		}
		if args := string(got.Message.Calls[0].Args); strings.Contains(args, key) {
			t.Fatalf("%s of %q", args, text)
		}
	})
}

// TestMaskedInterleaved has a key whose halves come with other pieces of the answer between them.
func TestMaskedInterleaved(t *testing.T) {
	const key = "sk-0123456789"
	inner := scripted.New(scripted.Deltas(
		providers.Delta{Text: "It is sk-01"}, providers.Delta{Reasoning: "Hm."}, providers.Delta{Text: `2345\u00`},
		providers.Delta{Usage: &providers.Usage{Input: 9}}, providers.Delta{Text: "3678"}, providers.Delta{Text: "9. Or sk-"},
		providers.Delta{Finish: providers.Stop},
	))
	got, err := providers.Ask(t.Context(), masked{inner, wire.NewMask(key)}, &providers.Request{})
	if err != nil || got.Message.Text != "It is [secret]. Or sk-" || got.Reasoning != "Hm." {
		t.Errorf("%q, reasoning %q, error %v", got.Message.Text, got.Reasoning, err)
	}
	cut := scripted.New(scripted.Deltas(providers.Delta{Text: "It is sk-01234"}))
	got, _ = providers.Ask(t.Context(), masked{cut, wire.NewMask(key)}, &providers.Request{})
	if got.Message.Text != "It is [secret]" {
		t.Errorf("cut inside the key: %q", got.Message.Text)
	}
}
