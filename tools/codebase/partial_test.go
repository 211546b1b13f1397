package codebase_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/tree"
)

// A partialFS is a file system that is not the whole tree.
type partialFS struct {
	fstest.MapFS
	lack *tools.Problem
}

func (p partialFS) Partial() *tools.Problem { return p.lack }

// The reader of a result learns that the tree is not whole if the result depends on it, and only then.
func TestAttackPartialTree(t *testing.T) {
	files := fstest.MapFS{"a.go": {Data: []byte("package a\n\nfunc A() {}\n")}}
	cut := &tools.Problem{Code: "too_many", Message: "the tree has more than 3 entries", Try: "less"}
	bare := &tools.Problem{Code: "absent", Message: "the partial clone lacks the contents of 1 of 9 files", Try: "git fetch"}
	const note = "note: this result is partial: the tree has more than 3 entries\n"
	for _, c := range []struct {
		lack       *tools.Problem
		tool, args string
		noted      bool
	}{
		{cut, "list_dir", `{}`, true}, {cut, "glob", `{"pattern":"**"}`, true}, {cut, "search", `{"pattern":"zzz"}`, true},
		{cut, "find_symbol", `{"name":"A"}`, true}, {cut, "references", `{"name":"A"}`, true}, {cut, "repo_map", `{}`, true},
		{cut, "read_file", `{"path":"a.go"}`, false},
		{bare, "search", `{"pattern":"package"}`, false}, {bare, "list_dir", `{}`, false}, {nil, "search", `{"pattern":"a"}`, false},
	} {
		text := callPartial(t, partialFS{files, c.lack}, c.tool, c.args)
		if got := strings.HasPrefix(text, note) || strings.Contains(text, "\n"+note); got != c.noted || strings.Contains(text, "partial") != c.noted {
			t.Errorf("%v: %s %s: noted %v, want %v: %s", c.lack, c.tool, c.args, got, c.noted, text)
		}
	}
	if text := callPartial(t, partialFS{files, cut}, "read_file", `{"path":"b.go"}`); text !=
		"too_many: b.go is not in the part of the tree that is known: the tree has more than 3 entries; try: less" {
		t.Errorf("a file that may exist: %s", text)
	}
	if text := callPartial(t, partialFS{files, bare}, "read_file", `{"path":"b.go"}`); !strings.HasPrefix(text, "not_found: ") {
		t.Errorf("a file that does not exist: %s", text)
	}
}

func callPartial(t *testing.T, fsys partialFS, name, args string) string {
	t.Helper()
	set, err := tools.NewSet(codebase.Tools(tree.Open(fsys, nil), nil)...)
	if err != nil {
		t.Fatal(err)
	}
	tool, _ := set.Lookup(name)
	v, err := tool.Call(t.Context(), json.RawMessage(args))
	if err != nil {
		return err.Error()
	}
	_, text := tools.Render(v)
	return text
}
