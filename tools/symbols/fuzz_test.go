package symbols

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/ostest"
)

// check says what is wrong with the symbols of a file of so many lines.
func check(t *testing.T, name string, src []byte) {
	t.Helper()
	lines, last := line.Split(src).Count(), 0
	all := Of(name, src)
	for i, s := range all {
		switch {
		case s.Start < max(last, 1) || s.End < s.Start || s.End > max(lines, 1):
			t.Errorf("%s: %+v in %d lines after line %d", name, s, lines, last)
		case s.Name == "" || s.Depth < 1 || !contains(kinds, s.Kind):
			t.Errorf("%s: %+v", name, s)
		case strings.ContainsAny(s.Signature+s.Doc, "\n\r") || !utf8.ValidString(s.Signature+s.Doc) || utf8.RuneCountInString(s.Signature) > maxSignature+1:
			t.Errorf("%s: %q %q", name, s.Signature, s.Doc)
		case i > 0 && s.Depth > all[i-1].Depth+1:
			t.Errorf("%s: %+v is two levels below %+v", name, s, all[i-1])
		}
		last = s.Start
	}
	masked := Mask(name, src)
	if len(masked) != len(src) || bytes.Count(masked, []byte("\n")) != bytes.Count(src, []byte("\n")) {
		t.Errorf("%s: the mask has %d bytes for %d, or other lines", name, len(masked), len(src))
	}
	if again, ok := decode(encode(all)); !ok || len(again) != len(all) {
		t.Errorf("%s: %d symbols became %d", name, len(all), len(again))
	}
}

func contains(all []string, s string) bool {
	return strings.Contains(" "+strings.Join(all, " ")+" ", " "+s+" ")
}

// FuzzOf: whatever the source, symbols lie in the file, end after they begin, come by line, and stand in each other without
// gaps; the mask keeps the lines; what is kept on disk is the same.
func FuzzOf(f *testing.F) {
	var names []string
	for _, sample := range samples(f) {
		names = append(names, filepath.Base(sample))
		f.Add(uint8(len(names)-1), string(read(f, sample)))
	}
	for i := range names {
		f.Add(uint8(i), "class A {\n  int f(int x) { return \"}\"; }\n}\n")
		f.Add(uint8(i), "def f(\n  a):\n  '''d'''\nfunc g() {\nconst x = `${a}`\n}")
		f.Add(uint8(i), "#if A\nint f() {\n#else\nint g() {\n#endif\n}\n impl X for Y { fn z() {} }")
		f.Add(uint8(i), "{{{{(((\n/* \n'\"`${`$\"{{\"\"\"<<A <<~B <<<C\nR\"x(")
		f.Add(uint8(i), "typedef struct a\n\nclass << self\ndef ==(x)\n=begin\n=cut\n__END__\n?>")
	}
	f.Fuzz(func(t *testing.T, lang uint8, src string) {
		check(t, names[int(lang)%len(names)], []byte(src))
	})
}

// What a person would not write must not take longer than what one would: each source is read in time that grows with its
// length, which is noticed here by the deadline of the tests.
func TestHostile(t *testing.T) {
	ostest.SkipRaced(t)
	const size = 1 << 15
	pieces := []string{"{", "(", "/", "'", "\"", "`", "${", "`${", "$\"{", "#", "<<A\n", "<<<A\n", "/*", "\"\"\"", "R\"(", "<", "class ", "def a\n", "def a(\n",
		"fn a", "a(", "a(b,\n", "int a(int b)\n", "#if\n", "#define a \\\n", "{\n", "function a() {\n", "class a {\n", " class a:\n", "@a\n", "//\n", "\\", "?", "%r{", "public ", "a<", "template<", "\n"}
	for _, sample := range samples(t) {
		name := filepath.Base(sample)
		for _, piece := range pieces {
			src := []byte(strings.Repeat(piece, size/len(piece)))
			if strings.Contains(piece, "\n") {
				check(t, name, src)
				continue
			}
			m := languageOf(name) // a line of that length is not written by a person either: Of would not look
			if m == nil {
				continue
			}
			if masked := m.lex.mask(src); len(masked) != len(src) {
				t.Errorf("%s %q: %d bytes masked", name, piece, len(masked))
			}
			lines := bytes.Repeat(append(bytes.Repeat([]byte(piece), 400/len(piece)), '\n'), size/401)
			check(t, name, lines)
		}
	}
}
