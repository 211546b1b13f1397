package repeat

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// text is a text of lines, each written by a format with its number and its content.
func text(format string, from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, format, i, fmt.Sprintf("\tvalue%d := compute(%d, %q)", i, i, "a few words"))
	}
	return b.String()
}

func TestFormsOfOneText(t *testing.T) {
	forms := []string{"%.0[1]d%[2]s\n", "%4d│ %s\n", "%6d\t%s\n", "%d:%s\n", "src/a.go:%d:%s\n", "%.0[1]d%[2]s  \r\n", "%d→%s\n"}
	bare := func(format string) string {
		if format == forms[0] || format == forms[5] {
			return strings.ReplaceAll(format, "%.0[1]d", "")
		}
		return format
	}
	write := func(format string, from, to int) string {
		if format = bare(format); strings.Contains(format, "%[2]s") {
			var b strings.Builder
			for _, line := range strings.Split(strings.TrimSuffix(text("%d %s\n", from, to), "\n"), "\n") {
				_, line, _ = strings.Cut(line, " ")
				b.WriteString(strings.Replace(format, "%[2]s", line, 1))
			}
			return b.String()
		}
		return text(format, from, to)
	}
	for _, shown := range forms {
		for _, again := range forms {
			x := new(Index[string])
			stored := write(shown, 1, 30)
			x.Add("a", stored, stored)
			runs := Find("a head\n"+write(again, 11, 20)+"a tail\n", x)
			if len(runs) != 1 || runs[0].First != 2 || runs[0].Last != 11 || runs[0].At != 11 || runs[0].Of != "a" {
				t.Errorf("%q after %q: %+v", again, shown, runs)
			}
		}
	}
}

// A line that a text has many times is one run, from its first line.
func TestEqualLines(t *testing.T) {
	x := new(Index[string])
	same := strings.Repeat("probe ok in zone eu, with the health of all of it\n", 70)
	x.Add("a", same, same)
	runs := Find(same+"verdict: fine\n", x)
	if len(runs) != 1 || runs[0].First != 1 || runs[0].Last != 70 || runs[0].At != 1 {
		t.Errorf("%+v", runs)
	}
}

func TestNoRun(t *testing.T) {
	long := strings.Repeat("word ", 20)
	for name, c := range map[string][2]string{
		"four lines":       {text("%d:%s\n", 1, 4), text("%d:%s\n", 1, 4) + "more\n"},
		"short lines":      {strings.Repeat("}\n", 9), strings.Repeat("}\n", 9)},
		"other times":      {"10:01:02 " + long + "\n10:01:03 " + long + "\n10:01:04 a\n10:01:05 b\n10:01:06 c", "11:01:02 " + long + "\n11:01:03 " + long + "\n11:01:04 a\n11:01:05 b\n11:01:06 c"},
		"other indenting":  {text("%d:%s\n", 1, 9), text("%d:  %s\n", 1, 9)},
		"nothing":          {"", ""},
		"nothing in one":   {text("%d:%s\n", 1, 9), ""},
		"an excerpt apart": {text("%d:%s\n", 1, 9), text("%d:%s\n", 1, 2) + text("%d:%s\n", 5, 7)},
	} {
		x := new(Index[int])
		x.Add(1, c[0], c[0])
		if runs := Find(c[1], x); len(runs) > 0 {
			t.Errorf("%s: %+v", name, runs)
		}
	}
	if runs := Find[int](text("%d:%s\n", 1, 9), new(Index[int])); runs != nil {
		t.Errorf("in an empty index: %+v", runs)
	}
}

// TestRangesOfExcerpts shows parts of texts and resolves each run in the stored texts.
func TestRangesOfExcerpts(t *testing.T) {
	stored := text("%.0d%s\n", 1, 400)
	lines := strings.Split(stored, "\n")
	shown := strings.Join(lines[:40], "\n") + "\n[… lines 41-350 of 400]\n" + lines[99] + "\n" + lines[200] + "\n" + strings.Join(lines[350:], "\n")
	x := new(Index[int])
	x.Add(1, stored, shown)
	runs := Find(strings.Join(lines[20:380], "\n"), x)
	if len(runs) != 2 {
		t.Fatalf("%+v", runs)
	}
	for _, r := range runs {
		if !slices.Equal(lines[19+r.First:20+r.Last], lines[r.At-1:r.At+r.Last-r.First]) {
			t.Errorf("%+v is not true", r)
		}
	}
}

// FuzzFind checks that each run is true: the lines are those of the stored text, but for their numbers.
func FuzzFind(f *testing.F) {
	f.Add(text("%d:%s\n", 1, 20), text("%d:%s\n", 5, 30), 3, 15)
	f.Add("a\nb\n", "", 0, 0)
	f.Fuzz(func(t *testing.T, stored, again string, from, to int) {
		lines := strings.Split(stored, "\n")
		from = min(max(from, 0), len(lines))
		to = min(max(to, from), len(lines))
		x := new(Index[int])
		x.Add(1, stored, strings.Join(lines[from:to], "\n"))
		got, want := slices.Collect(bareLines(again)), slices.Collect(bareLines(stored))
		last := 0
		for _, r := range Find(again, x) {
			n := r.Last - r.First + 1
			if r.First <= last || n < minLines || !slices.Equal(got[r.First-1:r.Last], want[r.At-1:r.At-1+n]) {
				t.Errorf("%+v is not true", r)
			}
			last = r.Last
		}
	})
}

// TestSearchedTextsAreAddedAlike searches for texts before it adds them, as a window does, or adds them at once. Both
// indexes find the same.
func TestSearchedTextsAreAddedAlike(t *testing.T) {
	texts := []string{text("%d:%s\n", 1, 20), "", text("%d:%s\n", 15, 30), text("%d:%s\n", 1, 20), "a\n" + text("%4d│ %s\n", 3, 9)}
	searched, added := new(Index[int]), new(Index[int])
	for i, s := range texts {
		for _, other := range texts {
			if got, want := Find(other, searched), Find(other, added); !slices.Equal(got, want) {
				t.Fatalf("before text %d: found %+v, want %+v", i, got, want)
			}
		}
		Find(s, new(Index[int]), searched)
		searched.Add(i, s, s)
		added.last = scanned{}
		added.Add(i, s, s)
	}
}
