package identifier

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// keyLines returns the lines that Cover chooses of one text, in ascending order. A nil weigh gives each identifier weight 1.
func keyLines(lines []string, weigh func(identifier string) int, fits func(line int) bool) []int {
	var v Vocabulary
	var names []int32
	numbered := make([]Line, len(lines))
	for i, l := range lines {
		numbered[i], names = v.Line(l, names)
	}
	var chosen []int
	v.Cover([][]Line{numbered}, func(number int32) int {
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
		if got := strings.Join(slices.Collect(All(text)), " "); got != want {
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
			tokens := (len(lines[i]) + 3) / 4
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

func drawText(t *rapid.T) string {
	word := rapid.OneOf(rapid.StringMatching(`[a-zA-Z_/.:]{1,12}`), rapid.StringMatching(`[一-龥]{1,8}`), rapid.String(),
		rapid.SampledFrom([]string{"src/a/b.go", "+x_y", "camelCase", "pkg/some_name.go", "\xff\xfe", "👩‍👩‍👧", strings.Repeat("x", 300)}))
	line := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(word, 0, 8).Draw(t, "words"), " ") })
	return strings.Join(rapid.SliceOfN(line, 0, 60).Draw(t, "lines"), "\n")
}

// TestCoverOfNumberedLines checks that lines numbered once, in a vocabulary that knows other texts, are chosen as if they
// were scanned again.
func TestCoverOfNumberedLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := strings.Split(drawText(t), "\n")
		var v Vocabulary
		var names []int32
		numbered := make([]Line, len(lines))
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
		v.Cover([][]Line{numbered[:len(numbered)/2], numbered[len(numbered)/2:]},
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

// plainly is what All does, in the words of its comment.
func plainly(text string) (names []string) {
	for _, at := range regexp.MustCompile(`[0-9A-Za-z_]+`).FindAllStringIndex(text, -1) {
		name := text[at[0]:at[1]]
		inner := regexp.MustCompile(`[0-9]|[a-z][A-Z]|[0-9A-Za-z_]_[0-9A-Za-z_]`).MatchString(name)
		if len(name) >= shortest && strings.ContainsFunc(name, unicode.IsLetter) && (inner || isSegment(text, at[0], at[1])) {
			names = append(names, name)
		}
	}
	return names
}

func TestAllIsWhatItSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-c]|[A-C]|[01]|_|/|\.| |é){0,30}`).Draw(t, "text")
		if got := slices.Collect(All(text)); !slices.Equal(got, plainly(text)) {
			t.Errorf("%q holds %q, want %q", text, got, plainly(text))
		}
	})
}
