package report

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseCitation(t *testing.T) {
	for s, want := range map[string]Citation{
		"a.go:12":                  {"a.go", 12, 12},
		"src/a.go:12-30":           {"src/a.go", 12, 30},
		"./src//a.go:L12-L30":      {"src/a.go", 12, 30},
		"a.go:L3-9":                {"a.go", 3, 9},
		"a.go#L3":                  {"a.go", 3, 3},
		"a.go#L3-L9":               {"a.go", 3, 9},
		"my docs/read me.md:4":     {"my docs/read me.md", 4, 4},
		"my docs/read me.md#L4-L5": {"my docs/read me.md", 4, 5},
		" [a.go:3] ":               {"a.go", 3, 3},
		"(a.go:3)":                 {"a.go", 3, 3},
		"`a.go:3-4`":               {"a.go", 3, 4},
		"[`a.go:3-4`]":             {"a.go", 3, 4},
		"`a b.go`:3":               {"a b.go", 3, 3},
		"app/[id]/page.tsx:7":      {"app/[id]/page.tsx", 7, 7},
		`"a\nb.go":3`:              {"a\nb.go", 3, 3},
		"a:1 b:2":                  {"a:1 b", 2, 2},
	} {
		if got, err := ParseCitation(s); err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", s, got, err, want)
		}
	}
	for _, s := range []string{"", "a.go", ":3", "a.go:", "a.go:x", "a.go:0", "a.go:9-3", "a.go:9999999999", "a.go:3-", "[]:"} {
		if got, err := ParseCitation(s); err == nil {
			t.Errorf("%q was read as %+v", s, got)
		}
	}
}

func TestCitationInJSON(t *testing.T) {
	in := []Citation{{"a b.go", 3, 3}, {"a\nb.go", 3, 9}}
	data, err := json.Marshal(in)
	if want := `["a b.go:3","\"a\\nb.go\":3-9"]`; err != nil || string(data) != want {
		t.Fatalf("%s, %v; want %s", data, err, want)
	}
	var out []Citation
	if err := json.Unmarshal(data, &out); err != nil || !cmp.Equal(in, out) {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestSplitList(t *testing.T) {
	rest, entries := SplitList(
		"It is F [a.go:3].\n\n**RELEVANT_FILES:**\n- `a.go:1-3` best\n* my dir/b c.go:4-9, the rest\n- d.go#L3-L4\n- dir/empty file.txt\n```\n",
	)
	want := []string{"a.go:1-3", "my dir/b c.go:4-9", "d.go#L3-L4", "dir/empty file.txt"}
	if diff := cmp.Diff(want, entries); rest != "It is F [a.go:3]." || diff != "" {
		t.Errorf("%q (-want +got)\n%s", rest, diff)
	}
}

// What parses is printed in a form that parses to the same.
func FuzzParseCitation(f *testing.F) {
	for _, s := range []string{
		"a.go:1", "a/b.go:12-30", "[a.go:L3-L9]", "`x y.md:4`", "a.go:0", "a.go:9-3", ":3", "a:b:7", "a.go:99999999999", "../../etc/passwd:1", "", "./ :1",
		"./[a:1", "a`b:2", `"\"a":2`, `"a:1`, "a\xff:1", "a#L1", "(a b):3-4", "./`:1", "a\n:1", "\u2028:1", "./\"\":3",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := ParseCitation(s)
		if err != nil {
			return
		}
		if c.Start < 1 || c.End < c.Start || c.Path == "" {
			t.Fatalf("%q: %+v", s, c)
		}
		if again, err := ParseCitation(c.String()); err != nil || again != c {
			t.Fatalf("%q is written %q, which is read as %+v, %v; want %+v", s, c, again, err, c)
		}
	})
}
