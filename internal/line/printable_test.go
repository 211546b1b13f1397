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

// hostile are the characters that steer a terminal or reorder text.
var hostile = []rune{0, 7, 8, '\r', 0x1b, 0x1f, 0x7f, 0x80, 0x85, 0x9b, 0x9f, 0x61c, 0x200e, 0x200f, 0x202a, 0x202d, 0x202e, 0x2066, 0x2069}

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
				if r != '\n' && (unicode.IsControl(r) || strings.ContainsRune(string(hostile), r)) {
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
	const same = "tabs\tand\nlines, é, 日本, 👩‍👩‍👧, \u00a0\u200d\ufeff"
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
