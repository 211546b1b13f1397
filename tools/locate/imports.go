package locate

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// An importRule finds the imports of a language. Group 1 is the module. Group 2, if present, lists names taken from
// it; each may be a module.
type importRule struct {
	exts  map[string]bool
	hints []string // an importing line begins with one of these; none: it contains a quote
	re    *lazyregexp.Regexp
}

var importRules = []importRule{
	{setOf(".py .pyi .pyx"), []string{"from "},
		lazyregexp.New(`^from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]{0,1000}\)|[^\n#]+)`)},
	{setOf(".py .pyi .pyx"), []string{"import "}, lazyregexp.New(`^import[ \t]+([\w.]+)`)},
	{setOf(".js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte"),
		[]string{"import ", "export ", "} from ", "const ", "let ", "var "},
		lazyregexp.New(`^.{0,300}(?:from|import|require\()[ \t]*['"](\.{1,2}/[^'"\n]+)['"]`)},
	{setOf(".go"), nil, lazyregexp.New(`^(?:import[ \t]+)?(?:[\w.]+[ \t]+)?"([\w.\-]+(?:/[\w.\-]+)+)"`)},
	{setOf(".rs"), []string{"use ", "pub use ", "mod ", "pub mod ", "pub(crate) "},
		lazyregexp.New(`^(?:pub(?:\(crate\))?[ \t]+)?(?:use|mod)[ \t]+(\w+(?:::\w+)*)`)},
	{setOf(".java .kt .kts .scala"), []string{"import "},
		lazyregexp.New(`^import[ \t]+(?:static[ \t]+)?([\w.]+)`)},
	{setOf(".c .h .cc .cpp .cxx .hpp .hh .m"), []string{"#"},
		lazyregexp.New(`^#[ \t]*include[ \t]*"([^"\n]+)"`)},
	{setOf(".rb .php"), []string{"require"}, lazyregexp.New(`^require(?:_relative|_once)?[ \t(]*['"]([^'"\n]+)['"]`)},
}

// Bounds on the imports of a file.
const (
	maxImports = 200
	importSpan = 2000 // bytes of one import
)

// importsOf lists the imported modules of a file as paths without extension: from the root, or with a leading "./"
// from the file's directory. A name taken from a module is listed below that module.
func importsOf(name string, text []byte) []string {
	ext := strings.ToLower(path.Ext(name))
	var rules []importRule
	for _, rule := range importRules {
		if rule.exts[ext] {
			rules = append(rules, rule)
		}
	}
	var out []string
	for len(rules) > 0 && len(text) > 0 && len(out) < maxImports {
		for len(text) > 0 && (text[0] == ' ' || text[0] == '\t') {
			text = text[1:]
		}
		for i := range rules {
			out = rules[i].take(text, ext, out)
		}
		n := bytes.IndexByte(text, '\n') + 1
		if n == 0 {
			break
		}
		text = text[n:]
	}
	out = distinct(out)
	return out[:min(len(out), maxImports)]
}

// take appends the imports of the line at the start of text.
func (r *importRule) take(text []byte, ext string, out []string) []string {
	if !r.hinted(text) {
		return out
	}
	m := r.re.FindSubmatch(text[:min(len(text), importSpan)])
	if m == nil {
		return out
	}
	module := modulePath(string(m[1]), ext)
	out = append(out, module)
	if len(m) > 2 {
		out = append(out, below(module, string(m[2]))...)
	}
	return out
}

func (r *importRule) hinted(text []byte) bool {
	if r.hints == nil {
		line, _, _ := bytes.Cut(text[:min(len(text), importSpan)], []byte("\n"))
		return bytes.IndexByte(line, '"') >= 0
	}
	return slices.ContainsFunc(r.hints, func(h string) bool {
		return len(text) > len(h) && string(text[:len(h)]) == h
	})
}

func modulePath(module, ext string) string {
	switch ext {
	case ".py", ".pyi", ".pyx":
		rest := strings.TrimLeft(module, ".")
		dots := len(module) - len(rest)
		rest = strings.ReplaceAll(rest, ".", "/")
		switch dots {
		case 0:
			return rest
		case 1:
			return "./" + rest
		}
		return "./" + strings.Repeat("../", dots-1) + rest
	case ".rs":
		module = strings.ReplaceAll(module, "::", "/")
		for _, prefix := range []string{"crate/", "self/", "super/"} {
			module = strings.TrimPrefix(module, prefix)
		}
		return module
	case ".java", ".kt", ".kts", ".scala":
		return strings.ReplaceAll(module, ".", "/")
	case ".go":
		return module
	}
	return "./" + strings.TrimSuffix(module, path.Ext(module))
}

// below lists the names of an import as modules below one.
func below(module, names string) []string {
	const most = 60
	var out []string
	for name := range strings.SplitSeq(strings.Trim(names, "()"), ",") {
		name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
		if name != "" && name != "*" && len(out) < most {
			out = append(out, strings.TrimSuffix(module, "/")+"/"+name)
		}
	}
	return out
}

type modules map[string][]int

func newModules(files []indexedFile) modules {
	m := modules{}
	for i := range files {
		if files[i].kind == document || files[i].kind == config {
			continue
		}
		mod := moduleOf(files[i].Path)
		m[mod] = append(m[mod], i)
		for _, root := range sourceRoots {
			if at := strings.Index("/"+mod, "/"+root+"/"); at >= 0 {
				short := mod[at+len(root)+1:]
				m[short] = append(m[short], i)
				break
			}
		}
		if path.Ext(files[i].Path) == ".go" {
			dir := path.Dir(files[i].Path)
			m[dir] = append(m[dir], i)
		}
	}
	return m
}

var sourceRoots = []string{"src/main/java", "src/main/kotlin", "src", "lib", "python"}

func (m modules) resolve(from, module string) []int {
	if rest, ok := strings.CutPrefix(module, "./"); ok {
		return m[path.Join(path.Dir(from), rest)]
	}
	if found := m[module]; found != nil {
		return found
	}
	if path.Ext(from) == ".go" {
		for {
			_, rest, ok := strings.Cut(module, "/")
			if !ok {
				return nil
			}
			if found := m[rest]; found != nil {
				return found
			}
			module = rest
		}
	}
	return nil
}
