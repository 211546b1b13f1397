package names

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/forayhq/foray/internal/identifier"
)

var texts = rapid.StringMatching(`([a-z]{2,5}[A-Z_/.]?[a-z0-9]{0,3}[ \n\t.:/]{0,2}){0,30}`)

// TestLinesAndNames compares what a table finds with a plain scan of the same text.
func TestLinesAndNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table Table
		for range 3 {
			text := texts.Draw(t, "text")
			var want []string
			for name := range identifier.All(text) {
				if !slices.Contains(want, name) {
					want = append(want, name)
				}
			}
			lines, numbers := table.Lines(text)
			if !slices.Equal(numbers, table.Names(text)) {
				t.Fatalf("%q: %v in lines, %v in the text", text, numbers, table.Names(text))
			}
			var got []string
			for _, number := range numbers {
				got = append(got, table.Name(number))
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%q: %q, want %q", text, got, want)
			}
			split := strings.Split(text, "\n")
			for i, index := range lines.Indexes {
				if lines.Texts[i] == "" || lines.Texts[i] != strings.TrimSpace(split[index]) {
					t.Fatalf("%q: line %d is %q", text, index, lines.Texts[i])
				}
				for _, number := range lines.Names[i].Names {
					if !strings.Contains(lines.Texts[i], table.Name(number)) {
						t.Fatalf("%q: %s is not in %q", text, table.Name(number), lines.Texts[i])
					}
				}
			}
			if some := lines.Only([]int{1, 3}); slices.Contains(some.Indexes, 0) || slices.Contains(some.Indexes, 2) {
				t.Fatalf("%q: lines %v of 1 and 3", text, some.Indexes)
			}
		}
	})
}

func TestWeight(t *testing.T) {
	var table Table
	numbers := table.Names("first/ other/ third/")
	for unit := 1; unit <= 6; unit++ {
		table.Count(unit, numbers[:1], false)
		table.Count(unit, numbers[:1], false)
	}
	table.Count(7, numbers[1:2], true)
	table.Show(numbers[2:], 1)
	for i, want := range []int{mostWeight, 1 + writtenWeight, 0} {
		if table.Weight(numbers[i]) != want {
			t.Errorf("%s weighs %d, want %d", table.Name(numbers[i]), table.Weight(numbers[i]), want)
		}
	}
	if name := table.Name(numbers[0]); table.Visible(name) || table.Visible("nowhere") {
		t.Errorf("%s is visible", name)
	}
}

func TestUnlike(t *testing.T) {
	for _, c := range []struct {
		texts [][]string
		want  []int
	}{
		{[][]string{{"all is well", "verdict: healthy"}, {"all is well", "verdict: BROKEN"}, {"verdict: healthy", "all is well"}},
			[]int{-1, 1, -1}},
		{[][]string{{"took 12 ms"}, {"took 777 ms"}}, []int{-1, -1}}, // numbers nearly always differ
		{[][]string{{"one odd line", "two very odd lines", "three very odd lines"}, nil}, []int{2, -1}},
		{[][]string{{"a b c"}}, []int{-1}},
		{[][]string{{"\xff\xfeabc\xff", "好的"}, {"abc", "总计很多"}}, []int{-1, 1}},
		{nil, []int{}},
	} {
		var table Table
		var words []Words
		for _, text := range c.texts {
			words = append(words, table.Words(text))
		}
		if got := table.Unlike(words); !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v", c.texts, got, c.want)
		}
	}
}
