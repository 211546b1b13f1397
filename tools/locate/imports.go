package locate

import (
	"path"
	"regexp"
	"strings"
)

// An importRule finds what the lines of a language's files import. Group 1 is the module; group 2, if there is one, the
// names taken from it, each of which may be a module itself.
type importRule struct {
	exts string
	re   *regexp.Regexp
}

var importRules = []importRule{
	{".py .pyi .pyx", regexp.MustCompile(`(?m)^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]{0,1000}\)|[^\n#]+)`)},
	{".py .pyi .pyx", regexp.MustCompile(`(?m)^[ \t]*import[ \t]+([\w.]+)`)},
	{".js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte", regexp.MustCompile(`(?:from|import|require\()[ \t]*['"](\.{1,2}/[^'"\n]+)['"]`)},
	{".go", regexp.MustCompile(`(?m)^[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?"([\w.\-]+(?:/[\w.\-]+)+)"`)},
	{".rs", regexp.MustCompile(`(?m)^[ \t]*(?:pub[ \t]+)?(?:use|mod)[ \t]+((?:\w+)(?:::\w+)*)`)},
	{".java .kt .kts .scala", regexp.MustCompile(`(?m)^[ \t]*import[ \t]+(?:static[ \t]+)?([\w.]+)`)},
	{".c .h .cc .cpp .cxx .hpp .hh .m", regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"`)},
	{".rb .php", regexp.MustCompile(`(?m)\brequire(?:_relative|_once)?[ \t(]*['"]([^'"\n]+)['"]`)},
}

// maxImports of a file are kept.
const maxImports = 200

// importsOf lists the modules that a file imports, as paths without an ending: from the root, or with a leading "./" from
// the file's own directory. A name that is taken from a module is listed below it.
func importsOf(name string, text []byte) []string {
	ext := strings.ToLower(path.Ext(name))
	var out []string
	for _, rule := range importRules {
		if !strings.Contains(" "+rule.exts+" ", " "+ext+" ") {
			continue
		}
		for _, m := range rule.re.FindAllSubmatch(text, maxImports) {
			module := modulePath(string(m[1]), ext)
			out = append(out, module)
			if len(m) > 2 {
				out = append(out, below(module, string(m[2]))...)
			}
		}
	}
	out = distinct(out)
	return out[:min(len(out), maxImports)]
}

// modulePath writes a module as a path.
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

// below lists the names of an import list as modules below one.
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

// A modules finds files by the module they are.
type modules map[string][]int

func moduleOf(p string) string {
	mod := strings.TrimSuffix(p, path.Ext(p))
	for _, name := range []string{"/__init__", "/index", "/mod"} {
		mod = strings.TrimSuffix(mod, name)
	}
	return mod
}

func newModules(files []indexed) modules {
	m := modules{}
	for i := range files {
		if files[i].kind == document || files[i].kind == data {
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

// resolve finds the files that an import of a file leads to.
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
