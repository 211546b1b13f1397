package insight_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/pipelines/insight"
	"github.com/forayhq/foray/tools/codebase"
	sourcetree "github.com/forayhq/foray/tools/tree"
)

// TestSecretsInSource finds each line that the tools mask, in code and in settings, a private key once, and no example.
func TestSecretsInSource(t *testing.T) {
	groq, body := "gsk"+"_"+strings.Repeat("aB3xY9", 9), strings.Repeat("MIIEowIBAAKCAQEA1c2", 3)
	tree := fstest.MapFS{
		"app.py":    {Data: []byte("def go():\n    client = '" + groq + "'\n    return client\n")},
		"conf.yaml": {Data: []byte("db:\n  url: postgres://app:k9Vq" + "2mLxTz@db.internal/app\n")},
		"main.go": {Data: []byte("package main\n\nconst k = `-----BEGIN RSA PRIVATE" + " KEY-----\n" + body + "\n" + body +
			"\n-----END RSA PRIVATE" + " KEY-----`\n\nvar password = \"changeme\"\n")},
		"app_test.py": {Data: []byte("client = '" + groq + "'\n")},
	}
	base := agent.Config{
		Model: insight.Rules(), Tools: codebase.Tools(sourcetree.Open(tree, nil), &codebase.Options{JSON: true}),
		Profile: contextwindow.Off,
	}
	report, err := insight.Run(t.Context(), base, &insight.Options{Dimensions: []string{"security"}})
	if err != nil || len(report.Findings) != 1 {
		t.Fatalf("%v, %+v", err, report)
	}
	want := []string{"app.py:2", "conf.yaml:2", "main.go:3"}
	if got := fmt.Sprint(report.Findings[0].Evidence); got != fmt.Sprint(want) {
		t.Errorf("found %v, want %v", got, want)
	}
}
