package explore_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/providers/scripted"
)

// TestWrongCitationsAreCorrectedOrRemoved plays answers whose citations are wrong in every way that models have. What is
// left resolves and holds what its sentence names, and what was changed is said.
func TestWrongCitationsAreCorrectedOrRemoved(t *testing.T) {
	if ostest.RaceDetector {
		t.Skip("long, and its texts are read in one goroutine")
	}
	const loop, wait = "[retry/loop.go:3-6]", "[retry/wait.go:3-4]"
	for text, want := range map[string]struct{ text, note string }{
		"`Loop` asks [http/client.go:10-20].":                               {"`Loop` asks " + loop + ".", "http/client.go:10-20 (no such file); corrected to retry/loop.go:3-6"},
		"It asks in the end [http/client.go:10-20]. `Loop` too":             {"It asks in the end. `Loop` too " + loop, "the citation http/client.go:10-20 was removed: no such file"},
		"`Loop` asks [retry/loop.go:6-3].":                                  {"`Loop` asks " + loop + ".", ""},
		"`Loop` asks [retry/loop.go:5-900].":                                {"`Loop` asks [retry/loop.go:5-6].", "the file has 6 lines"},
		"`Loop` asks [retry/loop.go:100].":                                  {"`Loop` asks " + loop + ".", "the file has 6 lines"},
		"`Loop` asks [retry/loop.go:0].":                                    {"`Loop` asks " + loop + ".", "lines count from 1"},
		"`Loop` asks [retry/loop.go:99999999999].":                          {"`Loop` asks " + loop + ".", "the file has 6 lines"},
		"`Loop` asks [HEAD~3:retry/loop.go:3-6].":                           {"`Loop` asks " + loop + ".", ""},
		"`Loop` asks [retry/loop.go@0a1b2c3:3-6].":                          {"`Loop` asks " + loop + ".", ""},
		"`Loop` asks [https://github.com/a/b/blob/v1/retry/loop.go#L3-L6].": {"`Loop` asks " + loop + ".", ""},
		"`Loop` asks [../../etc/passwd:1].":                                 {"`Loop` asks " + loop + ".", "leads out of the tree"},
		"See the users [../../etc/passwd:1].":                               {"See the users.", "../../etc/passwd:1 was removed: the path leads out of the tree"},
		"See the users [/etc/passwd:1].":                                    {"See the users.", "was removed"},
		"`Loop` asks [/tree/retry/loop.go:3-6].":                            {"`Loop` asks " + loop + ".", ""},
		"`Loop` asks [retry/../retry/loop.go:4].":                           {"`Loop` asks [retry/loop.go:4].", ""},
		`'Loop' asks [retry\loop.go:4].`:                                    {"'Loop' asks [retry/loop.go:4].", ""},
		"`Loop` asks [retry:3].":                                            {"`Loop` asks [retry:3] " + loop + ".", ""},
		"`Loop` asks 【retry/loop.go:3-6】。":                                  {"`Loop` asks " + loop + "。", ""},
		"`Loop` 询问（retry/loop.go：3–6）。":                                     {"`Loop` 询问" + loop + "。", ""},
		"`Loop` 询问【retry/loop.go 第3-6行】。":                                   {"`Loop` 询问" + loop + "。", ""},
		"`Loop` 询问【retry/nichts.go：7】。":                                     {"`Loop` 询问" + loop + "。", "no such file"},
		"`Loop` asks (retry/loop.go:4).":                                    {"`Loop` asks [retry/loop.go:4].", ""},
		"`Loop` asks [retry/loop.go, lines 4-5].":                           {"`Loop` asks [retry/loop.go:4-5].", ""},
		"`Loop` asks [retry/loop.go:4, 6-7; retry/no.go:3].":                {"`Loop` asks [retry/loop.go:4] [retry/loop.go:6] " + loop + ".", ""},
		"`Loop` asks [the loop](retry/loop.go#L4).":                         {"`Loop` asks the loop [retry/loop.go:4].", ""},
		"`Loop` asks [retry/loop.go:4](retry/loop.go#L4).":                  {"`Loop` asks [retry/loop.go:4].", ""},
		"`Loop` asks [retry/wait.go:3-4].":                                  {"`Loop` asks " + loop + ".", "its lines hold nothing that the sentence names"},
		"`Loop` asks. [retry/loop.go:4] `Wait` waits. [retry/wait.go:4]":    {"`Loop` asks. [retry/loop.go:4] `Wait` waits. [retry/wait.go:4]", ""},
		"`Loop` asks. [retry/wait.go:4] `Wait` waits. [retry/wait.go:4]":    {"`Loop` asks. " + loop + " `Wait` waits. [retry/wait.go:4]", "corrected to retry/loop.go:3-6"},
		"`Fly` flies [retry/wait.go:3-4]. `Loop` asks.":                     {"`Fly` flies. `Loop` asks " + loop + ".", "retry/wait.go:3-4 was removed: its lines hold nothing"},
		"It is in retry/none.go:7, says `Wait`.":                            {"It is in ~~retry/none.go:7~~, says `Wait` " + wait + ".", "retry/none.go:7 was removed: no such file"},
		"`Loop` asks:\n```go\n// [http/client.go:3]\nx[a.b:3]\n```\n":       {"`Loop` asks " + loop + ":\n```go\n// [http/client.go:3]\nx[a.b:3]\n```", "http/client.go:3 in a code block is wrong: no such file"},
		"`Loop` says \"until it is answered\" [retry/loop.go:3].":           {"`Loop` says \"until it is answered\" [retry/loop.go:3].", ""},
		"Node.js, e.g. GitHub's, asks [retry/loop.go:4]. `Loop`":            {"Node.js, e.g. GitHub's, asks [retry/loop.go:4]. `Loop` " + loop, ""},
	} {
		got, _ := ask(t, where, scripted.Text(text))
		if got.Fallback != "" && got.Said != strings.TrimSpace(text) || got.Fallback == "" && got.Text != want.text {
			t.Errorf("%q: fallback %q\n got %q\nwant %q", text, got.Fallback, got.Text, want.text)
		}
		if notes := strings.Join(got.NotCovered, "\n"); got.Fallback == "" && (!strings.Contains(notes, want.note) || want.note == "" && strings.Contains(notes, "removed")) {
			t.Errorf("%q: the notes are %q, want %q", text, notes, want.note)
		}
		for _, c := range got.Relevant {
			if _, err := (&explore.Tree{Files: tree}).Resolve(c); err != nil {
				t.Errorf("%q: cites %s: %v", text, c, err)
			}
		}
	}
}

// TestChecksWithoutEvidence: the citations of a model that began with the question alone are checked as well.
func TestChecksWithoutEvidence(t *testing.T) {
	read := scripted.Calls(scripted.Call{Name: "read_file", Args: map[string]any{"path": "retry/loop.go", "symbol": "Loop"}})
	model := scripted.New(read, scripted.Text("`Loop` asks [retry/wait.go:3]. It waits [no/such.go:3-4]."))
	got, err := (&explore.Tree{Files: tree, Dir: "/tree"}).Run(t.Context(), model, where, &explore.RunOptions{NoEvidence: true})
	if err != nil {
		t.Fatal(err)
	}
	if first := model.Requests()[0].Messages[0].Text; !strings.HasPrefix(first, where) || strings.Contains(first, "```") {
		t.Errorf("the model reads %q", first)
	}
	if got.Text != "`Loop` asks [retry/loop.go:4-6]. It waits." || len(got.NotCovered) != 2 {
		t.Errorf("%q, %q", got.Text, got.NotCovered)
	}
}

// TestFoldersAreNoFiles: a citation of something that is no regular file is removed.
func TestFoldersAreNoFiles(t *testing.T) {
	files := fstest.MapFS{"a.go": {Data: []byte("package a\n\nfunc Retry() {}\n")}, "dir.go/x.go": {Data: []byte("package x\n")}}
	model := scripted.New(scripted.Text("It is there [dir.go:1]. `Retry` retries [a.go:3]."))
	got, err := (&explore.Tree{Files: files, Dir: "/tree"}).Run(t.Context(), model, where, nil)
	if err != nil || got.Text != "It is there. `Retry` retries [a.go:3]." {
		t.Errorf("%q, %v", got.Text, err)
	}
}
