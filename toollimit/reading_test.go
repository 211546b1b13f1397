package toollimit_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/forayhq/foray/toollimit"
)

// readOn reads a text to its end, each excerpt shortened to a room of its own, and returns what was shown of it.
func readOn(t testing.TB, text string, read, shown func() int) (whole string, steps int) {
	t.Helper()
	next, done := toollimit.Reading{ID: "s2.1"}, false
	var b strings.Builder
	for steps = 1; !done; steps++ {
		full, err := toollimit.Read(text, next, read())
		if err != nil {
			t.Fatalf("step %d, %+v: %v", steps, next, err)
		}
		most := shown()
		short, _ := toollimit.Truncate(toollimit.Excerpt, full, toollimit.Quota{MaxTokens: most, Pointer: "s9.1", Tool: "x"})
		on, ok := toollimit.ReadOn(short)
		if n := toollimit.Tokens(short); n > most || strings.Contains(short, "s9.1") || on.ID != "s2.1" {
			t.Fatalf("%d tokens of %d:\n%s", n, most, short)
		}
		if !ok || on.Line < next.Line || on.Line == next.Line && on.Offset <= next.Offset {
			t.Fatalf("%+v leads to %+v:\n%s", next, on, short)
		}
		content := short[:strings.LastIndexByte(strings.TrimSuffix(short, "\n"), '\n')+1]
		if on.Offset > 0 || next.Offset > 0 { // a piece ends in a line break of its own
			content = strings.TrimSuffix(content, "\n")
			if on.Offset == 0 {
				content += "\n"
			}
		}
		b.WriteString(content)
		next, done = on, strings.HasSuffix(short, "; end of s2.1]\n")
	}
	return b.String(), steps - 1
}

func TestReadingOnShowsEveryLineOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		lines := rapid.SliceOfN(rapid.OneOf(rapid.StringMatching(`[a-z ]{0,30}`), rapid.StringMatching(`[词a-z"]{200,900}`)), 1, 60)
		text := strings.Join(lines.Draw(rt, "lines"), "\n") + "\n"
		room := rapid.IntRange(80, 400)
		whole, _ := readOn(t, text, func() int { return room.Draw(rt, "read") }, func() int { return room.Draw(rt, "shown") })
		if whole != text {
			rt.Errorf("read %q, want %q", whole, text)
		}
	})
}

func TestReadingALongLine(t *testing.T) {
	text := `{"items":[` + strings.Repeat(`{"name":"词é","n":12345},`, 60_000) + "0]}"
	room := func() int { return 10_000 }
	whole, steps := readOn(t, text, room, room)
	if strings.TrimSuffix(whole, "\n") != text || steps < 40 {
		t.Errorf("%d of %d bytes in %d steps", len(whole), len(text), steps)
	}
	first, err := toollimit.Read(text, toollimit.Reading{ID: "s2.1"}, 256)
	if err != nil || !strings.Contains(first, fmt.Sprintf(" of %d of line 1; next: start_line=1 offset=", len(text))) {
		t.Errorf("%v\n%s", err, first)
	}
	found, err := toollimit.Read(text, toollimit.Reading{ID: "s2.1", Find: "0]}"}, 256)
	if err != nil || !strings.Contains(found, "12345},0]}…\n[1 found in lines 1-1 of 1 of s2.1; end of s2.1]") {
		t.Errorf("%v\n%s", err, found)
	}
}

func TestReadingFindsLines(t *testing.T) {
	var b strings.Builder
	for i := range 1_000 {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	next, rows := toollimit.Reading{ID: "s2.1", Find: "LINE 9"}, 0
	for next.Line <= 1_000 {
		text, err := toollimit.Read(b.String(), next, 300)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := toollimit.ReadOn(text); ok {
			t.Error("what was found moves the place where reading goes on")
		}
		rows += strings.Count(text, "L9")
		if _, after, ok := strings.Cut(text, "start_line="); !ok {
			break
		} else if _, err := fmt.Sscanf(after, "%d", &next.Line); err != nil {
			t.Fatal(err)
		}
	}
	if rows != 111 {
		t.Errorf("found %d lines, want 111", rows)
	}
}

func TestReadingErrors(t *testing.T) {
	for _, c := range []struct {
		text    string
		reading toollimit.Reading
		want    string
	}{
		{"a\nb\n", toollimit.Reading{Line: 3}, "s2.1 ends at line 2"},
		{"a\nb\n", toollimit.Reading{Line: math.MaxInt}, "s2.1 ends at line 2"},
		{"a\nb\n", toollimit.Reading{Offset: math.MaxInt}, "s2.1 ends at line 2"},
		{"a\nb\n", toollimit.Reading{Find: "\xff"}, "no line of s2.1 from 1 on contains"},
		{"a\nb\n", toollimit.Reading{Line: -5, Offset: -5, Lines: -5}, ""},
		{"a\nb\n", toollimit.Reading{Line: 2, Lines: math.MaxInt}, ""},
		{"", toollimit.Reading{}, ""},
		{"\xff\xfe", toollimit.Reading{}, ""},
	} {
		c.reading.ID = "s2.1"
		text, err := toollimit.Read(c.text, c.reading, 500)
		if c.want == "" && (err != nil || !strings.Contains(text, "s2.1") || !utf8.ValidString(text)) ||
			c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%q %+v: %q %v, want %q", c.text, c.reading, text, err, c.want)
		}
	}
}

func FuzzReading(f *testing.F) {
	f.Add("one\ntwo\n", "L1 x\n[1 found in lines 1-2 of 2 of s2.1; next: start_line=2]\n", 1, 0, 10, "o", 60)
	f.Add("\xff\n\n", "[lines 1-2 of 3 of s2.1, bytes 5-4 of 3 of line 1; end of s2.1]", 2, 1, 1, "", 5)
	f.Fuzz(func(t *testing.T, text, excerpt string, line, offset, lines int, find string, most int) {
		toollimit.ReadOn(excerpt)
		checkCut(t, toollimit.Excerpt, excerpt, toollimit.Quota{MaxTokens: max(most, 1)})
		out, err := toollimit.Read(text, toollimit.Reading{ID: "s2.1", Line: line, Offset: offset, Lines: lines, Find: find}, max(most, 64))
		if err != nil {
			return
		}
		if n := toollimit.Tokens(out); n > max(most, 64)+8 || !utf8.ValidString(out) {
			t.Errorf("%d tokens of %d: %q", n, most, out)
		}
		checkCut(t, toollimit.Excerpt, out, toollimit.Quota{MaxTokens: max(most, 1)})
	})
}

// TestReadKeepsItsBound reads pieces whose joints cost more than their parts, and footers with more digits at the end of
// the piece than at its beginning.
func TestReadKeepsItsBound(t *testing.T) {
	texts := []string{
		strings.Repeat("x", 8_624), strings.Repeat("\n", 300), strings.Repeat("漢字 ", 900),
		strings.Repeat("pkg/f6.go:0: match 36b52711 here\n", 90), strings.Repeat("a,\u00ad;\x7f\t", 700),
	}
	for _, text := range texts {
		for most := 1; most < 700; most += 1 + most/9 {
			for _, r := range []toollimit.Reading{{ID: "s1.1"}, {ID: "s1.1", Line: 1, Offset: 36}, {ID: "s1204.12", Find: "x"}} {
				short, err := toollimit.Read(text, r, most)
				if n := toollimit.Tokens(short); err == nil && n > most {
					t.Errorf("%d tokens, at most %d: %+v of %.20q", n, most, r, text)
				}
			}
		}
	}
}
