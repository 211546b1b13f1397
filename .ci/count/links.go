package main

import (
	"go/ast"
	"path"
	"strings"
	"unicode"
)

// module is the path of this module with its slash.
const module = "github.com/forayhq/foray/"

// A house is a package, as far as doc links need it.
type house struct {
	name    string
	names   map[string]bool   // Name and Type.Member; Type.* for a type that embeds another
	imports map[string]string // paths by name
	links   [][2]string       // a file, and the name that a link in it leads to
}

func (c *counter) house(dir string) *house {
	h := c.houses[dir]
	if h == nil {
		h = &house{names: make(map[string]bool), imports: make(map[string]string)}
		c.houses[dir] = h
	}
	return h
}

// add takes the names, imports and links of a file.
func (h *house) add(file string, f *ast.File) {
	h.name = f.Name.Name
	for name, o := range f.Scope.Objects {
		h.names[name] = true
		if spec, ok := o.Decl.(*ast.TypeSpec); ok {
			h.members(name, spec.Type)
		}
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
			h.names[receiver(fn.Recv.List[0].Type)+"."+fn.Name.Name] = true
		}
	}
	for _, im := range f.Imports {
		from := strings.Trim(im.Path.Value, `"`)
		name := path.Base(from)
		if im.Name != nil {
			name = im.Name.Name
		}
		h.imports[name] = from
	}
	for _, group := range f.Comments {
		for _, link := range docLink.FindAllString(group.Text(), -1) {
			h.links = append(h.links, [2]string{file, strings.Trim(link, "[*]")})
		}
	}
}

// members takes the fields and methods of a type.
func (h *house) members(name string, of ast.Expr) {
	fields := &ast.FieldList{}
	switch t := of.(type) {
	case *ast.StructType:
		fields = t.Fields
	case *ast.InterfaceType:
		fields = t.Methods
	case *ast.Ident, *ast.SelectorExpr: // another type has them
		h.names[name+".*"] = true
	}
	for _, field := range fields.List {
		for _, id := range field.Names {
			h.names[name+"."+id.Name] = true
		}
		if len(field.Names) == 0 {
			h.names[name+".*"] = true
		}
	}
}

// has reports whether the package declares a name, or Type.Member.
func (h *house) has(name string) bool {
	of, _, member := strings.Cut(name, ".")
	return h.names[name] || member && h.names[of] && h.names[of+".*"]
}

// follow counts the links of all packages that lead to no name. Texts in brackets that are not names do not count.
func (c *counter) follow() {
	for _, h := range c.houses {
		for _, link := range h.links {
			if c.isDead(h, link[1]) {
				c.dead.add(link[0]+" ["+link[1]+"]", 1)
			}
		}
	}
}

func (c *counter) isDead(h *house, link string) bool {
	first, rest, more := strings.Cut(link, ".")
	switch from, imported := h.imports[first]; {
	case link == strings.ToUpper(link), !more && unicode.IsLower(rune(link[0])):
		return false
	case more && first == h.name && h.has(rest), h.has(link):
		return false
	case more && imported:
		of := c.houses[strings.TrimPrefix(from, module)]
		return of != nil && !of.has(rest)
	case more && unicode.IsLower(rune(link[0])): // of another package, unless the standard library has it
		for dir := range c.houses {
			if path.Base(dir) == first {
				return true
			}
		}
		return false
	}
	return true
}
