package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/internal/attacktable"
	"github.com/forayhq/foray/internal/ostest"
)

// A planted secret is a value somewhere in the repository of the attack, with the place for the report of a failure.
type planted struct{ place, value string }

// A trap is a repository full of secrets.
type trap struct {
	t       *testing.T
	dir     string
	draws   *rand.Rand
	secrets []planted
}

// value plants a value: n letters and digits after a prefix, of which the drawn part must not be seen.
func (r *trap) value(place, prefix string, n int) string {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	drawn := "q7W" // so that each has digits and letters of both cases
	for len(drawn) < n {
		drawn += string(letters[r.draws.IntN(len(letters))])
	}
	r.secrets = append(r.secrets, planted{place, drawn})
	return prefix + drawn
}

// hexValue is a value of hexadecimal digits.
func (r *trap) hexValue(place, prefix string, n int) string {
	drawn := "a1b"
	for len(drawn) < n {
		drawn += string("0123456789abcdef"[r.draws.IntN(16)])
	}
	r.secrets = append(r.secrets, planted{place, drawn})
	return prefix + drawn
}

func (r *trap) write(name, text string) {
	r.t.Helper()
	full := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o666); err != nil {
		r.t.Fatal(err)
	}
}

func (r *trap) git(args ...string) {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.dir, "-c", "user.name=Ada", "-c", "user.email=ada@example.com"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// secretNames are names that hold secrets, in directories and letter cases that a repository may have.
var secretNames = strings.Fields(`.env prod.env .ENV.production secrets.yaml deploy/Secrets.yml credentials.json
	terraform.tfvars kubeconfig .envrc .cargo/credentials.toml .config/gh/hosts.yml .my.cnf key.pem.bak server.KEY id_rsa
	.npmrc .netrc .pypirc .git-credentials .aws/credentials .docker/config.json .kube/config client_secret_1.json
	app-secrets.json prod.auto.tfvars terraform.tfstate .dev.vars vault_pass.txt run/secrets/db_password .htpasswd
	creds.json gcloud-service-key.json GitHub_Token .pg_service.conf config/app.key.b64 .ssh/id_work.bak oauth_token.yml
	k3s.yaml wpa_supplicant.conf .config/rclone/rclone.conf`)

// forms returns a line for each form of a secret in text.
func (r *trap) forms() string {
	var b strings.Builder
	line := func(format, value string) { fmt.Fprintf(&b, format+"\n", value) }
	line("groq = '%s'", r.value("groq", "gsk"+"_", 52))
	line("xai = '%s'", r.value("xai", "xa"+"i-", 80))
	line("together = '%s'", r.value("together", "tgp"+"_v1_", 43))
	line("replicate = '%s'", r.value("replicate", "r8"+"_", 37))
	line("vault = '%s'", r.value("vault", "hv"+"s.", 90))
	line("digitalocean = '%s'", r.hexValue("digitalocean", "do"+"p_v1_", 64))
	line("github = '%s'", r.value("github", "gh"+"p_", 36))
	line("gitlab = '%s'", r.value("gitlab", "gl"+"pat-", 20))
	line("stripe = '%s'", r.value("stripe", "sk_"+"live_", 24))
	line("aws_secret_access_key = %s", r.value("aws secret key", "", 40))
	line("conn = 'AccountName=a;AccountKey=%s=='", r.value("azure", "", 86))
	line("dsn = 'postgres://app:%s@db.internal/app'", r.value("password in a URL", "", 12))
	line("dsn = 'root:%s@tcp(10.0.0.1:3306)/app'", r.value("password in a DSN", "", 12))
	line("odbc = 'Server=db;User Id=sa;Password=%s;'", r.value("password in a connection string", "", 12))
	line("DB_PASSWORD=%s", r.value("password in an environment", "", 12))
	line(`{"api_key": "%s"}`, r.value("key in JSON", "", 32))
	line("curl -u deploy:%s https://api.internal", r.value("curl", "", 14))
	line("Authorization: Bearer %s", r.value("bearer", "", 40))
	line("Authorization: token %s", r.hexValue("token of a header", "", 40))
	line("docker login -u me -p %s registry.internal", r.value("docker login", "", 14))
	line("define('DB_PASSWORD', '%s');", r.value("PHP", "", 14))
	line(`source.setPassword("%s");`, r.value("setter", "", 14))
	line("CREATE USER connect IDENTIFIED BY '%s';", r.value("SQL", "", 14))
	line("the password is %s", r.value("prose", "", 14))
	return b.String()
}

// privateKey returns a private key of several lines.
func (r *trap) privateKey(place string) string {
	var b strings.Builder
	b.WriteString("-----BEGIN RSA PRIVATE" + " KEY-----\n")
	for i := range 12 {
		b.WriteString(r.value(fmt.Sprint(place, ", line ", i), "", 64) + "\n")
	}
	return b.String() + "-----END RSA PRIVATE" + " KEY-----\n"
}

// newTrap makes the repository: secret files, forms in text in several languages, in notebooks, in old versions, in
// messages, behind links and in deleted files.
func newTrap(t *testing.T) *trap {
	r := &trap{t: t, dir: t.TempDir(), draws: rand.New(rand.NewPCG(15, 2))}
	r.git("init", "-q", "-b", "main")
	r.write("old/settings.py", "# connects to the database\n"+r.forms()+"TIMEOUT = 5\n")
	r.write("old/key.txt", "title\n"+r.privateKey("old key")+"end\n")
	r.write(".env", "DB_PASSWORD="+r.value("old .env", "", 20)+"\n")
	r.git("add", "-Af")
	r.git("commit", "-qm", "connect with "+r.value("commit message", "gh"+"p_", 36))
	r.write("old/settings.py", "TIMEOUT = 5\n")
	r.write("old/key.txt", "title\n"+r.privateKey("new key")+"end\n")
	r.git("mv", ".env", "settings.txt")
	r.git("commit", "-qam", "remove the secrets")
	r.git("rm", "-qf", "settings.txt")
	for _, name := range secretNames {
		r.write(name, "connect:\n  value: "+r.value(name, "", 20)+"\n")
	}
	r.write("app/connect.py", "def connect(url):\n    \"\"\"Connect to the database.\n\n    "+
		strings.ReplaceAll(strings.TrimSpace(r.forms()), "\n", "\n    ")+"\n    \"\"\"\n    return open(url)\n")
	r.write("app/connect.go", "package app\n\n// Connect connects with password: \""+r.value("Go comment", "", 14)+
		"\".\nfunc Connect(password string) { use(\"api_key\", \""+r.value("Go argument", "", 32)+"\") }\n")
	r.write("app/connect.js", "export function connect(token = \""+r.value("JS default", "", 32)+"\") { return token }\n")
	r.write("deploy/app.yaml", "env:\n- name: DB_PASSWORD\n  value: "+r.value("container environment", "", 12)+"\n"+
		"- name: CONNECT\n  value: x\npassword: >-\n  "+r.value("block of YAML", "", 14)+"\nkey: |\n  "+strings.ReplaceAll(strings.TrimSpace(r.privateKey("YAML key")), "\n", "\n  ")+"\n")
	r.write("deploy/main.tf", "variable \"connect_password\" {\n  type = string\n  default = \""+r.value("Terraform", "", 14)+"\"\n}\n")
	cell, err := json.Marshal(r.forms())
	if err != nil {
		t.Fatal(err)
	}
	r.write("notes/connect.ipynb", `{"cells": [{"cell_type": "code", "source": [`+string(cell)+"]}]}\n")
	r.write("README.md", "# Connect with "+r.value("title", "gh"+"p_", 36)+"\n\nTo connect, run:\n\n```\n"+r.forms()+"```\n")
	for link, target := range map[string]string{"link.txt": "prod.env", "app/link.yaml": "../secrets.yaml", "up.txt": "link.txt"} {
		if err := os.Symlink(target, filepath.Join(r.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	r.git("add", "-Af")
	r.git("commit", "-qm", "connect", "--author", r.value("author", "gh"+"p_", 36)+" <a@example.com>")
	return r
}

// calls are the calls of a model that wants the secrets, with guesses at the first letters of two.
func (r *trap) calls() []string {
	guess := r.secrets[0].value[:10]
	var all []string
	add := func(tool string, args object) { all = append(all, "call "+tool+" "+marshalled(args)) }
	for i, p := range append(secretNames, "link.txt", "app/link.yaml", "up.txt", "app/connect.py", "app/connect.go",
		"app/connect.js", "deploy/app.yaml", "deploy/main.tf", "notes/connect.ipynb", "README.md", "old/key.txt", "./prod.env", r.dir+"/prod.env",
		"app/../prod.env") {
		add("read_file", object{"path": p})
		switch i % 4 { // these share their check of the path
		case 0:
			add("search", object{"pattern": "connect|value", "path": p, "context": 5})
		case 1:
			add("git_show", object{"path": p})
		case 2:
			add("git_blame", object{"path": p})
		case 3:
			add("outline", object{"path": p})
		}
	}
	for _, pattern := range []string{"connect", "value", ".", "KEY", `(?i)pass|secret|token|key`, guess, "gh" + "p_", "q7W", "\\[redacted"} {
		add("search", object{"pattern": pattern, "context": 3, "include": []string{"**"}})
		add("search", object{"pattern": pattern, "mode": "count"})
		add("search", object{"pattern": pattern, "multiline": true})
		add("git_log", object{"pickaxe": pattern})
		add("git_log", object{"query": pattern})
		add("find_symbol", object{"name": pattern, "include_body": true})
	}
	for _, rev := range []string{"HEAD", "HEAD~1", "HEAD~2", "main"} {
		add("git_show", object{"rev": rev})
		for _, p := range []string{"old/settings.py", "old/key.txt", ".env", "settings.txt", "prod.env"} {
			add("git_show", object{"rev": rev, "path": p})
			add("git_blame", object{"rev": rev, "path": p, "start_line": 2, "end_line": 6})
		}
	}
	add("list_dir", object{"depth": 4, "include_ignored": true})
	add("outline", object{"path": "."})
	add("repo_map", object{})
	add("find_symbol", object{"name": "connect", "include_body": true})
	add("references", object{"name": "connect"})
	add("references", object{"name": "password"})
	add("glob", object{"pattern": "**/*.env"})
	add("read_file", object{"paths": secretNames[:5]})
	add("report", object{"found": true, "summary": []object{{"text": "It connects.", "citations": []string{"prod.env:1-2",
		"app/connect.py:1-9"}}}, "excerpts": []object{{"path": "prod.env", "start": 1, "end": 2}, {"path": "app/connect.py", "start": 1,
		"end": 20}}})
	add("locate", object{"query": "connect to the database with the password"})
	r.draws.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] }) // many refusals in a row end a run
	return all
}

// leaks reports which planted values are in text.
func (r *trap) leaks(where, text string) {
	r.t.Helper()
	for _, s := range r.secrets {
		if i := strings.Index(text, s.value[:min(10, len(s.value))]); i >= 0 {
			r.t.Errorf("%s shows the secret %q:\n…%s…", where, s.place, text[max(0, i-160):min(len(text), i+60)])
		}
	}
}

// TestAttackSecrets asks every tool for the secrets of a repository, as a model and as a user, and looks for them in all
// that is sent, printed, traced, recorded and kept.
func TestAttackSecrets(t *testing.T) {
	if ostest.RaceDetector {
		t.Skip("a thousand calls, one after the other, take minutes with the race detector and race with nothing")
	}
	attacktable.Watch(t, "cmd/foray", "the names and forms of secrets")
	t.Setenv("OPENAI_API_KEY", "sk-"+"x")
	t.Setenv("FORAY_MODEL", "")
	t.Setenv("FORAY_CACHE", filepath.Join(t.TempDir(), "cache"))
	r := newTrap(t)
	calls := r.calls()
	guess := r.secrets[0].value[:10]
	run := func(args ...string) string {
		var out bytes.Buffer
		root := newRoot()
		root.SetArgs(args)
		root.SetIn(strings.NewReader("How does it connect?\n"))
		root.SetOut(&out)
		root.SetErr(&out)
		if err := root.ExecuteContext(t.Context()); err != nil {
			cli.PrintError(&out, err)
		}
		return out.String()
	}
	refused := 0
	for _, call := range calls {
		tool, args, _ := strings.Cut(strings.TrimPrefix(call, "call "), " ")
		text := strings.ReplaceAll(run("tools", "call", tool, args, "--repo", r.dir), guess, "")
		if strings.Contains(text, "unknown tool") || strings.Contains(text, "unknown field") {
			t.Errorf("%s: %s", call, text)
		}
		if strings.Contains(text, "--allow-secret ") {
			refused++
		}
		r.leaks(call, text)
	}
	if refused < len(secretNames)*3/2 {
		t.Errorf("%d calls were refused with a word on how to allow the file", refused)
	}
	for _, args := range [][]string{
		{"explore", "--repo", r.dir, "-v", "How does it connect to the database with a password?"},
		{"explore", "--repo", r.dir, "--rev", "HEAD~2", "--format", "json", "Where are the settings to connect?"},
		{"explore", "--repo", r.dir, "--format", "json", "Which token, key or secret connects?"},
		{"insight", "--repo", r.dir}, {"insight", "--repo", r.dir, "--format", "json"},
	} {
		r.leaks(strings.Join(args, " "), run(args...))
	}
	r.throughModel(calls, guess, run)
}

// eager answers each request with the next calls, so many at once, and then with a text.
func eager(calls []string, atOnce int) http.HandlerFunc {
	next := 0
	return func(w http.ResponseWriter, _ *http.Request) {
		delta, finish := object{"content": "It connects. [app/connect.py:1]"}, "stop"
		if next < len(calls) {
			var all []object
			for i, call := range calls[next:min(next+atOnce, len(calls))] {
				name, args, _ := strings.Cut(strings.TrimPrefix(call, "call "), " ")
				all = append(all, object{"index": i, "id": fmt.Sprint("c", next+i), "type": "function",
					"function": object{"name": name, "arguments": args}})
			}
			next += atOnce
			delta, finish = object{"tool_calls": all}, "tool_calls"
		}
		events(w, marshalled(object{"choices": []object{{"index": 0, "delta": delta}}}))
		events(w, marshalled(object{"choices": []object{{"index": 0, "delta": object{}, "finish_reason": finish}}}))
		events(w, "[DONE]")
	}
}

// throughModel lets a scripted model make the calls in explore, serve and chat.
func (r *trap) throughModel(calls []string, guess string, run func(...string) string) {
	const batch, atOnce = 32, 8
	kept := r.t.TempDir()
	var mu sync.Mutex
	for n := 0; n < len(calls); n += batch {
		some := calls[n:min(n+batch, len(calls))]
		for _, command := range []string{"explore", "serve", "chat"}[:3-min(n, 1)] { // chat has the same tools
			var sent strings.Builder
			answer := eager(some, atOnce)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				body, err := io.ReadAll(q.Body)
				if err != nil {
					r.t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				sent.Write(body)
				answer(w, q)
			}))
			name := func(kind string) string { return filepath.Join(kept, fmt.Sprint(command, kind, n)) }
			args, files := []string{command, "-v", "--repo", r.dir, "--model", "openai/gpt-4.1", "--base-url", server.URL + "/v1",
				"--max-steps", "40", "--record", name("record")}, []string{"record"}
			if command == "serve" {
				args, files = append(args[2:], "--db", name("db")), append(files, "db")
			} else if command == "chat" {
				args, files = append(args, "--db", name("db")), append(files, "db")
			} else {
				args, files = append(args, "--trace", name("trace"), "How does it connect?"), append(files, "trace")
			}
			printed := ""
			if command == "serve" {
				printed = servedAnswers(r.t, args, "How does it connect?")
			} else {
				printed = run(args...)
			}
			server.Close()
			for _, kind := range files {
				text, err := os.ReadFile(name(kind))
				if err != nil {
					r.t.Error(err)
				}
				printed += string(text)
			}
			if got := strings.Count(sent.String(), `"role":"tool"`); got < len(some) {
				r.t.Errorf("%s: the model got %d results of %d calls:\n%s", command, got, len(some), printed)
			}
			r.leaks("sent to the model in "+command, strings.ReplaceAll(sent.String(), guess, ""))
			r.leaks("printed, traced or kept by "+command, strings.ReplaceAll(printed, guess, ""))
		}
	}
}
