package subject

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// What a program writes does not depend on how it is cut into pieces, and none of it breaks the harness.
func FuzzReplies(f *testing.F) {
	for _, s := range []string{
		`{"answer":"a"}`, "x\n{\"answer\":\"a\"}\n{\"calls\":[{\"name\":\"b\"}]}", `{"event":"done","text":"t"}`, "{\"event\":\"tool_ended\"}\n\n[]",
		`{"answer":null,"steps":-1,"usage":null}`, "\xff\n\x00{}",
	} {
		f.Add([]byte(s), 3)
	}
	f.Fuzz(func(t *testing.T, said []byte, at int) {
		take := func(pieces ...[]byte) (*replies, string) {
			var events bytes.Buffer
			r := &replies{trace: &events, flood: func(error) { t.Error("flood") }}
			for _, p := range pieces {
				if n, err := r.Write(p); n != len(p) || err != nil {
					t.Fatalf("wrote %d of %d: %v", n, len(p), err)
				}
			}
			r.end()
			return r, events.String()
		}
		at = min(max(at, 0), len(said))
		whole, events := take(said)
		cut, same := take(said[:at], said[at:])
		if whole.o.Answer != cut.o.Answer || len(whole.o.Calls) != len(cut.o.Calls) || whole.answered != cut.answered || events != same {
			t.Errorf("%q, cut at %d: %+v, not %+v", said, at, cut.o, whole.o)
		}
		if o, err := whole.outcome(context.Background(), nil, ""); o == nil || whole.failure == nil && whole.answered != (err == nil) {
			t.Errorf("%q: %v", said, err)
		}
	})
}

// Words that are quoted come back as they were.
func FuzzSplitWords(f *testing.F) {
	for _, s := range []string{"a b", `a "b c" 'd\'`, `\`, `x\ y "a\"b"`, "''"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		words, err := splitWords(s)
		if err == nil && len(words) == 0 {
			t.Errorf("%q: neither words nor an error", s)
		}
		s = strings.ToValidUTF8(s, "") // words are texts
		quoted := "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
		words, err = splitWords("x " + quoted + "\ty")
		if err != nil || len(words) != 3 || words[1] != s {
			t.Errorf("%q: %q, %v", quoted, words, err)
		}
	})
}
