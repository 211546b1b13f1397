package insight_test

import (
	"context"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/pipelines"
	"github.com/forayhq/foray/pipelines/insight"
	"github.com/forayhq/foray/tools/codebase"
	sourcetree "github.com/forayhq/foray/tools/tree"
)

var shop = fstest.MapFS{
	"store.go": {Data: []byte("package shop\n\nfunc (s *Store) Get(name string) error {\n\ts.mu.Lock()\n\tif name == \"\" {\n\t\treturn errNoName\n\t}\n\ts.mu.Unlock()\n\treturn nil\n}\n")},
	"gone.go":  {Data: []byte("package shop\n\nfunc gone(err error) bool { return err.Error() == \"gone\" }\n")},
}

// Insight by rules: no language model, no network.
func Example() {
	base := agent.Config{
		Model: insight.Rules(), Tools: codebase.Tools(sourcetree.Open(shop, nil), &codebase.Options{JSON: true}), Profile: contextwindow.Off,
	}
	report, err := insight.Run(context.Background(), base, &insight.Options{Dimensions: []string{"concurrency", "errors"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range report.Stages {
		fmt.Println(s.Stage, s.Status)
	}
	for _, f := range report.Findings {
		fmt.Printf("%s, %s: %s %v\n", f.Importance, f.Dimension, f.Title, f.Evidence)
	}
	fmt.Println(pipelines.Reply(report.Outcomes))
	// Output:
	// analyze passed
	// produce passed
	// high, concurrency: A return leaves a mutex locked [store.go:4]
	// medium, errors: An error is matched by its text [gone.go:3]
	// Submitted 2 findings of the analysis. Rules found them, without a language model.
}

// In a tree without findings the analysis does not pass, and nothing is submitted.
func TestRulesThatFindNothing(t *testing.T) {
	tree := fstest.MapFS{"a.go": {Data: []byte("package a\n")}}
	base := agent.Config{
		Model: insight.Rules(), Tools: codebase.Tools(sourcetree.Open(tree, nil), &codebase.Options{JSON: true}), Profile: contextwindow.Off,
	}
	report, err := insight.Run(t.Context(), base, nil)
	if err != nil || len(report.Findings) != 0 || len(report.Searched) == 0 {
		t.Fatalf("%v, %+v", err, report)
	}
	first, second := report.Stages[0], report.Stages[1]
	if first.Status != pipelines.Exhausted || first.Attempts != 2 || second.Status != pipelines.Skipped {
		t.Errorf("%+v", report.Stages)
	}
}
