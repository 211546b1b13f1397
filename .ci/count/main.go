// Count prints the figures that this repository holds itself to: lines, files a folder, arrows up between files,
// exported names, interfaces, methods a type, the length of functions, and the words of its comments.
//
//	go run ./.ci/count          # the totals, with their bounds
//	go run ./.ci/count -v       # the worst offenders under each total
//	go run ./.ci/count -v DIR   # of the packages below DIR
//	go run ./.ci/count -check   # exit 1 if a bound does not hold
//
// It leaves out tests. Package main, internal packages and examples export nothing that an embedder can use, so their
// names are not counted as exported.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// words are what a comment should rarely need: each marked the English of the first version.
var words = []struct {
	name  string
	bound int
	re    *regexp.Regexp
}{
	{`"behind"`, 5, regexp.MustCompile(`(?i)\bbehind\b`)},
	{`"tell", "tells" or "told"`, 10, regexp.MustCompile(`(?i)\b(tell|tells|told)\b`)},
	{`"there is no" or "are none"`, 10, regexp.MustCompile(`(?i)\b(there is no|there are no|is none|are none)\b`)},
	{`"stand", "stands" or "stood"`, 10, regexp.MustCompile(`(?i)\b(stand|stands|stood)\b`)},
	{`"go on", "goes on" or "gone on"`, 5, regexp.MustCompile(`(?i)\b(go|goes|gone) on\b`)},
	{`"of which"`, 10, regexp.MustCompile(`(?i)\bof which\b`)},
}

var docLink = regexp.MustCompile(`\[\*?[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)*\]`)

const columns = 120 // of a line

// A figure is a total with what contributes to it.
type figure struct {
	name  string
	total int
	rows  map[string]int
	worst bool // the total is the largest row instead of the sum
	bound int  // upper bound of the total, lower bound if negative; 0: none
	zero  bool // the total must be 0
}

func (f *figure) holds() bool {
	if f.zero {
		return f.total == 0
	}
	return f.bound == 0 || f.bound > 0 && f.total <= f.bound || f.bound < 0 && f.total >= -f.bound
}

// limit writes the bound for people.
func (f *figure) limit() string {
	text := ""
	switch {
	case f.zero:
		text = "(at most 0)"
	case f.bound > 0:
		text = fmt.Sprintf("(at most %d)", f.bound)
	case f.bound < 0:
		text = fmt.Sprintf("(at least %d)", -f.bound)
	}
	if !f.holds() {
		text += " does not hold"
	}
	return text
}

func (f *figure) add(row string, n int) {
	if n == 0 {
		return
	}
	if f.rows == nil {
		f.rows = map[string]int{}
	}
	f.rows[row] += n
	if f.worst {
		f.total = max(f.total, f.rows[row])
		return
	}
	f.total += n
}

func (f *figure) print(most int) {
	fmt.Println(strings.TrimRight(fmt.Sprintf("%7d  %s %s", f.total, f.name, f.limit()), " "))
	rows := slices.SortedFunc(maps.Keys(f.rows), func(a, b string) int { return cmp.Or(f.rows[b]-f.rows[a], cmp.Compare(a, b)) })
	for _, row := range rows[:min(most, len(rows))] {
		fmt.Printf("         %7d  %s\n", f.rows[row], row)
	}
}

// A counter holds the figures in the order in which they are printed.
type counter struct {
	lines, wide, files, arrows, exported, interfaces, methods, length, comments, links, dead figure

	words  []figure
	houses map[string]*house // by folder
}

func main() {
	log.SetFlags(0)
	verbose := flag.Bool("v", false, "print the worst offenders under each figure")
	most := flag.Int("most", 12, "how many offenders -v prints")
	check := flag.Bool("check", false, "exit 1 if a bound does not hold")
	flag.Parse()
	if !*verbose {
		*most = 0
	}
	c := newCounter()
	if err := c.walk(cmp.Or(flag.Arg(0), ".")); err != nil {
		log.Fatal(err)
	}
	c.follow()
	broken := false
	for _, f := range c.figures() {
		f.print(*most)
		broken = broken || !f.holds()
	}
	if *check && broken {
		os.Exit(1)
	}
}

func newCounter() *counter {
	c := &counter{
		lines:      figure{name: "lines without tests", bound: 174_000},
		wide:       figure{name: fmt.Sprintf("lines over %d columns", columns), bound: 200},
		files:      figure{name: "files in the largest folder", worst: true, bound: 25},
		arrows:     figure{name: "arrows up between the files of the worst folder", worst: true, bound: 20},
		exported:   figure{name: "exported names (types, functions, constants, variables)", bound: 869},
		interfaces: figure{name: "exported interfaces", bound: 15},
		methods:    figure{name: "methods of the largest type", worst: true, bound: 30},
		length:     figure{name: "lines of the longest function", worst: true, bound: 62},
		comments:   figure{name: "comment lines"},
		links:      figure{name: "doc links", bound: -300},
		dead:       figure{name: "doc links that lead nowhere", zero: true},
		houses:     make(map[string]*house),
	}
	for _, w := range words {
		c.words = append(c.words, figure{name: "comment lines with " + w.name, bound: w.bound})
	}
	return c
}

func (c *counter) figures() []*figure {
	all := []*figure{
		&c.lines, &c.wide, &c.files, &c.arrows, &c.exported, &c.interfaces, &c.methods, &c.length, &c.comments, &c.links,
		&c.dead,
	}
	for i := range c.words {
		all = append(all, &c.words[i])
	}
	return all
}

// walk counts each folder below dir that holds Go files.
func (c *counter) walk(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); path != dir && (strings.HasPrefix(name, ".") || name == "testdata") {
			return fs.SkipDir
		}
		return c.folder(path)
	})
}

func (c *counter) folder(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(n string) bool { return strings.HasSuffix(n, "_test.go") })
	fset, files := token.NewFileSet(), make([]*ast.File, len(names))
	for i, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if files[i], err = parser.ParseFile(fset, name, src, parser.ParseComments); err != nil {
			return err
		}
		c.source(name, string(src))
		c.comment(name, files[i])
		c.declarations(fset, dir, files[i])
		c.house(dir).add(name, files[i])
	}
	if len(files) > 0 {
		c.files.add(dir, len(files))
		c.arrows.add(dir, arrowsUp(files))
	}
	return nil
}

func (c *counter) source(name, src string) {
	c.lines.add(filepath.Dir(name), strings.Count(src, "\n"))
	for line := range strings.Lines(src) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > columns {
			c.wide.add(name, 1)
		}
	}
}

func (c *counter) comment(name string, f *ast.File) {
	for _, group := range f.Comments {
		for _, comment := range group.List {
			for line := range strings.Lines(comment.Text) {
				c.comments.add(name, 1)
				c.links.add(name, len(docLink.FindAllString(line, -1)))
				for i, w := range words {
					if w.re.MatchString(line) {
						c.words[i].add(name, 1)
					}
				}
			}
		}
	}
}

func (c *counter) declarations(fset *token.FileSet, dir string, f *ast.File) {
	public := f.Name.Name != "main" && !strings.Contains(dir, "internal") && !strings.Contains(dir, "examples")
	export := func(name *ast.Ident) {
		if public && name.IsExported() {
			c.exported.add(dir, 1)
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			start := fset.Position(d.Pos())
			c.length.add(fmt.Sprint(start.Filename, ":", start.Line, " ", d.Name.Name), fset.Position(d.End()).Line-start.Line+1)
			if d.Recv == nil {
				export(d.Name)
			} else {
				c.methods.add(filepath.Join(dir, receiver(d.Recv.List[0].Type)), 1)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					export(s.Name)
					if _, ok := s.Type.(*ast.InterfaceType); ok && public && s.Name.IsExported() {
						c.interfaces.add(filepath.Join(dir, s.Name.Name), 1)
					}
				case *ast.ValueSpec:
					for _, name := range s.Names {
						export(name)
					}
				}
			}
		}
	}
}

// receiver is the name of the type that a method belongs to.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}

// An arrow points from a file to another one that declares a name the first uses: a package-level name, or a method
// whose name only one file of the package declares.
type arrow struct{ from, to int }

// arrowsUp orders the files so that as few arrows as possible point up, and counts those that still do.
func arrowsUp(files []*ast.File) int {
	names, methods := map[string]int{}, map[string]int{}
	for i, f := range files {
		for name := range f.Scope.Objects {
			names[name] = i
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
				if at, ok := methods[fn.Name.Name]; ok && at != i {
					methods[fn.Name.Name] = -1
				} else {
					methods[fn.Name.Name] = i
				}
			}
		}
	}
	arrows := map[arrow]bool{}
	use := func(from int, name string, declared map[string]int) {
		if to, ok := declared[name]; ok && to >= 0 && to != from {
			arrows[arrow{from, to}] = true
		}
	}
	for i, f := range files {
		for _, id := range f.Unresolved {
			use(i, id.Name, names)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && !ofPackage(sel, f) {
				use(i, sel.Sel.Name, methods)
			}
			return true
		})
	}
	order := make([]int, len(files))
	for i := range order {
		order[i] = i
	}
	return settle(order, arrows)
}

// ofPackage reports whether a selector names something of an imported package, and so no method.
func ofPackage(sel *ast.SelectorExpr, f *ast.File) bool {
	id, ok := sel.X.(*ast.Ident)
	return ok && id.Obj == nil && slices.ContainsFunc(f.Imports, func(spec *ast.ImportSpec) bool {
		if spec.Name != nil {
			return spec.Name.Name == id.Name
		}
		return path.Base(strings.Trim(spec.Path.Value, `"`)) == id.Name
	})
}

// settle moves one file at a time to its best place until no move helps, and returns how many arrows then point up.
func settle(order []int, arrows map[arrow]bool) int {
	best := up(order, arrows)
	for better := true; better; {
		better = false
		for i := range order {
			for j := range order {
				next := slices.Delete(slices.Clone(order), i, i+1)
				next = slices.Insert(next, j, order[i])
				if n := up(next, arrows); n < best {
					order, best, better = next, n, true
				}
			}
		}
	}
	return best
}

func up(order []int, arrows map[arrow]bool) int {
	at := make([]int, len(order))
	for i, f := range order {
		at[f] = i
	}
	n := 0
	for a := range arrows {
		if at[a.from] > at[a.to] {
			n++
		}
	}
	return n
}
