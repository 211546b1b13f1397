package textsearch

import (
	"slices"
	"strings"
	"testing"
)

func TestNameWords(t *testing.T) {
	var s Splitter
	for name, want := range map[string]string{
		"HTTPServer_v2":    "http server v2",
		"HTTPSServer":      "https server",
		"getQuery":         "get query",
		"get_query":        "get query",
		"$scope.userID":    "scope user id",
		"utf8Decode":       "utf8 decode",
		"__init__":         "init",
		"naïveName":        "naïve name",
		"":                 "",
		"parse-quoted/Val": "parse quoted val",
	} {
		var words []string
		s.Split([]byte(name), func(word []byte) { words = append(words, string(word)) })
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if joined := string(s.Split([]byte("get_Query"), func([]byte) {})); joined != "getquery" {
		t.Errorf("joined: %q", joined)
	}
}

func TestNames(t *testing.T) {
	text := []byte("x := get_query(4a, 2) // naïve " + strings.Repeat("y", 65))
	var got []string
	Names(text, func(from, to int) { got = append(got, string(text[from:to])) })
	if want := []string{"get_query", "naïve"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestRoot(t *testing.T) {
	for list, want := range map[string]string{
		"serializer serialized serialization serialize": "serial",
		"running runs runner":                           "run",
		"query queries":                                 "quer",
		"class":                                         "class",
		"status":                                        "status",
	} {
		for _, word := range strings.Fields(list) {
			if got := string(Root([]byte(word))); got != want {
				t.Errorf("%q: %q, want %q", word, got, want)
			}
		}
	}
}

// TestKinRoot: words of a family have one root, which is no root of another family.
func TestKinRoot(t *testing.T) {
	roots := make(map[string]string)
	for _, family := range Kin() {
		first := string(KinRoot([]byte(family[0])))
		if other := roots[first]; other != "" {
			t.Errorf("%s has the root of %s", family[0], other)
		}
		roots[first] = family[0]
		for _, word := range family {
			if got := string(KinRoot([]byte(word))); got != first {
				t.Errorf("%q: %q, and %q of %s", word, got, first, family[0])
			}
		}
	}
}
