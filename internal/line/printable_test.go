package line_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/forayhq/foray/internal/line"
)

// hostile are the characters that steer a terminal, reorder text or are invisible.
var hostile = []rune{0xad, 0x180e, 0x200b, 0x200c, 0x200d, 0x2028, 0x2029, 0x2060, 0x2064, 0x206a, 0xfeff, 0xfffb, 0xe0041, 0xe007f, 0, 7, 8, '\r', 0x1b, 0x1f, 0x7f, 0x80, 0x85, 0x9b, 0x9f, 0x61c, 0x200e, 0x200f, 0x202a, 0x202d, 0x202e, 0x2066, 0x2069}

// TestWriteJSON writes texts with any characters, as keys and as values: the value is the same, and nothing in it steers.
func TestWriteJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom(hostile), rapid.SampledFrom([]rune(`\u202e"é🙂`))))
		want := map[string]any{text.Draw(t, "key"): text.Draw(t, "value"), "list": []any{text.Draw(t, "other"), 1.5, nil}}
		for _, indent := range []string{"", "  "} {
			var b strings.Builder
			if err := line.WriteJSON(&b, want, indent); err != nil {
				t.Fatal(err)
			}
			for _, r := range b.String() {
				belongs := r == 0x200c || r == 0x200d // may; see TestJoiners
				if r != '\n' && !belongs && (unicode.IsControl(r) || strings.ContainsRune(string(hostile), r)) {
					t.Fatalf("%U in %q", r, b.String())
				}
			}
			var got map[string]any
			if err := json.Unmarshal([]byte(b.String()), &got); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%q is %v, error %v, want %v", b.String(), got, err, want)
			}
		}
	})
}

func TestPrintable(t *testing.T) {
	for _, r := range hostile {
		if got := line.Printable("a" + string(r) + "b"); got != "a\ufffdb" {
			t.Errorf("%U: %q", r, got)
		}
	}
	const same = "tabs\tand\nlines, é, 日本, 👩\u200d👩\u200d👧, \u00a0"
	if got := line.Printable(same); got != same {
		t.Errorf("%q became %q", same, got)
	}
	if got := line.Printable("a\xffb"); got != "a\ufffdb" {
		t.Errorf("invalid UTF-8: %q", got)
	}
	for path, want := range map[string]string{"a/b c.go": "a/b c.go", "日本.go": "日本.go", "a\u202eb.go": `"a\u202eb.go"`, "a\nb": `"a\nb"`} {
		if got := line.Path(path); got != want {
			t.Errorf("path %q: %s, want %s", path, got, want)
		}
	}
}

// TestJoiners: a joiner stays where it belongs to a character, whole or in pieces of any size, and nowhere else.
func TestJoiners(t *testing.T) {
	for text, kept := range map[string]bool{
		"👩\u200d💻 🏳\ufe0f\u200d🌈 👍🏽\u200d♀\ufe0f 🙂\u200d↔": true,
		"می\u200cخواهم":         true,
		"क्\u200dष ක්\u200dර":   true, // Devanagari, Sinhala
		"ന്\u200d\u200dx":       false,
		"ന്\u200d":              true, // Malayalam, a last letter
		"❤\ufe0f":               true,
		"pass\u200dword":        false,
		"zero\u200cwidth":       false,
		"👩\u200d\u200d👩":        false,
		"👩\u200dx":              false,
		"می\u200c\u200cخواهم":   false,
		"می\u200c secret":       false,
		"🏴\U000e0067\U000e007f": false,
	} {
		whole := line.Printable(text)
		if (whole == text) != kept || !kept && strings.ContainsAny(strings.Replace(whole, "\ufffd", "", 1), "\u200b\U000e0067\U000e007f") {
			t.Errorf("%+q became %+q", text, whole)
		}
		var p line.Pieces
		var pieces strings.Builder
		for _, r := range text {
			pieces.WriteString(p.Add(string(r)))
		}
		if pieces.String() != whole {
			t.Errorf("%+q in pieces became %+q, want %+q", text, pieces.String(), whole)
		}
		if got := line.ForModel(text); got != text {
			t.Errorf("a model reads %+q as %+q", text, got)
		}
	}
}

// TestPieces: pieces of any text are printed as the whole, but for joiners at its end.
func TestPieces(t *testing.T) {
	runes := rapid.OneOf(rapid.Rune(), rapid.SampledFrom(hostile), rapid.SampledFrom([]rune("\u200d\u200c👩🏽\ufe0f\ufffdنക്")))
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.StringOfN(runes, 0, 4, -1)).Draw(t, "pieces")
		var p line.Pieces
		var got strings.Builder
		for _, piece := range append(pieces, ".") {
			got.WriteString(p.Add(piece))
		}
		if want := line.Printable(strings.Join(pieces, "") + "."); got.String() != want {
			t.Fatalf("%+q, want %+q", got.String(), want)
		}
	})
}
