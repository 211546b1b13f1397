package exact

import (
	"strings"
	"testing"

	"github.com/forayhq/foray/tools/search"
)

// The forms in which programs and their documents declare an option, with its help text.
func TestOptionAt(t *testing.T) {
	for _, tt := range []struct{ path, text, name, help string }{
		{"a.py", "parser.add_argument(\"-q\", \"--quiet\",\n    help=\"print nothing\")\nparser.add_argument(\"--x\")", "--quiet", "print nothing"},
		{"a.rs", ".long(\"quiet\")\n.help(\"print nothing\"),", "quiet", "print nothing"},
		{"a.go", "f.Bool(\"quiet\", false, \"print nothing\")", "quiet", "print nothing"},
		{"a.c", "{ .name = \"quiet\",\n  .text = \"print nothing\"\n},", "quiet", "print nothing"},
		{"a.c", "puts(\"usage:\"\n  \"   --quiet   print nothing\\n\"\n  \"   --x   print more\\n\");", "--quiet", "print nothing"},
		{"a.c", "puts(\"\\n -q, --quiet   print nothing\");", "--quiet", "print nothing"},
		{"a.ts", "{\n  long: 'quiet',\n  description: 'print nothing',\n},", "quiet", "print nothing"},
		{"docs/a.md", "- `--quiet`: print nothing\n- `--loud`: print all", "--quiet", "print nothing"},
		{"docs/a.md", "### quiet\n\nPrint nothing.", "quiet", "Print nothing."},
		{"docs/a.md", "* `APP_QUIET` print nothing if 1: quiet", "APP_QUIET", "print nothing"},
		{"docs/a.md", "| `$QUIET_APP` | print nothing: quiet |", "QUIET_APP", "print nothing"},
		{"docs/a.md", "- `QUIET` is quiet", "", ""}, // as many words in capitals are
		{"config.ex", "# print nothing\nquiet: false,", "quiet", "print nothing"},
		{"config.ex", "quiet: false,", "", ""}, // without a word about it
		{"a.go", "quiet := true", "", ""},
		{"a.ts", "if (process.env.APP_QUIET) { // quiet: print nothing", "APP_QUIET", "print nothing"},
		{"a.go", "q := os.Getenv(\"APP_QUIET\") // quiet", "APP_QUIET", ""},
		{"a.py", "quiet = os.environ.get('APP_QUIET')", "APP_QUIET", ""},
		{"a.rs", "let quiet = env::var_os(\"APP_QUIET\");", "APP_QUIET", ""},
		{"a.rb", "quiet = ENV.fetch('APP_QUIET', nil)", "APP_QUIET", ""},
		{"a.go", "open(\"APP_QUIET\") // quiet", "", ""},
	} {
		lines := strings.Split(tt.text, "\n")
		at := 0
		for at < len(lines)-1 && (!strings.Contains(lines[at], "quiet") || comments(lines[at]) > 0 && at == 0 && strings.HasPrefix(lines[0], "# ")) {
			at++
		}
		o, ok := optionAt(tt.path, search.Match{Line: at + 1, Text: lines[at], Before: lines[:at], After: lines[at+1:]})
		if o.name != tt.name && ok || ok != (tt.name != "") || !strings.Contains(o.help, tt.help) {
			t.Errorf("%s: %q, %v, help %q", tt.text, o.name, ok, o.help)
		}
		if !strings.Contains(o.says, "rint nothing") && strings.HasSuffix(tt.path, ".md") && ok {
			t.Errorf("%s: says %q", tt.text, o.says)
		}
		if strings.Contains(o.help, "--x") || strings.Contains(o.help, "loud") {
			t.Errorf("%s: help of the next option: %q", tt.text, o.help)
		}
	}
}

// A field that says no more than on or off has the name of its type.
func TestSwitchAt(t *testing.T) {
	for text, name := range map[string]string{
		"\t// Turns the admin page off.\n\tDisabled bool `json:\"disabled\"`": "AdminPage.Disabled",
		"    pub enabled: bool,": "AdminPage.enabled",
		"    is_enabled = True":  "AdminPage.is_enabled",
		"    disabledAt: number": "",
		"    if enabled:":        "",
	} {
		lines := strings.Split(text, "\n")
		last := len(lines) - 1
		o, ok := optionAt("a.go", search.Match{Symbol: "AdminPage", Line: last + 1, Text: lines[last], Before: lines[:last]})
		if ok != (name != "") || ok && o.name != name {
			t.Errorf("%s: %q, %v", text, o.name, ok)
		}
		if last > 0 && !strings.Contains(o.help, "Turns the admin page off") {
			t.Errorf("%s: help %q", text, o.help)
		}
	}
	if _, ok := optionAt("a.go", search.Match{Text: "log.Info(\"sold\", zap.String(\"quiet\", x))"}); ok {
		t.Error("a field of a log is an option")
	}
}

// What was new once declares no option.
func TestChanges(t *testing.T) {
	for path, want := range map[string]bool{
		"CHANGELOG.md": true, "NEWS": true, "docs/release-notes.rst": true, "docs/history/whatsnew-4.0.rst": true,
		"README.md": false, "src/changes.py": false, "docs/configuration.md": false,
	} {
		if got := changes.MatchString(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
