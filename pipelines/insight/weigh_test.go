package insight

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/tools/codebase"
	sourcetree "github.com/forayhq/foray/tools/tree"
)

// The credentials of the tests, in two pieces each, so that no scanner takes them for real ones.
var testSecrets = strings.NewReplacer("{{aws}}", "AK"+"IAQWERTYUIOPASDFGH", "{{stripe}}", "sk_live"+"_51Hq9ZxKd8Rw2Tn6Yb4Vm3Lc",
	"{{slack}}", "https://hooks.slack.com/services/T02"+"AB3CD4E/B05FG6HI7J/k9Vq2mLxTz7pRw8sYb4NcD3e",
	"{{password}}", "k9Vq2m"+"LxTz7p", "{{key}}", "9vJq3xTzLm82Rb"+"KcWd5NhYp4GsUaEf7Z")

// importances runs all rules over a tree, and returns the importance of each line that a finding cites.
func importances(t *testing.T, tree fstest.MapFS) map[string]string {
	t.Helper()
	report, err := Run(t.Context(), agent.Config{
		Model: Rules(), Tools: codebase.Tools(sourcetree.Open(tree, nil), &codebase.Options{JSON: true}), Profile: contextwindow.Off,
	}, &Options{Most: 100, Steps: 100})
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for _, f := range report.Findings {
		for _, c := range f.Evidence {
			all[c.String()] = f.Importance
		}
	}
	return all
}

// TestDefectsStayHigh guards what TestNoDefects refines: real defects stay findings of high importance.
func TestDefectsStayHigh(t *testing.T) {
	raw, err := os.ReadFile("testdata/defects.txtar")
	if err != nil {
		t.Fatal(err)
	}
	archive := txtar.Parse(raw)
	tree := make(fstest.MapFS)
	for _, f := range archive.Files {
		tree[f.Name] = &fstest.MapFile{Data: []byte(testSecrets.Replace(string(f.Data)))}
	}
	got := importances(t, tree)
	wants := regexp.MustCompile(`(?m)^\S+:\d+$`).FindAllString(string(archive.Comment), -1)
	for _, want := range wants {
		if got[want] != high {
			t.Errorf("%s is %q, want %q", want, got[want], high)
		}
	}
	if len(wants) < 30 {
		t.Errorf("%d defects, want at least 30", len(wants))
	}
}

// notHigh holds code that looks like an important defect but is correct, or at most doubtful: the kinds of finding that
// a maintainer would close at once.
var notHigh = []struct{ name, path, source string }{
	{"lock taken back for the caller", "a.go", "package a\n\nfunc (c *C) run() error {\n\tc.mu.Unlock()\n\terr := f()\n\tc.mu.Lock()\n\tif err != nil {\n\t\treturn err\n\t}\n\tc.n++\n\treturn nil\n}\n"},
	{"the same after a label", "a.go", "package a\n\nfunc (c *C) run() error {\nretry:\n\tc.mu.Unlock()\n\terr := f()\n\tc.mu.Lock()\n\tif err != nil {\n\t\treturn err\n\t}\n\tif c.n == 0 {\n\t\tgoto retry\n\t}\n\treturn nil\n}\n"},
	{"another function unlocks", "a.go", "package a\n\nfunc (s *S) Begin() *Tx {\n\ts.mu.RLock()\n\ttx := &Tx{s}\n\treturn tx\n}\n\nfunc (tx *Tx) End() {\n\ttx.s.mu.RUnlock()\n}\n"},
	{"the comment hands the lock over", "a.go", "package a\n\n// begin returns with the lock held.\nfunc (s *S) begin() int {\n\ts.mu.Lock()\n\ts.n++\n\treturn s.n\n}\n"},
	{"the return is in another case", "a.go", "package a\n\nfunc (r *R) Read() int {\n\tselect {\n\tcase d := <-r.ch:\n\t\tr.mu.Lock()\n\t\tr.buf = d\n\tdefault:\n\t\t\treturn 0\n\t}\n\tr.mu.Unlock()\n\treturn 1\n}\n"},
	{"the goroutine is counted itself", "a.go", "package a\n\nfunc f() {\n\tvar wg sync.WaitGroup\n\twg.Add(1)\n\tgo walk(&wg)\n\tgo func() {\n\t\twg.Add(1)\n\t\twg.Done()\n\t}()\n\twg.Wait()\n}\n"},
	{"an option switches it on", "a.go", "package a\n\nfunc dial(p *P) {\n\tif p.insecure {\n\t\tp.tls = &tls.Config{InsecureSkipVerify: true}\n\t}\n}\n"},
	{"the check is off unless verified", "a.py", "import ssl\n\n\ndef make(verified):\n    if verified:\n        c = ssl.create_default_context()\n    else:\n        c = ssl.SSLContext()\n        c.verify_mode = ssl.CERT_NONE\n    return c\n"},
	{"the name of the function says so", "a.py", "import ssl\n\n\ndef insecure_context_factory():\n    return ssl._create_unverified_context()\n"},
	{"a default that an option changes", "a.py", "class Backend:\n    host = 'localhost'\n    verify = False\n"},
	{"its own check replaces it", "a.go", "package a\n\nvar c = &tls.Config{\n\tInsecureSkipVerify: true,\n\tVerifyPeerCertificate: pinned,\n}\n"},
	{"a scanner", "a.go", "package a\n\nvar c = &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10}\n"},
	{"a server of this machine", "a.go", "package a\n\nfunc hook(c *C) {\n\tget(c.LocalRootURL, &tls.Config{InsecureSkipVerify: true})\n}\n"},
	{"the loader is the second argument", "a.py", "import yaml\n\n\ndef f(text):\n    return yaml.load(text, loader)\n"},
	{"it waits again after the timer", "a.go", "package a\n\nfunc run(d time.Duration) error {\n\tdone := make(chan error)\n\tgo func() {\n\t\tdone <- wait()\n\t}()\n\tselect {\n\tcase err := <-done:\n\t\treturn err\n\tcase <-time.After(d):\n\t\tkill()\n\t}\n\treturn <-done\n}\n"},
	{"a command of the program's own values", "a.go", "package a\n\nfunc stat() { exec.Command(\"sh\", \"-c\", fmt.Sprintf(\"stat %s\", loopback)).Run() }\n"},
	{"only in data of a test", "tests/specs/a.test.js", "describe.only(\"a suite\", () => {});\n"},
	{"an environment variable allows it", "a.js", "const agent = (strict) =>\n  strict ? secure() : new https.Agent({ rejectUnauthorized: false });\n"},
	{"a command of constants", "a.py", "import os\n\n\ndef clear():\n    command = 'clear'\n    if windows():\n        command = 'cls'\n    os.system(command)\n"},
	{"a command given whole", "a.py", "import subprocess\n\n\ndef run(term):\n    return subprocess.Popen(term, shell=True)\n"},
	{"a command with a number", "a.py", "import os\n\n\ndef name(pid):\n    return os.popen('ps -p %s' % pid).read()\n"},
	{"a quoted command", "a.py", "import os, shlex\n\n\ndef ls(path):\n    os.system('ls ' + shlex.quote(path))\n"},
	{"a tool for developers", "hack/a.py", "import os\n\n\ndef f(path):\n    os.system('chmod +x %s' % path)\n"},
	{"a file that is not built", "a.go", "//go:build ignore\n\npackage main\n\nfunc f(path string) { exec.Command(\"sh\", \"-c\", \"ls \"+path) }\n"},
	{"YAML that is safe by default", "a.py", "from ruamel.yaml import YAML\n\nyaml = YAML()\nx = yaml.load(f)\n"},
	{"a choice among secrets", "a.py", "import random\n\n\ndef next_token(self):\n    token = random.choice(self.tokens)\n    return token\n"},
	{"a cache", "a.py", "def f(x, _cache={}):\n    _cache[x] = 1\n    return _cache\n"},
	{"a public key of a service", "a.py", "DSN = \"https://5d341bc0c8e80a37053d9c6aaecf4b3a@o1.ingest.us.sentry.io/13\"\nBUGSNAG_API_KEY = \"{{key}}\"\n"},
	{"a key of an emulator", "a.go", "package a\n\n// the key of the emulator is publicly known\nconst accountKey = \"{{aws}}\"\n"},
	{"an obscured secret", "a.go", "package a\n\nconst rcloneEncryptedClientSecret = \"{{key}}\"\n"},
	{"a key in a fixture", "test_data/a.py", "key = \"{{aws}}\"\n"},
	{"a key in a comment", "a.go", "package a\n\n// An event has\n//\n//\t\"accessKeyId\": \"{{aws}}\"\ntype Event struct{}\n"},
	{"keys in a table", "a.go", "package a\n\nvar rows = []string{\n\t\"{{aws}}\",\n\t\"{{stripe}}\",\n\t\"{{slack}}\",\n\t\"{{aws}}\",\n}\n"},
}

// TestNoDefects lays out lines that are no defects, each in a folder of its own.
func TestNoDefects(t *testing.T) {
	tree := make(fstest.MapFS)
	for i, c := range notHigh {
		tree[fmt.Sprintf("row%d/%s", i, c.path)] = &fstest.MapFile{Data: []byte(testSecrets.Replace(c.source))}
	}
	for cited, importance := range importances(t, tree) {
		var i int
		if _, err := fmt.Sscanf(cited, "row%d/", &i); err != nil {
			t.Fatal(err)
		}
		if importance == high {
			t.Errorf("%s: %s is high:\n%s", notHigh[i].name, cited, notHigh[i].source)
		}
	}
}

// A server whose limits another file of its package sets has them.
func TestLimitSetElsewhere(t *testing.T) {
	tree := fstest.MapFS{
		"a/new.go":   {Data: []byte("package a\n\nfunc New() *http.Server {\n\ts := &http.Server{\n\t\tAddr: \":80\",\n\t}\n\tsetLimits(s)\n\treturn s\n}\n")},
		"a/limit.go": {Data: []byte("package a\n\nfunc setLimits(s *http.Server) {\n\ts.ReadHeaderTimeout = limit\n}\n")},
		"b/new.go":   {Data: []byte("package b\n\nfunc New() *http.Server {\n\ts := &http.Server{\n\t\tAddr: \":80\",\n\t}\n\tg(s)\n\treturn s\n}\n")},
	}
	if got := importances(t, tree); got["a/new.go:4"] != "" || got["b/new.go:4"] != medium {
		t.Errorf("%v", got)
	}
}

// Code for the documentation and a refusal with its reason are no missing code.
func TestStubs(t *testing.T) {
	tree := fstest.MapFS{
		"src/a.rs": {Data: []byte("#[cfg(doc)]\npub fn a() {\n    todo!()\n}\n")},
		"src/b.rs": {Data: []byte("pub fn b() {\n    unimplemented!(\"windows has no signals\")\n}\n")},
		"src/c.rs": {Data: []byte("pub fn c() {\n    todo!()\n}\n")},
		"src/d.rs": {Data: []byte("#[cfg(test)]\nmod tests {\n    fn d() {\n        todo!()\n    }\n}\n")},
	}
	if got := importances(t, tree); got["src/a.rs:3"]+got["src/b.rs:2"]+got["src/d.rs:4"] != "" || got["src/c.rs:2"] != medium {
		t.Errorf("%v", got)
	}
}

// Folders and files whose names only end or begin like those of tests hold source.
func TestIsTest(t *testing.T) {
	for p, want := range map[string]bool{
		"contest/score.go": false, "src/latest/api.ts": false, "attestation.go": false, "latest.go": false, "protest/x.py": false,
		"a_test.go": true, "internal/testutil/server.go": true, "testing/fake.go": true, "db/testdb.go": true,
		"src/test/java/A.java": true, "web/app.spec.ts": true, "tests/a.py": true, "mock/store.go": true,
	} {
		if isTest(p) != want {
			t.Errorf("%s: %v", p, !want)
		}
	}
}
