//go:build vocabularies

package tokens

import "testing"

// TestExact counts known words by the published vocabularies, and holds the estimate to them on prose.
func TestExact(t *testing.T) {
	sessions, _ := load(t, counted("m", "a", 30, 1))
	exact, err := Exact(sessions)
	if err != nil {
		t.Fatal(err)
	}
	if len(exact) != len(vocabularies) || exact[0].Model != "gpt-4o (o200k_base)" {
		t.Fatalf("%d sessions, the first of %q", len(exact), exact[0].Model)
	}
	const sentence = 10 // tokens of "The quick brown fox jumps over the lazy dog."
	for _, s := range exact {
		if got := s.growths[0].Counted; got < 399*sentence || got > 402*sentence+1 {
			t.Errorf("%s counts %d tokens in 400 sentences of %d", s.Model, got, sentence)
		}
	}
	r, err := Run(t.Context(), append(sessions, exact...), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		if len(row.Errors) == 0 || row.Errors[1].Median > .15 {
			t.Errorf("%s: %+v", row.Model, row.Errors)
		}
	}
}
