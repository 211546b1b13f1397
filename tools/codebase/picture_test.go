package codebase_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/tree"
)

func TestReadPicture(t *testing.T) {
	dir := t.TempDir()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 30, 20))); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"a.png": b.String(), "b.go": "package b\n", "none.png": "no picture", "deep/c.PNG": b.String(), ".ssh/id_rsa.png": "x",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755),
			os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/hosts", filepath.Join(dir, "out.png")); err != nil {
		t.Fatal(err)
	}
	files := tree.Open(os.DirFS(dir), &tree.Options{Dir: dir})
	sees := tools.WithRun(context.Background(), tools.Run{Sees: true})
	for _, c := range []struct {
		ctx        context.Context
		args, want string
		pictures   int
	}{
		{sees, `{"path":"a.png"}`, "the picture a.png, PNG, 30×20 pixels\n", 1},
		{sees, `{"paths":["deep/c.PNG","b.go","a.png"]}`, "package b", 2},
		{sees, `{"path":"none.png"}`, "no_picture: none.png is no PNG, JPEG, GIF or WebP", 0},
		{sees, `{"path":"gone.png"}`, "not_found: ", 0},
		{sees, `{"path":"out.png"}`, "", 0},
		{sees, `{"path":"deep"}`, "is a directory", 0},
		{context.Background(), `{"path":"a.png"}`, "binary: a.png, PNG, 30×20 pixels; this model takes no pictures", 0},
	} {
		kind, text, images := call(t, c.ctx, files, c.args)
		if !strings.Contains(text, c.want) || len(images) != c.pictures {
			t.Errorf("%s: %s %s, %d pictures", c.args, kind, text, len(images))
		}
		if strings.Contains(text, "localhost") {
			t.Errorf("%s leaves the tree: %s", c.args, text)
		}
	}
}

func call(t *testing.T, ctx context.Context, files *tree.Tree, args string) (toollimit.Kind, string, []toollimit.Image) {
	t.Helper()
	set, err := tools.NewSet(codebase.Tools(files, nil)...)
	if err != nil {
		t.Fatal(err)
	}
	tool, _ := set.Lookup("read_file")
	value, err := tool.Call(ctx, []byte(args))
	if err != nil {
		return toollimit.Error, err.Error(), nil
	}
	kind, text := tools.Render(value)
	return kind, text, tools.Images(value)
}
