package exact

import (
	"cmp"
	"strings"
	"testing"
)

// A line gives the name a value in one of these forms, or in none.
func TestValueIn(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"max_age", `  max_age: 60`, "60"},
		{"grace", `  grace: :timer.seconds(15),`, ":timer.seconds(15)"},
		{"max_tries", `    field :max_tries, :integer, default: 20`, "20"},
		{"timeout", `    timeout: int = Field(default=30, gt=0)`, "30"},
		{"PREF_SPEED", `return prefs.getString(PREF_SPEED, "1.00");`, `"1.00"`},
		{"playback speed", `return prefs.getString(Keys.PREF_PLAYBACK_SPEED, "1.00");`, `"1.00"`},
		{"retries", `retries = kwargs.pop("retries", 3)`, `kwargs.pop("retries", 3)`},
		{"retries", `run(kwargs.pop("retries", 3))`, "3"},
		{"warmup", `.help("use --warmup=3 for a slow disk")`, ""},
		{"warmup", `{"warmup": 3}`, "3"},
		{"limit", `limited(12)`, ""},
		{"limit", `target("limit", 9)`, ""},
		{"limit", `config.intGet("limit", 9)`, "9"},
		{"TEXT", `TEXT = """`, `"""`},
		{"name", `var name = ünïcode`, "ünïcode"},
	} {
		if got, _ := givingsOf(tt.name).valueIn(tt.text); got != tt.want {
			t.Errorf("%s in %s: %q, want %q", tt.name, tt.text, got, tt.want)
		}
	}
}

// A line that declares a type, shows an example or names a type sets nothing.
func TestEmpty(t *testing.T) {
	for _, tt := range []struct {
		path, text string
		want       bool
	}{
		{"a.ex", "  limit: non_neg_integer(),", true}, {"a.ex", "  limit: :pos_integer,", true}, {"a.ex", "  limit: 5,", false},
		{"a.ex", "  iex> run(limit: 5)", true}, {"a.ex", "  import A, only: [limit: 2]", true},
		{"a.exs", "  defoverridable limit: 1", true}, {"a.ex", "  run(only: [limit: 2])", false},
		{"a.py", "  >>> run(limit=5)", true},
		{"a.ts", "  limit: 'number',", true}, {"a.ts", "let limit: Node.Limit | undefined", true}, {"a.ts", "export type Limit = A | B", true},
		{"a.ts", "  limit: 'high',", false},
		{"package.json", `    "limit": "^2.0.0",`, true}, {"a.py", `limit = ">= 1.2"`, true}, {"a.py", `limit = "2.0"`, false},
		{"A.java", "  int limit = parser.getLimit();", true}, {"a.go", "\tlimit: pb.GetLimit(),", true},
		{"a.py", "limit = self.get_limit()", true}, {"a.js", "limit = getLimit(3)", false}, {"a.js", "limit = getMost()", false},
		{"a.py", "limit = Limit()", false},
	} {
		a := assignment{path: tt.path, text: tt.text}
		a.value, _ = givingsOf("limit").valueIn(tt.text)
		if got := a.value == "" || a.empty("limit"); got != tt.want {
			t.Errorf("%s: value %q, sets nothing: %v", tt.text, a.value, got)
		}
	}
}

// Numbers of fields and of versions set nothing.
func TestNoSettings(t *testing.T) {
	for path, want := range map[string]bool{
		"api/till.proto": true, "package-lock.json": true, "Cargo.lock": true, "till.go": false, "proto.go": false,
		"src/block.c": false,
	} {
		if got := noSettings.MatchString(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// What configures a project for its own tools and tests is no source of defaults.
func TestOfProject(t *testing.T) {
	for path, want := range map[string]side{
		"config/config.exs": examples, "config/dev.exs": examples, "config/runtime.exs": source, "lib/config.ex": source,
		"vite.config.ts": examples, "src/config.ts": source, "Cargo.toml": examples, "oven.toml": source,
		"docker-compose.dev.yml": examples, "etc/oven.yml": source, "config/ci.yml": examples, "setup.cfg": examples,
		"package.json": examples, "defaults.json": source,
	} {
		if got := (assignment{path: path}).part(); got != want {
			t.Errorf("%s: part %d, want %d", path, got, want)
		}
	}
}

// The lines that declare an option end where the next one begins.
func TestDefaultBelow(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"an object", "{\n long: 'depth',\n arg: 'n',\n default: 7,\n},\n{\n long: 'x',\n default: 1,", "7"},
		{"a table", "{ .name = \"depth\",\n  .type = NUMBER,\n  .default_num = 2000,\n},", "2000"},
		{"a list of names", "  'depth',\n 'width',\n ],\n default: true,", ""},
		{"the next object", "{\n long: 'depth',\n},\n{\n long: 'x',\n default: 1,", ""},
		{"a call", "add(\"--depth\", type=int,\n    default=3)\nadd(\"--x\", default=9)", "3"},
		{"the next call", "add(\"--depth\", type=int)\nadd(\"--x\", default=9)", ""},
		{"chained calls", ".long(\"depth\")\n.short('d')\n.default_value(\"10\")", `"10"`},
		{"a value without one", ".long(\"depth\")\n.default_missing_value(\"10\")", ""},
		{"a field", "Depth int `json:\"depth\"`\nNice bool `json:\"nice\" default:\"true\"`", ""},
		{"a variable", ".long(\"depth\")\n.run(\"x\", clone(defaults or none))", ""},
		{"help", ".long(\"depth\")\n.help(\"How deep to look (default: 10).\"),", "10"},
	} {
		lines := strings.Split(tt.text, "\n")
		for len(lines) > 1 && !strings.Contains(lines[0], "depth") {
			lines = lines[1:]
		}
		a := assignment{line: 1, text: lines[0]}
		below := lines[1 : 1+declared(lines[0], lines[1:])]
		if got := cmp.Or(a.defaultBelow(below), a.defaultInHelp(below)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		} else if got != "" && !strings.Contains(lines[a.line-1], strings.Trim(got, `"`)) {
			t.Errorf("%s: line %d", tt.name, a.line)
		}
	}
}

// Quotes of texts of several lines are found, and not those that are a text themselves.
func TestTextQuotes(t *testing.T) {
	for text, want := range map[string]int{
		`"""Walks.`: 1, `"""Walks."""`: 2, `'''a`: 1, `if line.startswith('"""'):`: 0, `p == "'''"`: 0, `x = ""`: 0,
	} {
		n := 0
		for _, quote := range textQuotes.FindAllString(text, -1) {
			if len(quote) == 3 {
				n++
			}
		}
		if n != want {
			t.Errorf("%s: %d quotes, want %d", text, n, want)
		}
	}
}
