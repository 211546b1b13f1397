package longterm_test

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

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
