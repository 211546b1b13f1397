package longterm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow/memory"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
)

// TestCorrectionsAsInTheDigest: a memory is replaced, or stays, as a sentence of the digest does. Neither a model that
// states what the user said nor a rule has to know what it is about.
func TestCorrectionsAsInTheDigest(t *testing.T) {
	list, err := os.ReadFile("../../internal/said/testdata/corrections.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(list)) {
		row := strings.Split(strings.TrimSpace(line), " | ")
		if len(row) != 3 {
			continue
		}
		rows++
		older, newer, was := row[0], row[1], row[2]
		model := func(context.Context, string, string) (string, error) {
			stated, err := json.Marshal([]map[string]any{{"content": newer, "category": longterm.ProjectContext, "importance": 7}})
			return string(stated), err
		}
		for by, ask := range map[string]memory.Ask{"a model": model, "rules": nil} {
			e, l := extraction(t, longterm.ExtractorConfig{Ask: ask})
			m := longterm.Memory{Category: longterm.ProjectContext, Content: older, Importance: 7}
			if _, err := l.Save(t.Context(), m, monday); err != nil {
				t.Fatal(err)
			}
			if _, err := e.Extract(t.Context(), longterm.Exchange{Question: newer, At: monday.Add(time.Hour)}); err != nil {
				t.Fatal(err)
			}
			kept := contents(l.List("", "", false))
			if stays := slices.Contains(kept, "project_context "+older); stays != (was == "-") || len(kept) == 0 {
				t.Errorf("%s: %q, then %q, %s replaced: %q", by, older, newer, was, kept)
			}
		}
	}
	if rows < 60 {
		t.Errorf("%d rows", rows)
	}
}

// TestUpdates says which memories are left after messages, without a model.
func TestUpdates(t *testing.T) {
	services := func(from int) (texts []string) {
		for i := range 200 {
			texts = append(texts, fmt.Sprintf("The port of service %d in the cluster is %d.", i, from+i))
		}
		return texts
	}
	changed := services(8_000)
	changed[17], changed[18] = "The port of service 17 in the cluster is 1.", "The port of service 18 in the cluster is 2."
	for name, test := range map[string]struct{ known, said, want []string }{
		"back again": {[]string{"Our database is MySQL."},
			[]string{"Correction: our database is Postgres.", "Sorry, our database is MySQL after all."}, []string{"Our database is MySQL after all."}},
		"a clause": {[]string{"Our database is MySQL, and Jonas runs it."}, []string{"Correction: our database is Postgres."},
			[]string{"Our database is Postgres. Jonas runs it."}},
		"a clause after a semicolon": {[]string{"The deadline is 14 May; Jonas signs it off."},
			[]string{"Correction: the deadline is 20 May."}, []string{"The deadline is 20 May. Jonas signs it off."}},
		"a clause without a word of correction": {[]string{"The deadline is 14 May; Jonas signs it off."},
			[]string{"The deadline is 20 May."}, []string{"The deadline is 20 May. Jonas signs it off."}},
		"two memories": {[]string{"The owner of billing is Anna.", "The owner of billing is Bert."},
			[]string{"Correction: the owner of billing is Carl."}, []string{"The owner of billing is Carl."}},
		"at once": {services(8_000), []string{changed[17] + " " + changed[18]}, changed},
		"twice in a message": {[]string{"The port of the exporter is 1."},
			[]string{"The port of the exporter is 2. No wait, the port of the exporter is 3."}, []string{"The port of the exporter is 3."}},
		"somebody else's words": {[]string{"The owner of billing is Anna."},
			[]string{"> The owner of billing is Bert.\n\nIs that so?", "Translate this: The owner of billing is Bert."},
			[]string{"The owner of billing is Anna."}},
	} {
		e, l := extraction(t, longterm.ExtractorConfig{})
		for _, text := range test.known {
			m := longterm.Memory{Category: longterm.ProjectContext, Content: text, Importance: 7}
			if _, err := l.Save(t.Context(), m, monday); err != nil {
				t.Fatal(err)
			}
		}
		for i, text := range test.said {
			x := longterm.Exchange{Question: text, At: monday.Add(time.Duration(i+1) * time.Hour)}
			if _, err := e.Extract(t.Context(), x); err != nil {
				t.Fatal(err)
			}
		}
		var kept []string
		for _, m := range l.List("", "", false) {
			kept = append(kept, m.Content)
		}
		slices.Sort(kept)
		slices.Sort(test.want)
		if diff := cmp.Diff(test.want, kept); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
