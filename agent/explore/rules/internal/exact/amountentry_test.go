package exact

import (
	"strings"
	"testing"

	"github.com/forayhq/foray/tools/search"
)

// A default in an entry of a table, a call or a document has the name and the help text of the entry.
func TestEntryAt(t *testing.T) {
	for _, tt := range []struct{ path, text, name, value, help string }{
		{"a.c", "{ .name = \"depth\",\n  .type = NUMBER,\n  .default_num = 2000,\n  .text = \"Levels to keep.\"\n},\n" +
			"{ .name = \"x\"", "depth", "2000", "Levels"},
		{"a.py", "p.add_argument(\n    \"-d\",\n    \"--max-depth\",\n    default=3,\n    help=\"levels\",\n)\np.add(\"x\")",
			"max-depth", "3", "levels"},
		{"a.py", "p.add_argument(\"--depth\", type=int, default=3, help=\"levels\")", "depth", "3", "levels"},
		{"a.py", "depth: int = Field(default=3, description=\"levels\")", "depth", "3", "levels"},
		{"a.js", "depth: {\n  describe: 'levels',\n  type: 'number',\n  default: 5\n},\nx: {", "depth", "5", "levels"},
		{"a.json", "\"depth\": {\n  \"type\": \"integer\",\n  \"default\": 5,\n  \"description\": \"levels\"\n},",
			"depth", "5", "levels"},
		{"a.ts", "depth: z.number().default(4), // levels", "depth", "4", "levels"},
		{"a.rs", "/// Levels to walk.\n#[arg(long, default_value_t = 5)]\npub depth: usize,", "depth", "5", "Levels"},
		{"a.rs", "#[arg(long = \"max-depth\", default_value = \"5\")]\npub depth: usize,", "max-depth", "\"5\"", ""},
		{"a.rs", ".arg(\n  Arg::new(\"d\")\n    .long(\"depth\")\n    .default_value(\"5\")\n    .help(\"levels\"),\n)",
			"depth", "\"5\"", "levels"},
		{"a.ex", "field :depth, :integer, default: 20", "depth", "20", ""},
		{"a.ex", "depth: [\n  type: :integer,\n  default: 5,\n  doc: \"levels\"\n],", "depth", "5", "levels"},
		{"a.go", "Depth int `json:\"depth\" default:\"5\"`", "Depth", "\"5\"", ""},
		{"a.rb", "option :depth, type: :numeric, default: 5, desc: \"levels\"", "depth", "5", "levels"},
		{"a.ex", "  * `:depth` — how many levels\n    are kept. Defaults to 60s.", "depth", "60s", "levels"},
		{"docs/a.md", "- `--depth`: levels (default: 10)", "--depth", "10", "levels"},
		{"docs/a.md", "* `depth` - levels. The default is 10,000 to be safe.", "depth", "10,000", "levels"},
		{"docs/a.md", "- other things\n\nThe default is 10.", "", "", ""},
	} {
		lines := strings.Split(tt.text, "\n")
		at := 0
		for !strings.Contains(strings.ToLower(lines[at]), "default") {
			at++
		}
		m := search.Match{Line: at + 1, Text: lines[at], Before: lines[:at], After: lines[at+1:]}
		a, ok := documentedAt(tt.path, m)
		if !ok {
			a, _ = entryAt(tt.path, m)
		}
		if a.name != tt.name || a.value != tt.value || !strings.Contains(a.help, tt.help) ||
			strings.Contains(a.help, "\"x\"") {
			t.Errorf("%s: %q is %q, help %q", tt.text, a.name, a.value, a.help)
		}
	}
}
