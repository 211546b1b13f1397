package toollimit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/forayhq/foray/toollimit"
)

// keyLines returns the lines that Cover chooses of one text, in ascending order. A nil weigh gives each identifier weight 1.
func keyLines(lines []string, weigh func(identifier string) int, fits func(line int) bool) []int {
	var v toollimit.Vocabulary
	var names []int32
	numbered := make([]toollimit.Line, len(lines))
	for i, l := range lines {
		numbered[i], names = v.Line(l, names)
	}
	var chosen []int
	v.Cover([][]toollimit.Line{numbered}, func(number int32) int {
		if weigh == nil {
			return 1
		}
		return weigh(v.Name(number))
	}, func(_, line int) bool {
		if !fits(line) {
			return false
		}
		chosen = append(chosen, line)
		return true
	})
	slices.Sort(chosen)
	return chosen
}

func TestIdentifiers(t *testing.T) {
	for text, want := range map[string]string{
		"func readFile(path string) (os.File, error)": "readFile File",
		"see contextwindow/fit.go:12 or a.b.c":        "contextwindow",
		"max_value MAX_VALUE _private trailing_ x_y":  "max_value MAX_VALUE",
		"sha256 1234567 0x12ab v1.2.3 abc1":           "sha256 0x12ab abc1",
		"A sentence ends. Another begins/ends here.":  "begins ends",
		"import django.db.models as dbm":              "django models",
		"HTTPServer plain WORDS only":                 "",
		"parseHTTP getX":                              "parseHTTP getX",
		"日本語name_one変数 é_test":                        "name_one",
		"":                                            "",
	} {
		if got := strings.Join(slices.Collect(toollimit.Identifiers(text)), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestKeyLinesCover(t *testing.T) {
	lines := []string{
		"plain words", "alpha_one beta_two", "alpha_one", "alpha_one beta_two gamma_three and so many words that say nothing at all about anything",
		"delta_four", strings.Repeat("x", 200) + " epsilon_five", "delta_four zeta_six", "x",
	}
	seen := func(name string) int {
		if name == "gamma_three" {
			return 0
		}
		return 1
	}
	within := func(room int) func(int) bool {
		return func(i int) bool {
			tokens := toollimit.Tokens(lines[i])
			if tokens > room {
				return false
			}
			room -= tokens
			return true
		}
	}
	if got := keyLines(lines, seen, within(1_000)); !slices.Equal(got, []int{1, 4, 6}) && !slices.Equal(got, []int{1, 6}) {
		t.Errorf("chose %v", got)
	}
	if got := keyLines(lines, nil, within(7)); len(got) != 1 {
		t.Errorf("chose %v in 7 tokens", got)
	}
	if got := keyLines(lines, nil, within(0)); len(got) != 0 {
		t.Errorf("chose %v in no room", got)
	}
}

// TestCutShowsWhatIsNotSeen checks that the middle of a text gives its room to lines with identifiers that stand
// nowhere else, and that the rest is listed.
func TestCutShowsWhatIsNotSeen(t *testing.T) {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "call to handler_%d returned without an error\n", i%20)
		if i%97 == 50 {
			fmt.Fprintf(&b, "raised SpecialError%d in module_%d\n", i, i)
		}
	}
	for i := range 30 {
		fmt.Fprintf(&b, "%s name_%d\n", strings.Repeat("long words ", 20), i)
	}
	b.WriteString(strings.Repeat("the end\n", 3))
	seen := func(name string) bool { return strings.HasPrefix(name, "handler_") }
	for _, kind := range []toollimit.Kind{toollimit.Text, toollimit.Output, toollimit.File} {
		short, cut := toollimit.Truncate(kind, b.String(), toollimit.Quota{MaxTokens: 600, Pointer: "s1.1", Seen: seen})
		if !cut || toollimit.Tokens(short) > 600 {
			t.Fatalf("%s: %d tokens", kind, toollimit.Tokens(short))
		}
		for _, want := range []string{"SpecialError50", "SpecialError147", "SpecialError244", "SpecialError341"} {
			if !strings.Contains(toollimit.StripNames(short), want) {
				t.Errorf("%s: no line with %s in\n%s", kind, want, short)
			}
		}
		if !strings.Contains(short, "[also there: name_") || strings.Contains(toollimit.StripNames(short), "name_1 name_2") {
			t.Errorf("%s: identifiers of the rest are not listed, or not masked:\n%s", kind, short)
		}
	}
}

func BenchmarkKeyLines(b *testing.B) {
	text := strings.Repeat("func (s *Server) handleRequest12(ctx context.Context, in_put Request) error {\n\treturn s.run(ctx)\n}\n", 500)
	lines := strings.Split(text, "\n")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		chosen := 0
		keyLines(lines, nil, func(int) bool {
			chosen++
			return chosen < 40
		})
	}
}

// TestCoverOfNumberedLines checks that lines numbered once, in a vocabulary that knows other texts, are chosen as if they
// were scanned again.
func TestCoverOfNumberedLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := strings.Split(drawText(t), "\n")
		var v toollimit.Vocabulary
		var names []int32
		numbered := make([]toollimit.Line, len(lines))
		_, names = v.Line(drawText(t), names)
		for i, l := range lines {
			numbered[i], names = v.Line(l, names)
		}
		weigh := func(name string) int { return len(name) % 3 }
		most := rapid.IntRange(0, 10).Draw(t, "most")
		fits := func(n *int) func(int) bool {
			return func(int) bool { *n++; return *n <= most }
		}
		var n, m int
		want := keyLines(lines, weigh, fits(&n))
		var got []int
		fit := fits(&m)
		v.Cover([][]toollimit.Line{numbered[:len(numbered)/2], numbered[len(numbered)/2:]},
			func(number int32) int { return weigh(v.Name(number)) }, func(text, line int) bool {
				if line += text * (len(numbered) / 2); !fit(line) {
					return false
				}
				got = append(got, line)
				return true
			})
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("chose %v of the numbered lines, %v of the others", got, want)
		}
	})
}
