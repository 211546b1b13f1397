package listing

import (
	"strings"
	"testing"
)

// A question for a list says what is listed, and which names that may belong to; others do not ask for a list.
func TestAsk(t *testing.T) {
	for _, tt := range []struct {
		question string
		group    group
		noun     string
		names    string
	}{
		{"Which methods does Retry have?", methods, "methods", "Retry"},
		{"hey, what all can i pass to retry()?", parameters, "", "retry"},
		{"what constructor parameters does the Pool class take", parameters, "constructor parameters", "Pool"},
		{"what can the level of httplogger be set to?", values, "", "level httplogger"},
		{"What does ReadError inherit from?", bases, "", "ReadError"},
		{"Which environment variables does Caddy use?", variables, "environment variables", ""},
		{"which flags does `caddy run` accept?", flags, "flags", "caddy run"},
		{"Which options does get-offsets.sh take?", flags, "options", "get-offsets.sh"},
		{"command line options of the server executable?", flags, "command line options", "server executable"},
		{"what other npm packages does it pull in at runtime?", packages, "", "npm packages pull runtime"},
		{"Welche Umgebungsvariablen werden gelesen?", variables, "Umgebungsvariablen", "gelesen"},
		{"Which HTTP error codes are there?", anything, "HTTP error codes", ""},
		{"I want to run code. Which lifecycle events are there?", events, "lifecycle events", "run code"},
		{"what are all the reasons why it may rebuild", anything, "reasons", "rebuild"},
		{"need the full set of error codes that it returns", anything, "error codes", "need full returns"},
		{"give me all the call sites (file, line) please", anything, "call sites", "file line"},
		{"Stamper() with no args - which format", parameters, "", "Stamper args format"},
		{"what does --max-time do?", flag, "", "--max-time"},
		{"what is -w for?", flag, "", "-w"},
		{"explain `--watch`", flag, "", "--watch"},
		{"--force vs --force-all", flag, "", "--force --force-all"},
		{"flags?", flags, "flags", ""},
		{"env vars it reads", variables, "env vars", ""},
		{"what commands are there", commands, "commands", ""},
		{"cli options", flags, "cli options", ""},
		{"knex cli commands", commands, "knex cli commands", ""},
		{"glow flags", flags, "glow flags", ""},
		{"what can i call on PoolBean", methods, "", "PoolBean"},
		{"Promise methods", methods, "methods", "Promise"},
		{"filterState's values", values, "values", "filterState"},
		{"log levels?", anything, "log levels", ""},
		{"exit codes of task?", anything, "exit codes", ""},
		{"gimme the naming policies", anything, "naming policies", ""},
		{"all style components plz", anything, "style components", ""},
		{"shutdown hooks I can plug into with app.on", anything, "shutdown hooks", ""},
		{"codec names accepted by -c", anything, "codec names", ""},
		{"Retry 有哪些方法？", methods, "方法", "Retry"},
	} {
		q, ok := Ask(tt.question, func(s string) string { return s })
		if got := strings.Join(q.names, " "); !ok || q.group != tt.group || q.noun != tt.noun ||
			!strings.HasPrefix(got, tt.names) {
			t.Errorf("%s: %v %+v", tt.question, ok, q)
		}
	}
	for _, question := range []string{"How are requests retried?", "what is this?", "where is Retry defined?", "why?",
		"which function calls Retry?", "what is the default of --watch and --wait?",
		"why is --watch slow?", "how do I see which workers run?", strings.Repeat("which methods ", 40), "which methods\ndoes it have?", "",
		"options trading", "test methods", "sort options", "send commands",
		"how many headers are allowed by default?"} {
		if q, ok := Ask(question, strings.ToLower); ok {
			t.Errorf("%q: %+v, want no list", question, q)
		}
	}
}

func FuzzAsk(f *testing.F) {
	f.Add("which methods does `a.B` have?")
	f.Add("有哪些")
	f.Add("what can \xff be")
	f.Fuzz(func(t *testing.T, text string) {
		q, ok := Ask(text, strings.ToLower)
		if ok && (len(q.names) > maxNames || q.sure > len(q.names)) {
			t.Errorf("%q: %+v", text, q)
		}
	})
}
