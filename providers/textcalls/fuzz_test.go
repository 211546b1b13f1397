package textcalls

import (
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/internal/ostest"
)

// isPart reports whether part is text with bytes left out.
func isPart(part, text string) bool {
	i := 0
	for j := 0; i < len(part) && j < len(text); j++ {
		if part[i] == text[j] {
			i++
		}
	}
	return i == len(part)
}

// FuzzReader reads an answer whole and in pieces. Text and calls must be the same, nothing but calls may be missing from
// the text, and without calls nothing at all.
func FuzzReader(f *testing.F) {
	for _, text := range []string{
		"I look.\n```json\n" + object + "\n```\n", "<tool_call>\n" + object + "\n</tool_call>\nDone.", object + object, "{{" + object + "}}",
		"[TOOL_CALLS]search[ARGS]" + arguments, "<tool_call><function=search><parameter=query>x</parameter></function></tool_call>",
		"<|python_tag|>" + object + ";" + listing, "`" + object + "`", "> " + object, "[" + object + ",]", `{"answer": "a\u00e9\ud83d\ude00"}`,
	} {
		f.Add(text, uint8(3), false)
		f.Add(text+"```"+text, uint8(1), true)
	}
	f.Fuzz(func(t *testing.T, text string, n uint8, cut bool) {
		whole, calls := read(t, text, len(text)+1, cut)
		parts, same := read(t, text, int(n)+1, cut)
		if whole != parts || !slices.Equal(calls, same) {
			t.Fatalf("whole: %q with %q\nin pieces: %q with %q", whole, calls, parts, same)
		}
		if len(calls) == 0 && whole != text || !isPart(whole, text) {
			t.Fatalf("%q became %q with %q", text, whole, calls)
		}
		r := newReader(tools, true)
		r.add(text[:len(text)/2])
		r.stop() // a caller who breaks off
		r = newReader(tools, true)
		defer r.stop()
		a := r.add(text)
		b, _ := r.end(cut)
		s := newReader(tools, true)
		defer s.stop()
		var c strings.Builder
		for i := range len(text) {
			c.WriteString(s.add(text[i : i+1]))
		}
		d, _ := s.end(cut)
		if a+b != c.String()+d {
			t.Fatalf("an action, whole: %q, in pieces: %q", a+b, c.String()+d)
		}
	})
}

// TestHostile reads long texts that begin calls and never end them. In quadratic time none would end.
func TestHostile(t *testing.T) {
	if ostest.RaceDetector {
		t.Skip("long, and all in one goroutine")
	}
	for _, part := range []string{
		"{", "[", "{{", "`", "```", "```json\n{", "<tool_call>", "<tool_call>{", "<tools>[", "<function=search>", "<function=search>{\"query\":\"",
		"[TOOL_CALLS]", "[TOOL_CALLS]search[ARGS]{", `{"name":"search","arguments":`, "{\"name\":\"search\",\"arguments\":{\"a\":\n", "\n", " ", "\n[", "<", "\\",
		"<tool_call>{\"name\":\"search\",\"arguments\":{}}", object + "\n", `{"function":`, "<function=search><parameter=query>", `{"name":"search","id":[`,
	} {
		for n, size := range map[int]int{1: 1 << 15, 1 << 10: 1 << 18} {
			text := strings.Repeat(part, size/len(part))
			if got, calls := read(t, text, n, false); len(calls) == 0 && got != text {
				t.Errorf("%q: text was lost", part)
			}
		}
	}
}
