package words

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIdentifiers(t *testing.T) {
	for text, want := range map[string]string{
		"fix the parser please":                 "",
		"readDigits(input)":                     "readDigits",
		"HTTPServer parseHTTP":                  "parseHTTP",
		"ALL_CAPS _lead trail_ a_b":             "ALL_CAPS",
		"v2 utf8 sha256 2024 1_000 0x1F":        "utf8 sha256 0x1F",
		"cd src/lexer/state.go && make":         "lexer state",
		"coding-agent/docs/theme.md":            "coding agent docs theme",
		"see github.com/forayhq/foray.":         "github forayhq foray",
		"plain.text only":                       "",
		"größeWert fooBär/x_größe":              "eWert fooB x_gr",
		strings.Repeat("x", 5) + "/" + "longer": "xxxxx longer",
	} {
		var got []string
		for w, inPath := range All(text) {
			if IsIdentifier(w, inPath) {
				got = append(got, w)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestPaths(t *testing.T) {
	got := Paths("open ./src/a.go, then /tmp/x and either/or; a/b 路径/x not.a.path")
	if diff := cmp.Diff([]string{"src/a.go", "tmp/x", "either/or"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestLines(t *testing.T) {
	text := "12: \treturn value\n   100→\tif (x) {\n7|short\n  55\tnext_line()\n12:30 o'clock sharp\n1234567: too many digits\nno number: here\r\n42\n99999999999"
	want := []string{"return value", "if (x) {", "next_line()", "30 o'clock sharp", "1234567: too many digits", "no number: here", "99999999999"}
	if diff := cmp.Diff(want, slices.Collect(Lines(text))); diff != "" {
		t.Error(diff)
	}
	for range Lines(text) {
		break
	}
}

func TestLeaves(t *testing.T) {
	texts, names := Leaves([]byte(`{"b":["x",{"deep":"y"}],"a":"z\nq","n":5,"none":null}`))
	if diff := cmp.Diff([]Leaf{{"a", "z\nq"}, {"b", "x"}, {"deep", "y"}}, texts); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a", "b", "deep", "n", "none"}, names); diff != "" {
		t.Error(diff)
	}
	if texts, _ := Leaves([]byte(`{"cut`)); len(texts) != 1 || texts[0].Text != `{"cut` {
		t.Errorf("what is no JSON: %+v", texts)
	}
}
