package exact

import (
	"regexp"
	"testing"

	"github.com/forayhq/foray/agent/explore/rules/internal/intent"
	"github.com/forayhq/foray/internal/lazyregexp"
)

// What lines give, as name=value, in several languages and files.
func TestGivenIn(t *testing.T) {
	forms := []*lazyregexp.Regexp{given, called, defined}
	for _, tt := range []struct {
		line, want string
		text       bool // the value may be a text
	}{
		{"DefaultMaxReconnect       = 60", "DefaultMaxReconnect=60", false},
		{"	DefaultMaxBatchSize  int = 1000", "DefaultMaxBatchSize=1000", false},
		{"	PingInterval: 2 * time.Minute,", "PingInterval=2 * time.Minute", false},
		{"max_threads: Puma.mri? ? 5 : 16,", "max_threads=Puma.mri? ? 5 : 16", false},
		{"pub const DEFAULT_LIMIT: usize = 2_097_152; // 2 MB", "DEFAULT_LIMIT=2_097_152", false},
		{"@get:Synchronized var maxRequests = 64", "maxRequests=64", false},
		{"'max' => 5, // of redirects", "max=5", false},
		{"set :port, 4567", "port=4567", false},
		{"#define MAXVARS 200", "MAXVARS=200", false},
		{"total: bool | int | None = 10,", "total=10", false},
		{"databases 16", "", false}, // in a file of code
		{"DEFAULT_ADDRESS = \"localhost:2019\"", "", false},
		{"DEFAULT_ADDRESS = \"localhost:2019\"", "DEFAULT_ADDRESS=\"localhost:2019\"", true},
		{"\"Port=PORT\" => \"Port to listen on (default: 8080)\"", "", true},
		{"if maxRequests >= 1 {", "", false},
		{"HAS_STACK_SIZE = 0x01", "", false},
		{"limits = {80: 'http'}", "", false},
		{"name = other", "", false},
		{"limit *= 1024;", "", false},
		{"limit *int = 1024", "limit=1024", false},
		{"x[2] == y", "", false},
		{"", "", false},
	} {
		got := ""
		for _, a := range (amounts{NewAmount(intent.Measure{Text: tt.text}, nil, nil)}).givenIn(tt.line, forms) {
			got += a.name + "=" + a.value
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.line, got, tt.want)
		}
	}
}

// A bare number has the unit that its name or a comment says.
func TestUnit(t *testing.T) {
	for _, tt := range []struct{ name, value, about, want string }{
		{"timeoutMs", "500", "", "ms"}, {"drain_timeout_seconds", "5", "in minutes", "seconds"},
		{"wait", "30", "30 // in seconds", "seconds"}, {"wait", "30", "30 # Milliseconds to wait", ""},
		{"wait", "30", "number of milliseconds to wait", "milliseconds"}, {"wait", "'60'", "how long (Minutes)", "minutes"},
		{"wait", "30 * time.Second", "in seconds", ""}, {"wait", "30", "in seconds_of_arc, within a day", ""},
	} {
		a := amount{name: tt.name, about: tt.about, assignment: assignment{value: tt.value}}
		if got := a.unit(); got != tt.want {
			t.Errorf("%s = %s %s: %q, want %q", tt.name, tt.value, tt.about, got, tt.want)
		}
	}
}

// A number that identifies something measures nothing, unless it is what is asked for.
func TestIdentifies(t *testing.T) {
	s := amounts{&Search{words: []Word{{Text: "version", Re: regexp.MustCompile("version")}}}}
	for _, tt := range []struct {
		name, text string
		want       bool
	}{
		{"timeoutID", "me.timeoutID = 7", true}, {"InvalidSize", "InvalidSize = 4", true}, {"version", "version = 2", false},
		{"MessageTooLarge", "MessageTooLarge   Error = 10", true}, {"statusIdle", "int statusIdle = 3", false},
		{"maxRetries", "maxRetries int = 3", false},
	} {
		if got := s.identifies(&amount{name: tt.name, assignment: assignment{text: tt.text}}); got != tt.want {
			t.Errorf("%s: %v", tt.text, got)
		}
	}
}

// A part of a name is a form of a word, and not a longer word that begins like it.
func TestWordNames(t *testing.T) {
	for _, tt := range []struct {
		word, forms, part string
		want              bool
	}{
		{"tab", "tab", "tab", true}, {"tab", "tab", "tabs", true}, {"tab", "tab", "table", false}, {"tab", "tab", "stab", false},
		{"nested", "nest", "nesting", true}, {"redirect", "redirect", "redirection", true},
		{"redirect", "redirect", "redirected", true},
	} {
		if got := (Word{Text: tt.word, Re: regexp.MustCompile(tt.forms)}).names(tt.part); got != tt.want {
			t.Errorf("%s in %s: %t", tt.word, tt.part, got)
		}
	}
}
