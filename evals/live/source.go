package live

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/forayhq/foray/tools/report"
)

// modules returns the directory of each module, at the version that go.mod in dir names. The go command downloads what
// is missing. An absolute path is a directory already, of sources in any language.
func modules(ctx context.Context, dir string, paths []string) (map[string]string, error) {
	found := map[string]string{}
	paths = slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
		if filepath.IsAbs(p) {
			found[p] = p
		}
		return filepath.IsAbs(p)
	})
	if len(paths) == 0 {
		return found, nil
	}
	cmd := exec.CommandContext(ctx, "go", append([]string{"mod", "download", "-json"}, paths...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var m struct{ Path, Dir, Error string }
		if end := d.Decode(&m); end != nil {
			if !errors.Is(end, io.EOF) {
				return nil, fmt.Errorf("reading the output of go mod download: %w", end)
			}
			break
		}
		if m.Error != "" {
			return nil, fmt.Errorf("downloading %s: %s", m.Path, m.Error)
		}
		found[m.Path] = m.Dir
	}
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		err = errors.New(strings.TrimSpace(string(failed.Stderr)))
	}
	if err != nil {
		return nil, fmt.Errorf("go mod download in %s: %w", dir, err)
	}
	return found, nil
}

// locate returns the lines of a place in a module: FILE:12-30, or FILE#SYMBOL for a Go declaration with its comment. A
// symbol is a name of a file's top level, Type.Method or Type.Field.
func locate(dir, place string) (report.Citation, error) {
	file, symbol, ok := strings.Cut(place, "#")
	if !ok {
		c, err := report.ParseCitation(place)
		if err != nil {
			return c, fmt.Errorf("the place %q is neither of the form FILE#SYMBOL nor FILE:12-30", place)
		}
		return c, nil
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, filepath.Join(dir, filepath.FromSlash(file)), nil, parser.ParseComments)
	if err != nil {
		return report.Citation{}, err
	}
	for _, d := range parsed.Decls {
		if node, comment := declared(d, symbol); node != nil {
			start := node.Pos()
			if comment != nil {
				start = comment.Pos()
			}
			return report.Citation{Path: path.Clean(file), Start: set.Position(start).Line,
				End: set.Position(node.End()).Line}, nil
		}
	}
	return report.Citation{}, fmt.Errorf("%s declares no %s", file, symbol)
}

// declared returns the part of a declaration that declares a symbol, and its comment, or nil.
func declared(d ast.Decl, symbol string) (ast.Node, *ast.CommentGroup) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if symbolOf(d) == symbol {
			return d, d.Doc
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.Name == symbol {
					return s, cmp.Or(s.Doc, d.Doc)
				}
				if f := fieldOf(s, symbol); f != nil {
					return f, f.Doc
				}
			case *ast.ValueSpec:
				if slices.ContainsFunc(s.Names, func(n *ast.Ident) bool { return n.Name == symbol }) {
					return s, cmp.Or(s.Doc, d.Doc)
				}
			}
		}
	}
	return nil, nil
}

// fieldOf returns the field of a struct that a symbol, Type.Field, names.
func fieldOf(s *ast.TypeSpec, symbol string) *ast.Field {
	fields, ok := s.Type.(*ast.StructType)
	name, in := strings.CutPrefix(symbol, s.Name.Name+".")
	if !ok || !in {
		return nil
	}
	for _, f := range fields.Fields.List {
		if slices.ContainsFunc(f.Names, func(n *ast.Ident) bool { return n.Name == name }) {
			return f
		}
	}
	return nil
}

// symbolOf returns the name of a function, or Type.Method.
func symbolOf(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + f.Name.Name
		default:
			return f.Name.Name
		}
	}
}
