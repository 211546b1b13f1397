package symbols

import (
	"go/ast"
	"go/parser"
	"go/token"
)

// goSymbols returns the top-level declarations of a Go file, as far as it parses.
func goSymbols(src []byte) []Symbol {
	fset := token.NewFileSet()
	// Ignore the error: the file holds what did parse.
	file, _ := parser.ParseFile(fset, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if file == nil {
		return nil
	}
	g := goFile{fset.File(file.FileStart), src, nil}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			g.function(d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				g.spec(d, spec)
			}
		}
	}
	return g.out
}

type goFile struct {
	file *token.File
	src  []byte
	out  []Symbol
}

func (g *goFile) function(d *ast.FuncDecl) {
	s := Symbol{Name: d.Name.Name, Kind: "func", Depth: 1, Doc: firstLine(d.Doc.Text())}
	if d.Recv != nil && len(d.Recv.List) > 0 {
		s.Kind = "method"
		if t := receiver(d.Recv.List[0].Type); t != "" {
			s.Name = t + "." + s.Name
		}
	}
	g.add(s, d, d.Pos(), d.Type.End())
}

func receiver(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

func (g *goFile) spec(d *ast.GenDecl, spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		sym := Symbol{Name: s.Name.Name, Kind: "type", Depth: 1, Doc: firstLine(docOf(s.Doc, d))}
		from, end := s.Pos(), s.Type.End()
		switch body := s.Type.(type) {
		case *ast.StructType:
			sym.Kind, end = "struct", body.Fields.Opening
		case *ast.InterfaceType:
			sym.Kind, end = "interface", body.Methods.Opening
		}
		sym.Signature = "type "
		g.add(sym, whole(d, spec), from, end)
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if name.Name != "_" {
				kind, doc := d.Tok.String(), firstLine(docOf(s.Doc, d))
				sym := Symbol{Name: name.Name, Kind: kind, Depth: 1, Doc: doc, Signature: kind + " "}
				g.add(sym, whole(d, spec), s.Pos(), s.End())
			}
		}
	}
}

// whole is the declaration if it has one spec, so that its keyword is in the range.
func whole(d *ast.GenDecl, spec ast.Spec) ast.Node {
	if d.Lparen.IsValid() {
		return spec
	}
	return d
}

func docOf(own *ast.CommentGroup, d *ast.GenDecl) string {
	if own == nil && !d.Lparen.IsValid() {
		own = d.Doc
	}
	return own.Text()
}

// add completes s: its lines are those of n, and its signature ends with the source between from and to.
func (g *goFile) add(s Symbol, n ast.Node, from, to token.Pos) {
	s.Start, s.End = g.line(n.Pos()), g.line(n.End())
	if a, b := g.offset(from), g.offset(to); a < b {
		s.Signature = signature(s.Signature + string(g.src[a:b]))
	}
	g.out = append(g.out, s)
}

func (g *goFile) offset(p token.Pos) int {
	if !p.IsValid() {
		return 0
	}
	return min(max(int(p)-g.file.Base(), 0), len(g.src))
}

func (g *goFile) line(p token.Pos) int {
	return g.file.PositionFor(token.Pos(g.file.Base()+g.offset(p)), false).Line
}
