package locate

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
	sourcetree "github.com/forayhq/foray/tools/tree"
)

var update = flag.Bool("update", false, "write what the tool prints into the golden file")

// over is a tree with the default options.
func over(fsys fs.FS) *sourcetree.Tree { return sourcetree.Open(fsys, nil) }

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shop is the tree of testdata/shop.txtar.
func shop(t testing.TB) fstest.MapFS {
	t.Helper()
	a, err := txtar.ParseFile("testdata/shop.txtar")
	if err != nil {
		t.Fatal(err)
	}
	tree := fstest.MapFS{}
	for _, f := range a.Files {
		tree[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return tree
}

// commits of the shop, the newest first.
func commits(context.Context, int, int) ([]Commit, error) {
	return []Commit{
		NewCommit("9f86d081884c7d65", "Send receipts by mail (#4711)", []string{"shop/mail/sender.py"}),
		NewCommit("60303ae22b998861", "Yen have no digits", []string{"shop/price.py", "shop/cart.py"}),
		NewCommit("fd61a03af4f77d87", "Count what is on a shelf", []string{"go/stock/stock.go"}),
	}, nil
}

func call(t testing.TB, tool tools.Tool, arguments string) *Result {
	t.Helper()
	v, err := tool.Call(t.Context(), json.RawMessage(arguments))
	if err != nil {
		t.Fatalf("%s: %v", arguments, err)
	}
	return v.(*Result)
}

func paths(r *Result) (list []string) {
	for _, it := range r.Items {
		list = append(list, it.Path)
	}
	return list
}

func ask(query string, mode Mode) string {
	text, err := json.Marshal(map[string]any{"query": query, "mode": mode})
	if err != nil {
		panic(err) // strings always encode
	}
	return string(text)
}

func TestGolden(t *testing.T) {
	const file = "testdata/calls.txtar"
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tool := Tool(over(shop(t)), &Options{History: commits})
	for i, f := range a.Files {
		_, text := call(t, tool, f.Name).Text()
		if *update {
			a.Files[i].Data = []byte(text)
		} else if diff := cmp.Diff(string(f.Data), text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f.Name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The JSON form has the fields that a caller decodes, and is what Text writes when it is asked for.
func TestJSON(t *testing.T) {
	r := call(t, Tool(over(shop(t)), &Options{JSON: true}), `{"query":"where is a value rounded to its digits","k":2}`)
	kind, text := r.Text()
	var got struct {
		Query, Mode string
		Items       []struct {
			Path, Symbol, Kind string
			Start, End         int
			Score, Confidence  float64
			Why, Evidence      []string
			Functions          []struct {
				Symbol     string
				Start, End int
				Score      float64
			}
		}
		Total, Returned int
		Truncated       bool
		TruncatedBy     string `json:"truncated_by"`
		Skipped         map[string]int
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil || kind != toollimit.JSON {
		t.Fatalf("%v %v", kind, err)
	}
	first := got.Items[0]
	if got.Mode != "question" || first.Path != "shop/price.py" || first.Symbol != "rounded" || first.Start != 6 || first.End != 8 ||
		first.Score <= got.Items[1].Score || first.Confidence <= 0 || len(first.Why) == 0 || len(first.Evidence) == 0 ||
		len(first.Functions) == 0 || got.Returned != 2 || !got.Truncated || got.TruncatedBy != "limit" || got.Skipped == nil {
		t.Errorf("%+v", got)
	}
}

// Scores lie between 0 and 1 and fall, ties come by path, and the same call gives the same bytes, also side by side.
func TestOrder(t *testing.T) {
	tree := shop(t)
	for i := range 40 { // files of one score
		tree[fmt.Sprintf("same/%02d.py", i)] = &fstest.MapFile{Data: []byte("def currency_of(cart):\n    return cart.currency\n")}
	}
	tool := Tool(over(tree), &Options{History: commits})
	arguments := `{"query":"The currency of a cart is lost in same/07.py","mode":"issue","k":50}`
	_, want := call(t, tool, arguments).Text()
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			v, err := tool.Call(t.Context(), json.RawMessage(arguments))
			if err != nil {
				t.Error(err)
				return
			}
			if _, text := v.(*Result).Text(); text != want {
				t.Errorf("another answer:\n%s", cmp.Diff(want, text))
			}
		})
	}
	wait.Wait()
	_, other := call(t, Tool(over(tree), &Options{History: commits}), arguments).Text()
	if other != want {
		t.Errorf("another tool answers otherwise:\n%s", cmp.Diff(want, other))
	}
	items := call(t, tool, arguments).Items
	if items[0].Path != "same/07.py" {
		t.Errorf("first is %s", items[0].Path)
	}
	for i, it := range items {
		if it.Score > 1 || i > 0 && (it.Score > items[i-1].Score || it.Score == items[i-1].Score && strings.HasPrefix(it.Path, "same/") && it.Path < items[i-1].Path && strings.HasPrefix(items[i-1].Path, "same/")) {
			t.Errorf("%d: %s %v behind %s %v", i, it.Path, it.Score, items[i-1].Path, items[i-1].Score)
		}
	}
}

// A file about something else does not change which files come first.
func TestUnrelatedFile(t *testing.T) {
	const query = "Where is the total of a cart rounded to the digits of a currency?"
	want := paths(call(t, Tool(over(shop(t)), nil), ask(query, Question)))[:3]
	rapid.Check(t, func(r *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[jkqvxz]{4,9}`), 1, 200).Draw(r, "words")
		tree := shop(t)
		tree["zebra/other.py"] = &fstest.MapFile{Data: []byte("def " + strings.Join(words, "():\n    pass\n\ndef ") + "():\n    pass\n")}
		if got := paths(call(t, Tool(over(tree), nil), ask(query, Question)))[:3]; !slices.Equal(want, got) {
			r.Errorf("%v, want %v", got, want)
		}
	})
}

// A commit that an issue names speaks for the source that it changed, by its hash or by the number in its message.
func TestCited(t *testing.T) {
	tool := Tool(over(shop(t)), &Options{History: commits})
	for text, want := range map[string]string{
		"Receipts are sent twice since 9f86d08":           "9f86d08188",
		"Receipts are sent twice\n\nBroken by gh-4711.":   "9f86d08188",
		"Receipts are sent twice, see own/shop/pull/4711": "9f86d08188",
		"Receipts are sent twice since 9f86d09, see #471": "",
		"Receipts are sent twice, as in &#4711;":          "",
	} {
		got := ""
		for _, it := range call(t, tool, ask(text, Issue)).Items {
			for _, e := range it.Evidence {
				if hash, ok := strings.CutPrefix(e, "cited: "); ok && it.Path == "shop/mail/sender.py" {
					got = hash
				} else if ok {
					t.Errorf("%q cites %s", text, it.Path)
				}
			}
		}
		if got != want {
			t.Errorf("%q: cited is %q, want %q", text, got, want)
		}
	}
}

// measured takes the statistics of a tree.
func measured(t testing.TB, tree fstest.MapFS) map[string]*Stats {
	files := make(map[string]*Stats)
	for p := range tree {
		s, err := Measure(p, func() ([]byte, error) { return tree.ReadFile(p) })
		if err != nil {
			t.Fatal(err)
		}
		if s != nil {
			files[p] = s
		}
	}
	return files
}

// A bare name of a file tells the less, the more files have it.
func TestMentionedName(t *testing.T) {
	tree := shop(t)
	tree["web/prices/cart.ts"] = &fstest.MapFile{Data: []byte("export const empty = 1\n")}
	share := func(text string) (v float64) {
		files := measured(t, tree)
		s := NewIndex(files, nil).score(parse(text, Issue))
		for f := range s.ix.files {
			v = max(v, s.values[sMentioned][f])
		}
		return v
	}
	for text, want := range map[string]float64{"errors.py is wrong": 1, "web/src/cart.ts is wrong": 1, "cart.ts is wrong": .5, "gone.ts is wrong": 0, "__init__.py is wrong": 1} {
		if got := share(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestSignalsAreNormalised(t *testing.T) {
	tree := shop(t)
	files := measured(t, tree)
	ix := NewIndex(files, func(int, int) []Commit {
		return []Commit{NewCommit("", "Yen have no digits", []string{"shop/price.py", "gone.py"})}
	})
	names, _ := Issue.Signals()
	read := func(p string) ([]byte, error) { return tree.ReadFile(p) }
	for _, mode := range []Mode{Issue, Question} {
		for _, text := range []string{"Digits of yen in `Cart.total` and shop/price.py\nthe total of a cart is rounded", "x", "", "¿?\x00\xff", "rounded"} {
			r := ix.Rank(text, mode, 99, read)
			if len(r.Files) > len(files) || len(r.Files) != r.Total {
				t.Errorf("%q: %d of %d files", text, len(r.Files), len(files))
			}
			for _, f := range r.Files {
				for i, v := range f.Signals {
					if v < 0 || v > 1 || v != v {
						t.Errorf("%q: %s of %s is %v", text, names[i], f.Path, v)
					}
				}
			}
			for _, f := range r.Functions {
				if f.Score < -10 || f.Score > 1 || f.Score != f.Score {
					t.Errorf("%q: %+v", text, f)
				}
			}
		}
	}
}

func TestHistory(t *testing.T) {
	const query = "Yen have digits"
	with := call(t, Tool(over(shop(t)), &Options{History: commits}), ask(query, Issue))
	if with.Items[0].Path != "shop/price.py" || !slices.Contains(with.Items[0].Why, "commits") {
		t.Errorf("%+v", with.Items[0])
	}
	failing := func(context.Context, int, int) ([]Commit, error) { return nil, errors.New("no history") }
	without, broken := call(t, Tool(over(shop(t)), nil), ask(query, Issue)), call(t, Tool(over(shop(t)), &Options{History: failing}), ask(query, Issue))
	if diff := cmp.Diff(without.Items, broken.Items); diff != "" {
		t.Errorf("a history that fails is not none:\n%s", diff)
	}
}

// A history that there was no time for is asked for again.
func TestHistoryAgain(t *testing.T) {
	tool := Tool(over(shop(t)), &Options{History: func(ctx context.Context, most, files int) ([]Commit, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return commits(ctx, most, files)
	}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tool.Call(ctx, json.RawMessage(ask("Yen have digits", Issue))); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	if r := call(t, tool, ask("Yen have digits", Issue)); !slices.Contains(r.Items[0].Why, "commits") {
		t.Errorf("%+v", r.Items[0])
	}
}

// What changed since the last call is read again, on a disk and in memory.
func TestChanges(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, shop(t)); err != nil {
		t.Fatal(err)
	}
	root, err := sourcetree.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	tool := Tool(over(root.FS()), nil)
	query := ask("Where are vouchers redeemed?", Question)
	if r := call(t, tool, query); r.Total != 0 {
		t.Errorf("found %v", paths(r))
	}
	at := filepath.Join(dir, "shop", "voucher.py")
	if err := os.WriteFile(at, []byte("def redeem(voucher):\n    pass\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if r := call(t, tool, query); r.Items[0].Path != "shop/voucher.py" {
		t.Errorf("found %v", paths(r))
	}
	if err := os.WriteFile(at, []byte("def nothing_of_the_kind():\n    pass\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if r := call(t, tool, query); r.Total != 1 { // its name is that of a voucher still
		t.Errorf("found %v", paths(r))
	}
	if err := os.Remove(at); err != nil {
		t.Fatal(err)
	}
	if r := call(t, tool, query); r.Total != 0 {
		t.Errorf("found %v", paths(r))
	}
}

func TestEnds(t *testing.T) {
	late := call(t, Tool(over(shop(t)), &Options{Timeout: time.Nanosecond}), ask("cart", Question))
	if !late.TimedOut || late.TruncatedBy != "deadline" || len(late.Notes) == 0 {
		t.Errorf("%+v", late)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Tool(over(shop(t)), nil).Call(ctx, json.RawMessage(ask("cart", Question))); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	small := call(t, Tool(over(shop(t)), &Options{Room: 9000}), ask("cart", Question))
	if len(small.Notes) == 0 || len(small.Items) == 0 || !slices.ContainsFunc(small.Notes, func(n string) bool { return strings.Contains(n, "left out") }) {
		t.Errorf("%+v", small)
	}
	empty := call(t, Tool(over(fstest.MapFS{}), nil), ask("cart", Question))
	if len(empty.Items) != 0 || empty.Total != 0 || empty.TimedOut {
		t.Errorf("%+v", empty)
	}
}

// What is secret, large or binary is counted, and its words are not told.
func TestSkipped(t *testing.T) {
	tree := shop(t)
	tree["secrets/.env.py"] = &fstest.MapFile{Data: []byte("cart")}
	tree["id_rsa.txt"] = &fstest.MapFile{Data: []byte("cart")}
	tree["null.py"] = &fstest.MapFile{Data: []byte("cart\x00cart")}
	tree["large.py"] = &fstest.MapFile{Data: []byte(strings.Repeat("cart ", 1000))}
	tree["gone.py"] = &fstest.MapFile{Data: []byte("cart"), Mode: fs.ModeDevice}
	r := call(t, Tool(sourcetree.Open(tree, &sourcetree.Options{MaxFile: 4000}), nil), `{"query":"cart","k":50}`)
	if r.Skipped.TooLarge != 1 || r.Skipped.Binary != 1 || slices.Contains(paths(r), "large.py") || slices.Contains(paths(r), "null.py") {
		t.Errorf("%+v %v", r.Skipped, paths(r))
	}
}

func TestBadCalls(t *testing.T) {
	tool := Tool(over(shop(t)), nil)
	for _, arguments := range []string{`{}`, `{"query":" \n"}`, `{"query":"x","k":0}`, `{"query":"x","k":-3}`, `{"query":"x","mode":"poem"}`, `{"query":7}`, `{"query":"x","more":1}`, `[`} {
		_, err := tool.Call(t.Context(), json.RawMessage(arguments))
		var problem *tools.Problem
		if !errors.As(err, &problem) || problem.Code != "bad_arguments" || problem.Try == "" {
			t.Errorf("%s: %v", arguments, err)
		}
	}
}
