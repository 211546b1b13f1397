package gitrepo_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/gitrepo"
	"github.com/forayhq/foray/tools/tree"
)

const token = "ghp_0123456789abcdefghijABCDEFGHIJ456789"

// key is a private key of many lines; a change in its middle shows no line that says what it is.
func key(middle string) string {
	var b strings.Builder
	b.WriteString("name: server\n-----BEGIN RSA PRIVATE KEY-----\n")
	for i := range 20 {
		fmt.Fprintf(&b, "MIIEsecretline%02d\n", i)
	}
	b.WriteString(middle + "\n")
	for i := range 20 {
		fmt.Fprintf(&b, "MIIEsecretline%02d\n", 20+i)
	}
	b.WriteString("-----END RSA PRIVATE KEY-----\nport: 443\n")
	return b.String()
}

func TestSecretsAreNotShown(t *testing.T) {
	f := newRepository(t)
	f.write(".env", "PASSWORD=hunter22\n")
	f.write(".aws/config", "aws_secret_access_key = hunter24\n")
	f.write("conf.yaml", key("MIIEsecretmiddle"))
	f.write("app.py", "TOKEN = '"+token+"'\nplain = 1\n")
	f.commit("Add " + token + "\n\nReported by Bob <bob@example.com>, carol@example.org")
	f.write(".env", "PASSWORD=hunter23\n")
	f.write("conf.yaml", strings.Replace(key("MIIEsecretother"), "443", "444", 1))
	f.write("app.py", "plain = 2\n")
	f.commit("second")
	f.git("mv", ".env", "env.txt")
	f.gitWith("", []string{"GIT_AUTHOR_NAME=" + token}, "commit", "-q", "-m", "renamed")
	hidden := []string{"hunter2", "MIIEsecret", token, token[8:20], "example."}
	for _, c := range []struct{ tool, args, want string }{
		{"git_log", `{}`, "Add [redacted:github-token]\n"},
		{"git_show", `{"rev":"HEAD~1"}`, "-[redacted:private-key]\n+[redacted:private-key]\n"},
		{"git_show", `{"rev":"HEAD~1"}`, "-port: 443\n+port: 444\n"},
		{"git_show", `{"rev":"HEAD~1"}`, "diff --git a/.env b/.env\n(not shown: the name of a file with credentials)\n"},
		{"git_show", `{"rev":"HEAD~1"}`, "-TOKEN = '[redacted:github-token]'\n"},
		{"git_show", `{"rev":"HEAD~2"}`, "Reported by Bob,"},
		{"git_show", `{}`, "env.txt +0 -0 (renamed from .env) (secret: not shown)"},
		{"git_show", `{"path":".env","rev":"HEAD~1"}`, "secret: "},
		{"git_show", `{"path":"config","rev":"HEAD:.aws"}`, "unknown_revision: "},
		{"git_show", `{"path":"config","rev":"` + f.git("rev-parse", "HEAD:.aws") + `"}`, "unknown_revision: "},
		{"git_show", `{"path":"conf.yaml"}`, "   3│ [redacted:private-key]\n"},
		{"git_blame", `{"path":"conf.yaml","start_line":20,"end_line":25}`, "  23│ [redacted:private-key]\n"},
		{"git_blame", `{"path":".env","rev":"HEAD~1"}`, "secret: "},
		{"git_blame", `{"path":"app.py","rev":"HEAD~2"}`, "Add [redacted:github-token]\n"},
		{"git_log", `{"path":".env"}`, "secret: "},
		{"git_log", `{"pickaxe":"plain = 1"}`, "2 of 2 commits"},
	} {
		got := call(t, f.open(), nil, c.tool, c.args)
		if !strings.Contains(got, c.want) {
			t.Errorf("%s %s: want %q in\n%s", c.tool, c.args, c.want, got)
		}
		asJSON := call(t, f.open(), &gitrepo.Options{JSON: true}, c.tool, c.args)
		for _, secret := range hidden {
			if strings.Contains(got, secret) || strings.Contains(asJSON, secret) {
				t.Errorf("%s %s shows %q:\n%s\n%s", c.tool, c.args, secret, got, asJSON)
			}
		}
	}
	// The answer to a search for a secret is that to a search for what stands nowhere: guessing tells nothing.
	for guess, wrong := range map[string]string{"hunter22": "nothing2", token[:14]: "ghp_9999999999", "MIIEsecretmiddle": "MIIEnothingatall"} {
		for _, o := range []*gitrepo.Options{nil, {JSON: true}} {
			got, want := call(t, f.open(), o, "git_log", `{"pickaxe":"`+guess+`"}`), call(t, f.open(), o, "git_log", `{"pickaxe":"`+wrong+`"}`)
			if strings.ReplaceAll(got, guess, wrong) != want || !strings.Contains(want, "no commit matches") {
				t.Errorf("a search for %q says\n%s\none for nothing\n%s", guess, got, want)
			}
		}
	}
	open := &gitrepo.Options{AllowSecret: tree.Allowed{"**"}}
	for args, want := range map[string]string{`{"rev":"HEAD~1"}`: "+PASSWORD=hunter23\n", `{"path":".env","rev":"HEAD~1"}`: "hunter23", `{"rev":"HEAD~2"}`: token} {
		if got := call(t, f.open(), open, "git_show", args); !strings.Contains(got, want) {
			t.Errorf("allowed, git_show %s: want %q in\n%s", args, want, got)
		}
	}
	if got := call(t, f.open(), open, "git_log", `{"pickaxe":"hunter22"}`); !strings.Contains(got, "2 of 2 commits") {
		t.Errorf("allowed, pickaxe: %s", got)
	}
}

func TestBadCalls(t *testing.T) {
	f := newRepository(t)
	f.write("src/cart.py", "def total():\n    return 1\n")
	f.write("empty.py", "")
	f.commit("a")
	for _, c := range []struct{ tool, args, want string }{
		{"git_log", `{"limit":0}`, "limit"},
		{"git_log", `{"limit":500}`, "limit=500 was lowered to its maximum 200"},
		{"git_log", `{"offset":7}`, "offset=7 is past the end: 1 commits in total"},
		{"git_log", `{"since":"last week"}`, "since is not a date; try: since as 2024, 2024-03,"},
		{"git_log", `{"until":"2024-13-01"}`, "until is not a date"},
		{"git_log", `{"symbol":"total"}`, "path is blank"},
		{"git_log", `{"path":"src/cart.py","symbol":"total","start_line":1}`, "exclude each other"},
		{"git_log", `{"path":"src/cart.py","start_line":9}`, "past_end: "},
		{"git_log", `{"path":"src/cart.py","start_line":2,"end_line":1}`, "start_line=2 is after end_line=1"},
		{"git_log", `{"path":"src/cart.py","symbol":"totals"}`, "symbol = total"},
		{"git_log", `{"path":"src/cart.px"}`, "not_found: src/cart.px does not exist; try: src/cart.py"},
		{"git_log", `{"path":"empty.py","start_line":1}`, "is an empty file"},
		{"git_log", `{"path":"../x"}`, "outside: "},
		{"git_log", `{"path":"/etc/passwd"}`, "outside: "},
		{"git_log", `{"path":"~/x"}`, "outside: "},
		{"git_log", `{"path":"a\u0000b"}`, "bad_path: "},
		{"git_log", `{"query":" "}`, "query is blank"},
		{"git_log", `{"pickaxe":"a","path":"src/cart.py","start_line":1}`, "exclude each other"},
		{"git_log", `{"pickaxe":"a\nb"}`, "one line"},
		{"git_log", `{"pth":"x"}`, `the nearest is "path"`},
		{"git_log", `{"query":"zebra","since":"2024"}`, "no commit matches all of: query=zebra, since=2024"},
		{"git_show", `{"rev":"HEAD","path":"src"}`, "is_directory: src is a directory with 1 entry: cart.py"},
		{"git_show", `{"limit":3}`, "path is blank"},
		{"git_show", `{"rev":"HEAD:src"}`, "unknown_revision: "},
		{"git_blame", `{"path":""}`, "path is blank"},
		{"git_blame", `{"path":"src"}`, "is_directory: "},
		{"git_blame", `{"path":"empty.py"}`, "empty file"},
		{"git_blame", `{"path":"src/cart.py","start_line":5}`, "past_end: start_line=5 is past the end: src/cart.py has 2 lines"},
		{"git_blame", `{"path":"src/cart.py","symbol":"total","end_line":1}`, "exclude each other"},
		{"git_blame", `{"path":"` + f.dir + `/src/cart.py"}`, "   1│ def total():"},
	} {
		got := call(t, f.open(), &gitrepo.Options{Dir: f.dir}, c.tool, c.args)
		if !strings.Contains(got, c.want) {
			t.Errorf("%s %s: want %q in\n%s", c.tool, c.args, c.want, got)
		}
		if strings.Contains(got, f.dir) || strings.Contains(got, "exit status") || strings.Contains(got, "fatal") {
			t.Errorf("%s %s shows what is git's or the host's: %s", c.tool, c.args, got)
		}
	}
}

// TestResults holds the JSON forms.
func TestResults(t *testing.T) {
	f := newRepository(t)
	f.write("a.go", "package a\n")
	first := f.commit("Add a\n\nWhy.")
	f.write("a.go", "package a\n\nvar B = 1\n")
	second := f.commit("Add B")
	page := func(total string) string {
		return total + `,"truncated":false,"skipped":{"ignored":0,"hidden":0,"binary":0,"too_large":0,"secret":0,"unreadable":0},"timed_out":false}`
	}
	for _, c := range []struct{ tool, args, want string }{
		{"git_log", `{}`, `{"revision":"SECOND","items":[{"hash":"SECOND","date":"2024-03-01","author":"Ann Author","subject":"Add B","files":["a.go"]},` +
			`{"hash":"FIRST","date":"2024-03-01","author":"Ann Author","subject":"Add a","body":"Why.","files":["a.go"]}],` + page(`"total":2,"returned":2`)},
		{"git_log", `{"path":"a.go","start_line":1,"end_line":1}`, `{"revision":"SECOND","path":"a.go","lines":{"start":1,"end":1},"items":[` +
			`{"hash":"FIRST","date":"2024-03-01","author":"Ann Author","subject":"Add a","body":"Why."}],` + page(`"total":1,"returned":1`)},
		{"git_show", `{"rev":"FIRST"}`, `{"hash":"FIRST","date":"2024-03-01","author":"Ann Author","subject":"Add a","body":"Why.","parents":[],` +
			`"items":[{"path":"a.go","status":"added","added":1,"deleted":0}],"diff":"diff --git a/a.go b/a.go\nnew file mode 100644\nindex 0000000000..2a93cdef54\n--- /dev/null\n+++ b/a.go\n@@ -0,0 +1 @@\n+package a\n",` +
			page(`"total":1,"returned":1`)},
		{"git_blame", `{"path":"a.go"}`, `{"revision":"SECOND","path":"a.go","items":[{"start":1,"end":1,"hash":"FIRST","date":"2024-03-01","author":"Ann Author","subject":"Add a","lines":["package a"]},` +
			`{"start":2,"end":3,"hash":"SECOND","date":"2024-03-01","author":"Ann Author","subject":"Add B","lines":["","var B = 1"]}],` + page(`"total":3,"returned":3`)},
	} {
		names := strings.NewReplacer("FIRST", first, "SECOND", second)
		got := call(t, f.open(), &gitrepo.Options{JSON: true}, c.tool, names.Replace(c.args))
		if diff := cmp.Diff(names.Replace(c.want), got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", c.tool, c.args, diff)
		}
	}
	if got := call(t, f.open(), nil, "git_log", `{"limit":1}`); !strings.HasSuffix(got, "1 of more than 1 commits; next: offset=1\n") {
		t.Errorf("a page: %s", got)
	}
	if got := call(t, f.open(), nil, "git_log", `{"limit":1,"offset":1}`); !strings.Contains(got, ": Add a\n") || !strings.HasSuffix(got, "1 of 2 commits\n") {
		t.Errorf("the last page: %s", got)
	}
}

// TestTextsAreCutByTheirKind: a window keeps what matters of each result.
func TestTextsAreCutByTheirKind(t *testing.T) {
	f := newRepository(t)
	f.write("a.txt", strings.Repeat("line\n", 3000))
	f.write("b.txt", "b\n")
	f.commit("Long")
	f.write("a.txt", strings.Repeat("other\n", 3000))
	f.write("b.txt", "c\n")
	f.commit("Longer")
	set, err := tools.NewSet(gitrepo.Tools(f.open(), "", nil)...)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		kind       toollimit.Kind
		args, want string
	}{
		"git_log": {toollimit.Listing, `{}`, "Longer"}, "git_show": {toollimit.Diff, `{}`, "diff --git a/b.txt b/b.txt"}, "git_blame": {toollimit.File, `{"path":"a.txt"}`, "; next: start_line=201"},
	} {
		tool, _ := set.Lookup(name)
		v, err := tool.Call(t.Context(), json.RawMessage(c.args))
		if err != nil {
			t.Fatal(err)
		}
		kind, text := tools.Render(v)
		short, _ := toollimit.Truncate(kind, text, toollimit.Quota{MaxTokens: 300})
		if kind != c.kind || !strings.Contains(short, c.want) || toollimit.Tokens(short) > 300 {
			t.Errorf("%s: kind %q, want %q in\n%s", name, kind, c.want, short)
		}
	}
}
