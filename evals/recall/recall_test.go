package recall

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/internal/textsearch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixed is a retriever that always returns the same ids.
func fixed(name string, ids ...string) retriever {
	return retriever{name, func(context.Context, *conversation) (searcher, error) {
		return func(_ string, limit int) (places []place, _ error) {
			for _, id := range ids[:min(limit, len(ids))] {
				places = append(places, place{ids: strings.Split(id, "+"), tokens: 7})
			}
			return places, nil
		}, nil
	}}
}

func TestRun(t *testing.T) {
	sources := []*Source{{Name: "own", conversations: []*conversation{
		{id: "a", turns: []textsearch.Turn{{ID: "1", Speaker: "user"}, {ID: "2", Speaker: "assistant"}}, questions: []question{{"?", "one", []string{"1"}}, {"?", "many", []string{"2", "4", "5", "9"}}}},
		{id: "b", questions: []question{{"?", "one", []string{"3"}}, {"?", "none", nil}}},
	}}}
	ticks := time.Time{}
	now := func() time.Time { ticks = ticks.Add(time.Millisecond); return ticks }
	report, err := Run(t.Context(), sources, Config{retrievers: []retriever{fixed("first", "1", "2", "3", "4"), fixed("nothing")}, K: []int{1, 3}, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]float64{"first": 7, "nothing": 0}
	line := func(retriever, category string, questions int, recall ...float64) row {
		return row{"own", retriever, category, questions, []int{1, 3}, recall, shown[retriever], 1, 1}
	}
	want := []row{
		line("first", "all", 4, .25, (1+.25+1)/4), line("first", "said by the assistant", 1, 0, 1), line("first", "said by the user", 1, 1, 1),
		line("first", "many", 1, 0, .25), line("first", "none", 1, 0, 0), line("first", "one", 2, .5, 1),
		line("nothing", "all", 4, 0, 0), line("nothing", "said by the assistant", 1, 0, 0), line("nothing", "said by the user", 1, 0, 0),
		line("nothing", "many", 1, 0, 0), line("nothing", "none", 1, 0, 0), line("nothing", "one", 2, 0, 0),
	}
	if diff := cmp.Diff(want, report.Rows); diff != "" {
		t.Error(diff)
	}
	text, err := json.Marshal(report)
	if first := `{"suite":"recall","rows":[{"source":"own","retriever":"first","category":"all","questions":4,"recall@1":0.25,"recall@3":0.5625,"tokens":7,"query_p50_ms":1,"index_ms":1},`; err != nil || !strings.HasPrefix(string(text), first) {
		t.Errorf("%s %v", text, err)
	}
	for split, want := range map[string]int{"dev": 2, "test": 2, "all": 4, "": 4} {
		part, err := Run(t.Context(), sources, Config{retrievers: []retriever{fixed("first", "1")}, K: []int{1}, Split: split, Options: &evals.Options{Jobs: 3}})
		if err != nil || part.Rows[0].Questions != want {
			t.Errorf("%s: %+v %v", split, part, err)
		}
	}
	for _, k := range [][]int{nil, {0}, {5, 1}} {
		if _, err := Run(t.Context(), sources, Config{K: k}); err == nil {
			t.Errorf("k %v: no error", k)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, sources, Config{K: []int{1}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"talk.jsonl": `{"id":"a","sessions":[{"date":"1:56 pm on 8 May, 2023","turns":[{"dia_id":"D1:1","speaker":"Ann","text":"Look!","caption":"a red boat"}]},
			{"date":"2023年6月1日","turns":[{"dia_id":"D2:1","speaker":"Bo","text":"Nice."}]}],"qa":[{"question":"What colour?","category":4,"evidence":["D1:1"]},{"question":"Why?"}]}`,
		"quiet.jsonl": `{"id":"a","sessions":[{"turns":[{"dia_id":"1","text":"x"}]}],"qa":[{"question":"Who?","category_name":"odd","evidence":[]}]}`,
		"bad.jsonl":   `{"id":"a","sessions":[{"date":"2025-01-01","turns":[]}]}` + "\n{\n",
		"later.jsonl": `{"id":"a","sessions":[{"date":"soon","turns":[{"dia_id":"1","text":"x"}]}],"qa":[{"question":"Who?","evidence":["1"]}]}`,
	} {
		text = strings.ReplaceAll(text, "\n\t\t\t", " ")
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sources, skipped, err := Load(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []*Source{{Name: "later", File: filepath.Join(dir, "later.jsonl"), undated: []string{"soon"}, conversations: []*conversation{{
		id: "a", turns: []textsearch.Turn{{ID: "1", Session: "1", Text: "x"}}, questions: []question{{"Who?", "none", []string{"1"}}},
	}}}, {Name: "talk", File: filepath.Join(dir, "talk.jsonl"), conversations: []*conversation{{
		id: "a",
		turns: []textsearch.Turn{
			{ID: "D1:1", Session: "1", Speaker: "Ann", Text: "Look! a red boat", At: time.Date(2023, 5, 8, 13, 56, 0, 0, time.UTC)},
			{ID: "D2:1", Session: "2", Speaker: "Bo", Text: "Nice.", At: time.Date(2023, 6, 1, 0, 0, 0, 0, time.UTC)},
		},
		questions: []question{{"What colour?", "4", []string{"D1:1"}}, {"Why?", "none", nil}},
	}}}}
	if diff := cmp.Diff(want, sources[:2], cmp.AllowUnexported(Source{}, conversation{}, question{})); diff != "" {
		t.Error(diff)
	}
	for i, part := range []string{"bad.jsonl:1: no turns", "bad.jsonl:2: ", "quiet: no question has evidence"} {
		if i >= len(skipped) || !strings.Contains(skipped[i], part) {
			t.Errorf("skipped %q, want %q", skipped, part)
		}
	}
}

// TestChinese holds the histories to their form, and the index to what it finds in them.
func TestChinese(t *testing.T) {
	source, err := chinese()
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]bool{}
	for _, c := range source.conversations {
		var ids []string
		for _, turn := range c.turns {
			ids = append(ids, turn.ID)
		}
		for _, q := range c.questions {
			if asked[q.text] || len(q.evidence) == 0 {
				t.Errorf("%s: asked twice, or without evidence", q.text)
			}
			asked[q.text] = true
			for _, e := range q.evidence {
				if !slices.Contains(ids, e) {
					t.Errorf("%s: there is no turn %s", q.text, e)
				}
			}
		}
	}
	report, err := Run(t.Context(), []*Source{source}, Config{K: []int{5}})
	if err != nil {
		t.Fatal(err)
	}
	best := map[string]float64{}
	for _, row := range report.Rows {
		if row.Category == total {
			best[row.Retriever] = row.Recall[0]
		}
	}
	if len(asked) < 30 || best[retrieved] < .9 || best[retrieved] < best[plain]+.1 || best[retrieved] < best[stemmed]+.1 || best[retrieved] != best[renamed] {
		t.Errorf("%d questions, recall at 5 %v", len(asked), best)
	}
}

// An embedder that knows what an animal is finds a turn that shares no word with its question; one that fails ends the
// run, instead of showing what words find under its name.
func TestEmbedder(t *testing.T) {
	sources := []*Source{{Name: "own", conversations: []*conversation{{id: "a", turns: []textsearch.Turn{
		{ID: "1", Speaker: "user", Text: "My spaniel is called Rex."}, {ID: "2", Speaker: "user", Text: "The invoice is due in May."},
		{ID: "3", Speaker: "user", Text: "Trains leave at nine."},
	}, questions: []question{{"which puppies live here?", "one", []string{"1"}}}}}}}
	fail := false
	embed := func(_ context.Context, texts []string) ([][]float32, error) {
		if fail {
			return nil, errors.New("no such model")
		}
		vectors := make([][]float32, len(texts))
		for i, text := range texts {
			vectors[i] = []float32{0, 0, 0, 1e-3}
			for axis, words := range []string{"spaniel puppies", "invoice", "trains"} {
				for word := range strings.FieldsSeq(words) {
					if strings.Contains(strings.ToLower(text), word) {
						vectors[i][axis] = 1
					}
				}
			}
		}
		return vectors, nil
	}
	cfg := Config{K: []int{1}, Embedder: &longterm.Options{Embed: embed, EmbedQuery: embed, Embedder: "animals"}}
	report, err := Run(t.Context(), sources, cfg)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]float64)
	for _, r := range report.Rows {
		if r.Category == "all" {
			found[r.Retriever] = r.Recall[0]
		}
	}
	if found[embedded] != 1 || found[inTurns] != 0 {
		t.Errorf("found %v", found)
	}
	fail = true
	if _, err := Run(t.Context(), sources, cfg); err == nil || !strings.Contains(err.Error(), "no such model") {
		t.Errorf("a dead model: %v", err)
	}
}
