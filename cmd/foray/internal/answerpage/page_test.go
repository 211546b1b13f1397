package answerpage

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/forayhq/foray/internal/browsertest"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools/report"
)

// hostile holds what would break a page that took it for markup, or that a reader would not see.
const hostile = "</style></script><script>broken()</script><img src=https://h.example/x onerror=alert(1)> " +
	"![p](https://h.example/p.png) [l](javascript:alert(1)) \u202egnp.exe\u202c zero\u200bwidth List<String> " +
	"<a href='https://h.example'>x</a>\n\n<iframe src=//h.example></iframe>\n\n<style>*{}</style>\n\n`</code><b>`"

// example is the answer to a question about three files; more is in each of its texts.
func example(more string) *Page {
	code := map[string][]string{
		"retry/loop.go": strings.Split("package retry\n\n// Loop retries f until it works.\nfunc Loop(f func() error) {\n\tfor f() != nil {\n\t\tWait(1)\n\t}\n}", "\n"),
		"retry/wait.go": strings.Split("package retry\n\n// Wait doubles the pause.\nfunc Wait(n int) int {\n\treturn 1 << n // "+strings.ReplaceAll(more, "\n", " ")+"\n}", "\n"),
	}
	return &Page{
		Title: "where are requests retried? " + more, Trust: "strong", Partial: more, Footer: "2 steps " + more,
		Report: &report.Report{Found: true,
			Summary: []report.Statement{
				{Text: "`Loop` retries until it works. " + more, Citations: []string{"retry/loop.go:3-8", "gone.go:9"}, Quote: more},
				{Text: "It waits in `Wait`.", Citations: []string{"retry/wait.go:5"}},
			},
			Places: []report.Place{
				{Path: "retry/loop.go", Start: 4, End: 8, Symbol: "Loop" + more, Why: "“retried” in its comment " + more, Confidence: .9},
				{Path: "retry/wait.go", Start: 4, End: 6, Symbol: "Wait"}, {Path: "gone.go", Start: 1, End: 2},
			},
			Edges: []report.Edge{{From: "Loop", To: "Wait", Kind: "calls", Citation: "retry/loop.go:6"},
				{From: "Wait", To: "Loop", Kind: "names" + more, Citation: "retry/wait.go:3"}, {From: "Loop", To: "Loop", Kind: "calls", Citation: more}},
			Tests: []report.Place{{Path: "retry/wait.go", Start: 1, End: 1}}, NextQuestion: more,
			Commits:    []report.Change{{Commit: "0123456789abcdef", Date: "2026-01-31", Subject: "retry: wait" + more}},
			NotCovered: []string{"2 files skipped: binary " + more},
		},
		Read:  []Reading{{"retry/loop.go", 1, 4, 8}, {"retry/loop.go", 3, 8, 8}, {"retry/wait.go" + more, 4, 6, 6}},
		Lines: func(path string) []string { return code[path] },
	}
}

func written(t testing.TB, p *Page) string {
	t.Helper()
	var b strings.Builder
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// nodes yields the elements of a page.
func nodes(t testing.TB, page string) (all []*html.Node) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			all = append(all, n)
		}
	}
	return all
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// Whatever the texts are, the page runs nothing of them, and asks no host for anything: a picture becomes a link.
func TestHostile(t *testing.T) {
	text := example(hostile)
	text.Report, text.Text = nil, "See [retry/loop.go:4-8].\n\n"+hostile
	text.Relevant = []string{"retry/loop.go:4-8", hostile}
	for _, p := range []*Page{example(hostile), text} {
		page := written(t, p)
		scripts, styles := 0, 0
		for _, n := range nodes(t, page) {
			switch n.Data {
			case "script":
				scripts++
			case "style":
				styles++
			case "img", "iframe", "object", "embed", "base", "form", "link":
				t.Errorf("a <%s>", n.Data)
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "src" || a.Key == "style" ||
					a.Key == "href" && !strings.HasPrefix(a.Val, "#") && a.Val != "https://h.example/p.png" && a.Val != "" {
					t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
				}
			}
		}
		if scripts != 1 || styles != 1 {
			t.Errorf("%d scripts and %d styles", scripts, styles)
		}
		if i := strings.IndexFunc(page, func(r rune) bool { return r != '\n' && r != '\t' && line.Hidden(r) }); i >= 0 {
			t.Errorf("a hidden character in %q", page[max(0, i-40):i+8])
		}
		if !strings.Contains(page, "List&lt;String&gt;") {
			t.Error("text in angle brackets is lost")
		}
	}
}

// Citations lead to places of the page that exist, with the code of their lines.
func TestLinks(t *testing.T) {
	all := nodes(t, written(t, example("")))
	ids, links := map[string]string{}, 0
	for _, n := range all {
		if id := attribute(n, "id"); id != "" {
			ids["#"+id] = textOf(n)
		}
	}
	for _, n := range all {
		if to := attribute(n, "href"); to != "" {
			links++
			if ids[to] == "" {
				t.Errorf("%s leads nowhere", to)
			}
		}
	}
	if links != 3 { // two of the answer, one of the arrows; nothing shows gone.go:9 and wait.go:3
		t.Errorf("%d links", links)
	}
	if !strings.Contains(ids["#p1"], "for f() != nil {") || strings.Contains(ids["#p1"], "Loop retries f") ||
		!strings.Contains(ids["#p3"], "The code is not in this page.") {
		t.Errorf("code: %q, %q", ids["#p1"], ids["#p3"])
	}
}

// An answer of a model keeps its Markdown, and its citations lead to their code.
func TestText(t *testing.T) {
	p := example("")
	p.Said, p.Beside = "I *guess*.", []report.Statement{{Text: "`Loop` retries.", Citations: []string{"retry/loop.go:5"}}}
	p.Report, p.Text, p.Relevant = nil, "It *loops* [retry/loop.go:4-8].\n\n| a | b |\n|---|---|\n| `x<y` | 2 |\n", []string{"retry/loop.go:4-8"}
	page := written(t, p)
	for _, want := range []string{"<em>loops</em>", `<a href="#p1">[retry/loop.go:4-8]</a>`, "<table>", "<code>x&lt;y</code>",
		"Found without the model", `<a href="#p1">retry/loop.go:5</a>`, "<em>guess</em>"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
}

// Every relation is drawn, within the picture, and to the right unless it closes a cycle.
func TestCalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var edges []report.Edge
		for range rapid.IntRange(1, 60).Draw(t, "edges") {
			of := func(end string) string { return fmt.Sprint("name", rapid.IntRange(0, 12).Draw(t, end)) }
			edges = append(edges, report.Edge{From: of("from"), To: of("to"), Kind: "calls", Citation: "a.go:1"})
		}
		m := drawCalls(edges, func(string) string { return "" })
		if len(m.Arrows)+m.More != len(edges) {
			t.Fatalf("%d arrows and %d more of %d", len(m.Arrows), m.More, len(edges))
		}
		for i, a := range m.Names {
			if a.X < 0 || a.Y < 0 || a.X+a.Width > m.Width || a.Y+a.Height > m.Height {
				t.Fatalf("%+v is outside of %d×%d", a, m.Width, m.Height)
			}
			for _, b := range m.Names[:i] {
				if a.X < b.X+b.Width && b.X < a.X+a.Width && a.Y < b.Y+b.Height && b.Y < a.Y+a.Height {
					t.Fatalf("%+v covers %+v", a, b)
				}
			}
		}
	})
	chain := []report.Edge{{From: "a", To: "b"}, {From: "b", To: "c"}, {From: "a", To: "c"}, {From: "c", To: "a"}}
	m := drawCalls(chain, func(string) string { return "" })
	back := []bool{m.Arrows[0].Back, m.Arrows[1].Back, m.Arrows[2].Back, m.Arrows[3].Back}
	if !slices.Equal(back, []bool{false, false, false, true}) {
		t.Errorf("backwards: %v", back)
	}
}

// Boxes fill the picture by size, and do not overlap.
func TestPackages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var files []File
		all := 0.0
		for i := range rapid.IntRange(2, 200).Draw(t, "files") {
			dir := strings.Repeat("d/", rapid.IntRange(0, 4).Draw(t, "deep")) + fmt.Sprint("p", rapid.IntRange(0, 60).Draw(t, "dir"))
			files = append(files, File{fmt.Sprintf("%s/f%d.go", dir, i), int64(rapid.IntRange(0, 1<<20).Draw(t, "size"))})
			all += float64(files[i].Size)
		}
		m := drawPackages(files)
		if m == nil {
			return
		}
		if len(m.Boxes) > mostBoxes {
			t.Fatalf("%d boxes", len(m.Boxes))
		}
		area := 0.0
		for i, a := range m.Boxes {
			area += a.W * a.H
			const near = 1e-6
			if a.X < -near || a.Y < -near || a.X+a.W > mapWidth+near || a.Y+a.H > mapHeight+near {
				t.Fatalf("%+v is outside", a)
			}
			for _, b := range m.Boxes[:i] {
				if a.X+near < b.X+b.W && b.X+near < a.X+a.W && a.Y+near < b.Y+b.H && b.Y+near < a.Y+a.H {
					t.Fatalf("%+v covers %+v", a, b)
				}
			}
		}
		if math.Abs(area-mapWidth*mapHeight) > 1 {
			t.Fatalf("the boxes cover %f of %f", area, mapWidth*mapHeight)
		}
	})
}

// Lines that were read twice count once.
func TestStrips(t *testing.T) {
	got := strips(example("").Read)
	if len(got) != 2 || got[0].Lines != "8 of 8 lines" || len(got[0].Parts) != 2 || got[1].Lines != "3 of 6 lines" {
		t.Errorf("%+v", got)
	}
}

// TestBrowser looks at a page in Chromium: a citation opens its place, and nothing is asked for or logged.
func TestBrowser(t *testing.T) {
	browsertest.Require(t)
	dir := t.TempDir()
	for name, p := range map[string]*Page{"plain": example(""), "hostile": example(hostile)} {
		p.Files = []File{{"a/x.go", 900}, {"b/y.go", 400}, {"b/c/z.go", 300}}
		if err := os.WriteFile(filepath.Join(dir, name+".html"), []byte(written(t, p)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	browsertest.Run(t, "testdata/browser.mjs", dir)
}
