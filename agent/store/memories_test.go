package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/contextwindow/memory/working"
)

// all returns every memory.
func all(t testing.TB, s *store.Store) []longterm.Memory {
	t.Helper()
	var found []longterm.Memory
	for m, err := range s.Memories().All(context.Background()) {
		must(t, err)
		found = append(found, m)
	}
	return found
}

func remembered(id, content string) longterm.Memory {
	return longterm.Memory{ID: id, Category: longterm.Fact, Content: content, Importance: 5, Created: start, Updated: start}
}

// What another process deletes or changes while memories are embedded stays deleted and changed.
func TestEmbeddingBringsNothingBack(t *testing.T) {
	alone(t)
	path := filepath.Join(t.TempDir(), "foray.db")
	ours, theirs := open(t, path, nil), open(t, path, nil)
	ctx := context.Background()
	for _, m := range []longterm.Memory{remembered("gone", "blue"), remembered("edited", "old"), remembered("kept", "same")} {
		must(t, ours.Memories().Put(ctx, m))
	}
	l, err := longterm.Open(ctx, &longterm.Options{Store: ours.Memories(), Embedder: "e", Embed: func(_ context.Context, texts []string) ([][]float32, error) {
		if slices.Contains(texts, "blue") {
			must(t, theirs.Memories().Delete(ctx, "gone"))
			must(t, theirs.Memories().Put(ctx, remembered("edited", "new")))
		}
		vectors := make([][]float32, len(texts))
		for i, text := range texts {
			vectors[i] = []float32{1, float32(len(text)), 3}
		}
		return vectors, nil
	}})
	must(t, err)
	_, err = l.Reembed(ctx)
	must(t, err)
	got := make(map[string]string)
	for _, m := range all(t, ours) {
		got[m.ID] = m.Content
	}
	if want := (map[string]string{"edited": "new", "kept": "same"}); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Whatever is put and deleted, All has the last of each id, the oldest first, and each is found by its words.
func TestMemoriesLikeAMap(t *testing.T) {
	alone(t)
	t.Parallel()
	ctx := context.Background()
	contents := append(slices.Clone(odd), "the cat sat", "数据库 迁移", "cats\xff and dogs", strings.Repeat("long ", 2000))
	rapid.Check(t, func(r *rapid.T) {
		s := open(t, "", nil)
		want := make(map[string]longterm.Memory)
		id := rapid.SampledFrom([]string{"a", "b", "c", odd[0], odd[2]})
		r.Repeat(map[string]func(*rapid.T){
			"put": func(r *rapid.T) {
				m := remembered(id.Draw(r, "id"), rapid.SampledFrom(contents).Draw(r, "content"))
				m.User, m.Embedder, m.SupersededBy = rapid.SampledFrom(odd).Draw(r, "user"), "e", id.Draw(r, "by")
				m.Created = rapid.SampledFrom([]time.Time{{}, start, start.Add(1)}).Draw(r, "created")
				m.Embedding = rapid.SliceOf(rapid.Float32()).Draw(r, "embedding")
				m.Links = rapid.SliceOfN(id, 1, 2).Draw(r, "links")
				m.Provenance = longterm.Provenance{Thread: m.User, Message: "3"}
				if len(m.Embedding) == 0 {
					m.Embedding = nil
				}
				want[m.ID] = m
				must(t, s.Memories().Put(ctx, m))
			},
			"delete": func(r *rapid.T) {
				gone := id.Draw(r, "id")
				delete(want, gone)
				must(t, s.Memories().Delete(ctx, "never was", gone))
			},
			"touch": func(r *rapid.T) {
				read := id.Draw(r, "id")
				if m, ok := want[read]; ok {
					m.Accesses++
					m.LastAccess = start
					want[read] = m
				}
				must(t, s.Memories().Touch(ctx, start, "never was", read))
			},
			"": func(r *rapid.T) {
				sorted := make([]longterm.Memory, 0, len(want))
				for _, m := range want {
					sorted = append(sorted, m)
				}
				slices.SortFunc(sorted, func(a, b longterm.Memory) int {
					if c := a.Created.Compare(b.Created); c != 0 {
						return c
					}
					return strings.Compare(a.ID, b.ID)
				})
				if diff := cmp.Diff(sorted, append([]longterm.Memory{}, all(t, s)...)); diff != "" {
					r.Fatal(diff)
				}
			},
		})
		if err := errors.Join(s.Check(ctx), s.Close()); err != nil {
			r.Fatal(err)
		}
	})
}

// More memories than are read at once come whole and in order, also when some are deleted in between.
func TestAllOfManyMemories(t *testing.T) {
	alone(t)
	t.Parallel()
	s := open(t, "", nil)
	const n = 2500
	many := make([]longterm.Memory, n)
	for i := range many {
		many[i] = remembered(fmt.Sprintf("m%04d", i), "content")
		many[i].Created = start.Add(time.Duration(i / 700)) // many of one time
	}
	shuffled := slices.Concat(many[n/2:], many[:n/2])
	must(t, s.Memories().Put(t.Context(), shuffled...))
	if diff := cmp.Diff(many, all(t, s)); diff != "" {
		t.Error(diff)
	}
	var seen []string
	for m, err := range s.Memories().All(t.Context()) {
		must(t, err)
		seen = append(seen, m.ID)
		if len(seen)%25 == 0 {
			must(t, s.Memories().Delete(t.Context(), m.ID)) // nothing is locked meanwhile
		}
	}
	if len(seen) != n || !slices.IsSorted(seen) {
		t.Errorf("%d of %d memories seen", len(seen), n)
	}
	if left := len(all(t, s)); left != n-n/25 {
		t.Errorf("%d memories left of %d", left, n)
	}
}

func TestSearch(t *testing.T) {
	s := open(t, "", nil)
	ctx := t.Context()
	for id, content := range map[string]string{
		"run":    "She runs every morning before work",
		"editor": "Prefers the editor Helix with a dark theme",
		"path":   "The configuration is in internal/serverconfig/loader.go",
		"zh-db":  "用户喜欢使用 PostgreSQL 数据库，不喜欢 MySQL",
		"zh-tea": "她每天早上喝绿茶",
		"cafe":   "Meets Zoé at the café",
		"sql":    "'; DROP TABLE memories; --",
		"ja":     "東京タワーの近くに住んでいます",
	} {
		must(t, s.Memories().Put(ctx, remembered(id, content)))
	}
	other := remembered("other", "runs another user's service")
	other.User, other.Category = "other", longterm.Skill
	old := remembered("old", "prefers the editor Vim")
	old.SupersededBy = "editor"
	must(t, s.Memories().Put(ctx, other, old))
	for _, c := range []struct {
		query longterm.Query
		want  string
	}{
		{longterm.Query{Text: "What does she do when running in the mornings?"}, "run other"},
		{longterm.Query{Text: "running", User: "other"}, "other"},
		{longterm.Query{Text: "running", Category: longterm.Fact}, "run"},
		{longterm.Query{Text: "running", Limit: 1}, "other"}, // the shorter
		{longterm.Query{Text: "EDITOR"}, "editor"},
		{longterm.Query{Text: "vim editors", Superseded: true}, "old editor"},
		{longterm.Query{Text: "数据库"}, "zh-db"},
		{longterm.Query{Text: "茶"}, "zh-tea"},
		{longterm.Query{Text: "他用什么数据库？"}, "zh-db"},
		{longterm.Query{Text: "早上"}, "zh-tea"},
		{longterm.Query{Text: "タワー"}, "ja"},
		{longterm.Query{Text: "cafe"}, "cafe"},
		{longterm.Query{Text: "verconf"}, "path"}, // inside a word
		{longterm.Query{Text: "drop table"}, "sql"},
		{longterm.Query{Text: `" OR content:* NOT -`}, ""},
		{longterm.Query{Text: ""}, ""},
		{longterm.Query{Text: "\x00\xff"}, ""},
		{longterm.Query{Text: "running", Limit: -1}, ""},
	} {
		hits, err := s.Memories().Search(ctx, c.query)
		must(t, err)
		var got []string
		for _, h := range hits {
			got = append(got, h.ID)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q: %v, want %v", c.query.Text, got, c.want)
		}
	}
	must(t, s.Memories().Put(ctx, remembered("zh-tea", "她现在喝咖啡")))
	if hits, err := s.Memories().Search(ctx, longterm.Query{Text: "绿茶"}); len(hits) != 0 || err != nil {
		t.Errorf("what was edited is found by its old words: %v %v", hits, err)
	}
	if hits, err := s.Memories().Search(ctx, longterm.Query{Text: "咖啡"}); len(hits) != 1 || err != nil {
		t.Errorf("what was edited is not found by its new words: %v %v", hits, err)
	}
}

// A search sees what other connections and other processes wrote, and so does Check.
func TestSearchSeesOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.db")
	a, b := open(t, path, nil), open(t, path, nil)
	for i := range 60 {
		writer, reader := a, b
		if i%2 == 0 {
			writer, reader = b, a
		}
		must(t, writer.Memories().Put(t.Context(), remembered(fmt.Sprint(i%7), fmt.Sprintf("common word%d", i))))
		for _, s := range []*store.Store{writer, reader} {
			hits, err := s.Memories().Search(t.Context(), longterm.Query{Text: fmt.Sprintf("word%d", i)})
			if len(hits) != 1 || err != nil || hits[0].ID != fmt.Sprint(i%7) {
				t.Fatalf("%d: %v %v", i, hits, err)
			}
			hits, err = s.Memories().Search(t.Context(), longterm.Query{Text: "common"})
			if len(hits) != min(i+1, 7) || err != nil {
				t.Fatalf("%d: %v %v", i, hits, err)
			}
			if i%10 == 0 {
				must(t, s.Check(t.Context()))
			}
		}
	}
}

// Whatever is asked, the database answers.
func FuzzSearch(f *testing.F) {
	s := open(f, "", nil)
	for i, text := range odd {
		must(f, s.Memories().Put(context.Background(), remembered(fmt.Sprint(i), text)))
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := s.Memories().Search(context.Background(), longterm.Query{Text: text}); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	})
}

// What is deleted is not in the file any more.
func TestDeletionIsReal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.db")
	s, err := store.Open(t.Context(), path, nil)
	must(t, err)
	must(t, s.CreateThread(t.Context(), threadOf("t")))
	_, err = appendTo(t.Context(), s, "t", 0, say("kept"), say("Xylophone "+strings.Repeat("and more ", 3000)))
	must(t, err)
	must(t, s.Texts().Keep(t.Context(), "t", []working.Entry{{ID: "b"}}, map[string]string{"b": "xylophone"}))
	must(t, s.Memories().Put(t.Context(), remembered("m", "the xylophone"), remembered("n", "kept")))
	must(t, s.Memories().Delete(t.Context(), "m"))
	must(t, s.DeleteThread(t.Context(), "t"))
	must(t, s.Close())
	data, err := os.ReadFile(path)
	must(t, err)
	if at := bytes.Index(bytes.ToLower(data), []byte("xylophone")); at >= 0 {
		t.Errorf("it is still there, at byte %d", at)
	}
	if !bytes.Contains(data, []byte("kept")) {
		t.Error("what was kept is not there")
	}
	if files, err := os.ReadDir(filepath.Dir(path)); len(files) != 1 || err != nil {
		t.Errorf("files beside the database: %v %v", files, err)
	}
}

// What one process writes of memories another learns without reading everything.
func TestTwoProcessesRemember(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "f.db")
	longTerm := func() *longterm.Memories {
		l, err := longterm.Open(ctx, &longterm.Options{Store: open(t, path, nil).Memories()})
		must(t, err)
		return l
	}
	a, b := longTerm(), longTerm()
	save := func(l *longterm.Memories, content string) longterm.Memory {
		m, err := l.Save(ctx, longterm.Memory{User: "ada", Category: longterm.Fact, Content: content}, start)
		must(t, err)
		return m
	}
	same := func(step string, changes bool) {
		t.Helper()
		before := b.Version()
		must(t, b.Refresh(ctx))
		if diff := cmp.Diff(a.List("ada", "", true), b.List("ada", "", true)); diff != "" || changes != (b.Version() > before) {
			t.Errorf("%s: version %d behind %d\n%s", step, b.Version(), before, diff)
		}
	}
	tea := save(a, "Ada drinks tea.")
	same("added", true)
	same("nothing", false)
	_, err := a.Update(ctx, tea.ID, start.Add(time.Hour), func(m *longterm.Memory) { m.Importance = 9 })
	must(t, err)
	same("changed", true)
	_, err = a.Supersede(ctx, longterm.Memory{User: "ada", Category: longterm.Fact, Content: "Ada drinks coffee."}, start.Add(2*time.Hour), tea.ID)
	must(t, err)
	same("superseded", true)
	found, err := a.Search(ctx, longterm.Query{User: "ada", Text: "coffee", At: start})
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	before := b.Version()
	must(t, b.Refresh(ctx))
	if b.Version() != before {
		t.Error("that a memory was read is no change")
	}
	own := save(b, "Ada has a dog.")
	before = b.Version()
	must(t, b.Refresh(ctx))
	if b.Version() != before {
		t.Error("what a process wrote itself is no change for it")
	}
	must(t, a.Refresh(ctx))
	must(t, a.Delete(ctx, tea.ID, own.ID))
	must(t, b.Refresh(ctx))
	if left := b.List("ada", "", true); len(left) != 1 || left[0].Content != "Ada drinks coffee." {
		t.Errorf("deleted: %+v", left)
	}
}
