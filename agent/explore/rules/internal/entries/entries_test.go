package entries

import (
	"strings"
	"testing"
)

func namesOf(all []Entry) (names []string) {
	for _, e := range all {
		names = append(names, e.Name)
	}
	return names
}

// A definition lists what is between its commas, on its lines, or at its least indentation, whatever the language.
func TestEntries(t *testing.T) {
	for _, tt := range []struct{ path, kind, source, want string }{
		{"a.py", "const", "CODES = [  # all\n    'a, b',\n    None,\n    two(1, 2),\n]\nOTHER = 1", "a, b|None|two"},
		{"a.py", "const", "ALL = frozenset({\n    ONE, TWO,  # 'three'\n})", "ONE|TWO"},
		{"a.py", "const", "MAP = {'x-gzip': 1, \"br\": [1, 2]}", "x-gzip|br"},
		{"a.py", "const", "width = compute(1, 2, 3)", ""},
		{"a.py", "class", "class A(B):\n    '''Doc: no.'''\n    limit = 3\n    name: str\n\n    @property\n    def url(self):\n" +
			"        self.cached = 1\n\n    def run(self, x):\n        y = 2", "limit|name|url|cached|run"},
		{"a.rb", "class", "class A < B\n  attr_reader :one, :two\n  LIMIT = 3\n  def run(x)\n    @seen = 1\n  end\nend",
			"one|two|LIMIT|run|seen"},
		{"a.rb", "const", "METHODS = %w[GET PUT].freeze", "GET|PUT"},
		{"a.go", "struct", "type A struct {\n\t// Name is a field.\n\tName, Other string `json:\"x\"`\n\tio.Reader\n\tf func(a, b int)\n}",
			"Name|Other|Reader|f"},
		{"a.go", "interface", "type A interface {\n\tRun(ctx context.Context) error\n\tClose() error\n}", "Run|Close"},
		{"a.go", "var", "var names = []string{\n\t\"a\", \"b\",\n\tc.D,\n}", "a|b|c.D"},
		{"a.go", "var", "var byName = map[string]func(int){\n\t\"a\": func(x int) { y(1, 2) },\n\t\"b\": nil,\n}", "a|b"},
		{"a.js", "const", "const codes = {\n  A: create('x, y', 1),\n  'b-c': 2, // no\n  d,\n}", "A|b-c|d"},
		{"a.ts", "interface", "export interface A {\n  readonly port?: number;\n  'x-y': string\n  run(a: string): void\n}", "port|x-y|run"},
		{"a.ts", "class", "class A<\n  T extends U = X\n> extends B<{\n  m: T;\n}> {\n  options: C;\n  slots: N[][] = [];\n}", "options|slots"},
		{"a.ts", "type", "type Level = 'debug' | 'info'\n  | 'warn'", "debug|info|warn"},
		{"a.java", "enum", "public enum E {\n  /** Doc, one. */\n  ONE(1, 2),\n  @Deprecated TWO { int f() { return 1; } };\n\n  int f() { return 0; }\n}",
			"ONE|TWO"},
		{"a.java", "class", "class A {\n  private final Map<String, Integer> m = new HashMap<>();\n  int[] xs;\n  void run(int x) {\n    int y = 1;\n  }\n}",
			"m|xs|run"},
		{"a.kt", "enum", "enum class P(\n  private val p: String,\n) {\n  H1(\"http/1.0\"),\n  H2(\"h2\"),\n  ;\n  fun f() = 1\n}", "H1|H2"},
		{"a.rs", "enum", "pub enum E {\n    #[from]\n    One(A),\n    Two { x: u8, y: u8 },\n    Three = 3,\n}", "One|Two|Three"},
		{"a.rs", "struct", "pub struct S<'a> {\n    pub name: &'a str,\n    pub(crate) n: Vec<u8>,\n}", "name|n"},
		{"a.php", "class", "final class R\n{\n    /** no, this */\n    public const BODY = 'body';\n    private ?int $limit = 3;\n" +
			"    public function run(int $x): void\n    {\n        $y = 1;\n    }\n}", "BODY|limit|run"},
		{"a.php", "enum", "enum Suit: string\n{\n    case Hearts = 'H';\n    case Spades = 'S';\n}", "Hearts|Spades"},
		{"a.c", "enum", "enum e {\n  A, /* one, two */\n  B = 2,\n};", "A|B"},
	} {
		got := strings.Join(namesOf(Of(tt.path, strings.Split(tt.source, "\n")).Entries(tt.kind)), "|")
		if got != tt.want {
			t.Errorf("%s\n%s: %s, want %s", tt.path, tt.source, got, tt.want)
		}
	}
}

// The parameters are those of the function, or of what makes an object of the class, without the object itself.
func TestParameters(t *testing.T) {
	for _, tt := range []struct{ path, name, source, want string }{
		{"a.py", "run", "def run(self, a, *args, b: dict[str, int] = {}, **kw):", "a|args|b|kw"},
		{"a.py", "A", "class A:\n    x = f(1)\n    def __init__(self, one=1,\n                 two=None):", "one|two"},
		{"a.go", "Run", "func (a *A) Run(ctx context.Context, x, y int, f func(a, b int)) error {", "ctx|x|y|f"},
		{"a.ts", "A", "class A {\n  constructor(private readonly one: string, two?: number) {}\n}", "one|two"},
		{"a.js", "run", "const run = async ({ a, b }, c = [1, 2], ...rest) => {}", "a|b|c|rest"},
		{"a.ts", "A", "const A = ((...args) => {\n  f(1)\n}) as B", "args"},
		{"a.java", "run", "void run(final Map<String, Integer> m, int... xs) {", "m|xs"},
		{"a.kt", "A", "class A(\n  val one: Int,\n  two: (Int, Int) -> Int = { a, b -> a },\n)", "one|two"},
		{"a.rs", "run", "pub fn run<T>(&mut self, path: &str, n: Option<T>) -> Self {", "path|n"},
		{"a.php", "run", "public function run(?string $one, Foo $two = null): void {", "one|two"},
		{"a.rb", "run", "def run(one, two: 3, *rest, &block)", "one|two|rest|block"},
	} {
		x := Of(tt.path, strings.Split(tt.source, "\n"))
		if got := strings.Join(namesOf(x.Parameters(tt.name, tt.name == "A")), "|"); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.source, got, tt.want)
		}
	}
}

// Whatever the text, its entries are names of some length on lines that it has.
func FuzzEntries(f *testing.F) {
	f.Add("a.py", "const", "X = [\n 'a',\n]")
	f.Add("a.go", "struct", "type A struct {\n\tB, C int\n}")
	f.Add("a.php", "class", "{\n$")
	f.Add("a.rb", "class", "(=%w[")
	f.Fuzz(func(t *testing.T, path, kind, source string) {
		lines := strings.Split(source, "\n")
		x := Of(path, lines)
		for _, e := range append(x.Entries(kind), x.Parameters("A", true)...) {
			if e.Name == "" || len(e.Name) > maxName || e.Line < 0 || e.Line >= len(lines) {
				t.Errorf("%+v of %q", e, source)
			}
		}
		x.Constants()
		x.Bases(kind)
	})
}

// Neither parameters nor the bounds of type parameters are taken for what a type extends.
func TestBases(t *testing.T) {
	for _, tt := range []struct{ path, kind, source, want string }{
		{"a.py", "class", "class A(B, metaclass=M):\n    x: int = 1", "B"},
		{"a.py", "class", "class Empty: pass", ""},
		{"a.rb", "class", "class A < B::C\n  x = y < z\nend", "B::C"},
		{"a.kt", "class", "class A(\n  private val b: B,\n  c: (Int) -> C,\n) : D(b), E by c, F<G> {", "D|E|F"},
		{"a.kt", "class", "class A(val b: B) {", ""},
		{"a.ts", "class", "class Foo<T extends Bar<Baz>> extends Qux<T> implements A, B {", "Qux|A|B"},
		{"a.java", "class", "public final class A<T extends C>\n    extends B<T>\n    implements D {", "B|D"},
		{"a.php", "class", "class A extends B implements C\n{", "B|C"},
		{"a.rs", "trait", "pub trait A: B + C {", "B|C"},
		{"a.rs", "struct", "struct Tup(pub std::sync::Arc<u8>);", ""},
		{"a.go", "struct", "type A struct {\n\tio.Reader\n\t*B\n\tc C\n}", "Reader|B"},
	} {
		if got := strings.Join(Of(tt.path, strings.Split(tt.source, "\n")).Bases(tt.kind), "|"); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.source, got, tt.want)
		}
	}
}
