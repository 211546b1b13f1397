package overview

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// EntryGlobs match the files where projects begin, by the conventions of their languages.
var EntryGlobs = []string{
	"{index,main,app,server,cli,src/index,src/main,lib/index}.{js,ts,mjs,cjs,tsx,py,php,go,rs,c,cc,cpp,swift}",
	"{src/lib.rs,src/bin/*.rs,src/bin/*/main.rs,cmd/*/main.go,manage.py,public/index.php}",
	"{*/__init__.py,src/*/__init__.py,*/__main__.py,src/*/__main__.py,lib/*.{rb,ex},bin/*,exe/*}",
	"{packages/*/index,packages/*/src/index}.{ts,js,tsx,mjs}",
}

// A convention matches entry points of one kind. Its first group, if any, is compared with the project's name.
type convention struct {
	re   *lazyregexp.Regexp
	says string
	own  bool // only if the group is the name of the project
}

// conventions are in the order of the report: programs, then libraries.
var conventions = []convention{
	{lazyregexp.New(`^cmd/([^/]+)/main\.go$`), "the main package of the command", false},
	{lazyregexp.New(`^(?:src/)?bin/([^/]+)/main\.rs$`), "the main function of the program", false},
	{lazyregexp.New(`^(?:src/)?main\.(?:go|rs|c|cc|cpp|swift|py|ts|js)$`), "the main file of the program", false},
	{lazyregexp.New(`^packages/([^/]+)/src/index\.(?:ts|js|tsx|mjs)$`), "what the main package exports", true},
	{lazyregexp.New(`^packages/([^/]+)/index\.(?:ts|js|tsx|mjs)$`), "what the main package exports", true},
	{lazyregexp.New(`^(?:src/)?([^/]+)/__init__\.py$`), "what the package exports", true},
	{lazyregexp.New(`^lib/([^/]+)\.(?:rb|ex)$`), "what the library loads first", true},
	{lazyregexp.New(`^(?:bin|exe)/([\w-]+)$`), "the executable", true},
	{lazyregexp.New(`^(?:src/)?([^/]+)/__main__\.py$`), "what `python -m` runs", true},
	{lazyregexp.New(`^src/bin/([^/]+)\.rs$`), "the main function of the program", false},
	{lazyregexp.New(`^index\.(?:js|ts|mjs|cjs)$`), "what the package exports", false},
	{lazyregexp.New(`^(?:src|lib)/index\.(?:js|ts|tsx|mjs|cjs)$`), "what the package exports", false},
	{lazyregexp.New(`^src/lib\.rs$`), "the root of the library", false},
	{lazyregexp.New(`^(?:.+/)?src/main/(?:java|kotlin|scala)/(?:.+/)?(\w+)\.(?:java|kt|scala)$`),
		"the type named like the project", true},
	{lazyregexp.New(`^(?:manage|app|server|cli)\.(?:py|js|ts)$`), "the file that starts it", false},
	{lazyregexp.New(`^(?:public/)?index\.php$`), "the file that starts it", false},
	{lazyregexp.New(`^(?:src/|lib/)?([\w-]+)\.(?:go|py|js|ts|rb|php)$`), "the main file of the library", true},
	{lazyregexp.New(`^(?:src/|include/)?([\w-]+)\.h$`), "the header named like the project", true},
}

// anyKind is how many conventions are last that match any file named like the project.
const anyKind = 2

// An EntryPoint is a file where a project starts, and what kind of file it is.
type EntryPoint struct{ Path, Says string }

// Entries returns the entry points among paths by convention, those named like the project first.
func Entries(paths []string, names []string) []EntryPoint {
	type found struct {
		EntryPoint
		rank int
	}
	var all []found
	for _, p := range paths {
		for i, c := range conventions {
			m := c.re.FindStringSubmatch(p)
			if m == nil {
				continue
			}
			named := len(m) > 1 && NamedLike(m[1], names)
			if c.own && !named {
				break
			}
			rank := i
			if named && i < len(conventions)-anyKind {
				rank -= len(conventions)
			}
			all = append(all, found{EntryPoint{p, c.says}, rank})
			break
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.Path, b.Path)) })
	var out []EntryPoint
	for _, f := range all {
		if !slices.Contains(out, f.EntryPoint) {
			out = append(out, f.EntryPoint)
		}
	}
	return out
}

// NamedLike reports whether a file or folder is named like the project. It takes vue for vuejs.
func NamedLike(name string, names []string) bool {
	name = plain(name)
	return slices.ContainsFunc(names, func(n string) bool {
		n = plain(n)
		return n != "" && (n == name || len(name) > 2 && (strings.TrimSuffix(n, "js") == name || n == name+"2" || name == n+"2"))
	})
}

func plain(name string) string {
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune("-_. ", c) {
			return -1
		}
		return c
	}, strings.ToLower(name))
}

// nameIn matches the name of the project in a manifest, by its file name.
var nameIn = map[string]*lazyregexp.Regexp{
	"go.mod":         lazyregexp.New(`^module\s+(\S+)`),
	"package.json":   lazyregexp.New(`^\s*"name":\s*"([^"]+)"`),
	"pyproject.toml": lazyregexp.New(`^name\s*=\s*["']([^"']+)`),
	"setup.cfg":      lazyregexp.New(`^name\s*=\s*(\S+)`),
	"setup.py":       lazyregexp.New(`^\s*name\s*=\s*['"]([^'"]+)`),
	"Cargo.toml":     lazyregexp.New(`^name\s*=\s*"([^"]+)`),
	"pom.xml":        lazyregexp.New(`^(?: {2,3}|\t)<artifactId>([^<]+)`),
	".gemspec":       lazyregexp.New(`\.name\s*=\s*["']([^"']+)`),
	"composer.json":  lazyregexp.New(`^\s*"name":\s*"([^"]+)"`),

	"settings.gradle":     lazyregexp.New(`^rootProject\.name\s*=\s*["']([^"']+)`),
	"settings.gradle.kts": lazyregexp.New(`^rootProject\.name\s*=\s*"([^"]+)`),
}

var majorVersion = lazyregexp.New(`/v\d+$`)

// NamesIn returns the names that a manifest or README gives its project.
func NamesIn(file string, lines []string) (names []string) {
	re := cmp.Or(nameIn[path.Base(file)], nameIn[path.Ext(file)])
	for i, l := range lines {
		switch {
		case re != nil:
			if m := re.FindStringSubmatch(l); m != nil {
				return []string{path.Base(majorVersion.ReplaceAllString(m[1], ""))}
			}
		case strings.HasPrefix(l, "# ") || i+1 < len(lines) && strings.HasPrefix(lines[i+1], "==="):
			title := strings.Fields(strings.TrimPrefix(l, "# "))
			if len(title) > 0 {
				return strings.FieldsFunc(title[0], func(c rune) bool { return strings.ContainsRune("`*/&", c) })
			}
		}
	}
	return nil
}
