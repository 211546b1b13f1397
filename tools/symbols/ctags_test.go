package symbols

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var differences = flag.Int("differences", 0, "how many definitions of each language that only one side has are printed")

// compared says for each language what universal-ctags calls it and which of its kinds are ours. Constants, variables,
// fields and macros are left out: the two have other ideas of which of them count.
var compared = []struct {
	language string
	ctags    string
	kinds    []string
}{
	{"go", "Go", []string{"func", "struct", "interface", "type", "talias"}},
	{"python", "Python", []string{"class", "function", "member"}},
	{"javascript", "JavaScript", []string{"class", "function", "method", "generator", "getter", "setter"}},
	{"typescript", "TypeScript", []string{"class", "function", "method", "generator", "interface", "enum", "namespace", "alias"}},
	{"java", "Java", []string{"class", "interface", "enum", "annotation", "method"}},
	{"rust", "Rust", []string{"function", "method", "struct", "enum", "interface", "module", "implementation", "typedef"}},
	{"c", "C", []string{"function", "struct", "union", "enum", "typedef"}},
	{"c++", "C++", []string{"function", "struct", "union", "enum", "class", "namespace", "typedef", "alias"}},
	{"csharp", "C#", []string{"class", "struct", "interface", "enum", "namespace", "method"}},
	{"ruby", "Ruby", []string{"class", "module", "method", "singletonMethod"}},
	{"php", "PHP", []string{"class", "interface", "trait", "function", "namespace"}},
	{"kotlin", "Kotlin", []string{"class", "interface", "method", "object", "typealias"}},
	{"shell", "Sh", []string{"function"}},
	{"lua", "Lua", []string{"function"}},
	{"perl", "Perl", []string{"subroutine", "package"}},
	{"elixir", "Elixir", []string{"module", "function", "macro", "protocol"}},
}

// madeUp are the names that ctags gives to what has none.
var madeUp = regexp.MustCompile(`(?i)^(__anon|anonymous(Function|Class|Object)[0-9a-f]+|<lambda>)`)

// A place is where a name is defined, for comparing.
type place struct {
	file, name string
	line       int
}

// An agreement counts the definitions of a language that both sides have, or one.
type agreement struct {
	files, ours, theirs, both int
	onlyOurs, onlyTheirs      []place
}

func (a agreement) precision() float64 { return float64(a.both) / float64(max(a.ours, 1)) }
func (a agreement) recall() float64    { return float64(a.both) / float64(max(a.theirs, 1)) }

// agree compares the definitions of files of one language with those of universal-ctags.
func agree(t *testing.T, name, ctags string, kinds, files []string) agreement {
	t.Helper()
	a := agreement{files: len(files)}
	theirs := tagged(t, ctags, kinds, files)
	a.theirs = len(theirs)
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[place]bool{}
		for _, s := range Of(f, src) {
			at := place{f, lastPart(s.Name), s.Start}
			if slices.Contains([]string{"const", "var", "macro"}, s.Kind) || seen[at] {
				continue
			}
			seen[at] = true
			a.ours++
			if i := slices.IndexFunc(lines(name, s), func(n int) bool { return theirs[place{f, at.name, n}] }); i >= 0 {
				a.both++
				for _, n := range lines(name, s) {
					delete(theirs, place{f, at.name, n})
				}
			} else {
				a.onlyOurs = append(a.onlyOurs, at)
			}
		}
	}
	for p := range theirs {
		a.onlyTheirs = append(a.onlyTheirs, p)
	}
	for _, list := range [][]place{a.onlyOurs, a.onlyTheirs} {
		slices.SortFunc(list, func(a, b place) int {
			return strings.Compare(fmt.Sprintf("%s%9d", a.file, a.line), fmt.Sprintf("%s%9d", b.file, b.line))
		})
	}
	return a
}

// lastPart is the last part of a qualified name of any language.
func lastPart(name string) string {
	name = strings.NewReplacer("`", "", " ", "").Replace(name)
	return name[strings.LastIndexAny(strings.TrimRight(name, ".:"), `.:\`)+1:]
}

// lines are those on which ctags may see s: its first. In C that is the one with the name, where ours begins with the result
// type on the line before, and the last one of a typedef.
func lines(language string, s Symbol) []int {
	if language == "c" || language == "c++" {
		return []int{s.Start, s.Start + 1, s.End}
	}
	return []int{s.Start}
}

// tagged is what universal-ctags finds. Names that it made up for what has none are left out.
func tagged(t *testing.T, language string, kinds, files []string) map[place]bool {
	t.Helper()
	cmd := exec.Command("ctags", "--options=NONE", "--output-format=json", "--fields=NFnK", "--kinds-all=*", "--language-force="+language, "-L", "-", "-f", "-")
	cmd.Stdin = strings.NewReader(strings.Join(files, "\n"))
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("ctags: %v\n%s", err, said.Bytes())
	}
	found := map[place]bool{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var tag struct {
			Name, Path, Kind string
			Line             int
		}
		if json.Unmarshal(lines.Bytes(), &tag) == nil && slices.Contains(kinds, tag.Kind) && !madeUp.MatchString(tag.Name) {
			found[place{tag.Path, lastPart(tag.Name), tag.Line}] = true
		}
	}
	return found
}

// TestTreesAgainstCtags prints how far we agree with universal-ctags on the trees that FORAY_TREES lists.
func TestTreesAgainstCtags(t *testing.T) {
	trees := filepath.SplitList(os.Getenv("FORAY_TREES"))
	if len(trees) == 0 {
		t.Skip("FORAY_TREES lists no directory")
	}
	if _, err := exec.LookPath("ctags"); err != nil {
		t.Skip("ctags is not installed")
	}
	files := map[string][]string{}
	for _, tree := range trees {
		err := filepath.WalkDir(tree, func(p string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			src, err := os.ReadFile(p)
			if l := Language(p); err == nil && l != "" && !strings.Contains(p, "\n") && len(src) <= maxBytes && !minified(src) {
				files[l] = append(files[l], p)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var table strings.Builder
	table.WriteString("\n| language | files | ours | ctags | both | precision | recall |\n|---|---|---|---|---|---|---|\n")
	for _, c := range compared {
		if len(files[c.language]) == 0 {
			continue
		}
		a := agree(t, c.language, c.ctags, c.kinds, files[c.language])
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %d | %.3f | %.3f |\n", c.language, a.files, a.ours, a.theirs, a.both, a.precision(), a.recall())
		for side, list := range map[string][]place{"ours": a.onlyOurs, "ctags": a.onlyTheirs} {
			step := max(1, len(list)/max(*differences, 1))
			for i := 0; i < len(list) && i/step < *differences; i += step {
				src, _ := os.ReadFile(list[i].file)
				t.Logf("%s only %s: %s:%d %s | %s", c.language, side, list[i].file, list[i].line, list[i].name, newText(src).line(list[i].line))
			}
		}
	}
	t.Log(table.String())
}
