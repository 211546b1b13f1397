package cited_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/evals/internal/cited"
	"github.com/forayhq/foray/tools/report"
)

func TestIn(t *testing.T) {
	all, files := cited.In("In `a/b.go:3` and [c.py:1-9], again a/b.go:3; not at 12:30 or v1.2.\n\n" +
		"RELEVANT_FILES:\n- c.py:1-9 (the loop)\n- d.rs#L4-L5\n- notes.md\n")
	want := []report.Citation{{Path: "a/b.go", Start: 3, End: 3}, {Path: "c.py", Start: 1, End: 9},
		{Path: "d.rs", Start: 4, End: 5}}
	if d := cmp.Diff(want, all); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"notes.md"}, files); d != "" {
		t.Error(d)
	}
}

func TestShows(t *testing.T) {
	place := report.Citation{Path: "a.go", Start: 100, End: 139}
	for c, want := range map[report.Citation]bool{
		{Path: "a.go", Start: 139, End: 139}: true,
		{Path: "a.go", Start: 140, End: 140}: false,
		{Path: "a.go", Start: 90, End: 100}:  true,
		{Path: "a.go", Start: 90, End: 169}:  true,
		{Path: "a.go", Start: 90, End: 170}:  false,
		{Path: "b.go", Start: 100, End: 139}: false,
	} {
		if cited.Shows(c, place) != want {
			t.Errorf("%v shows %v: %t", c, place, !want)
		}
	}
}
