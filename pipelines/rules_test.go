package pipelines_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/pipelines"
	insights "github.com/forayhq/foray/pipelines/insight"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
)

var shop = fstest.MapFS{
	"store.go": {Data: []byte("package shop\n\nfunc (s *Store) Get(name string) error {\n\ts.mu.Lock()\n\tif name == \"\" {\n\t\treturn errNoName\n\t}\n\ts.mu.Unlock()\n\treturn nil\n}\n")},
	"gone.go":  {Data: []byte("package shop\n\nfunc gone(err error) bool { return err.Error() == \"gone\" }\n")},
}

// readWith is the source that reads as the tool read_file does.
func readWith(read tools.Tool) pipelines.Source {
	return func(ctx context.Context, path string, start, end int) ([]string, int, error) {
		args, err := json.Marshal(map[string]any{"path": path, "start_line": start, "end_line": end})
		if err != nil {
			return nil, 0, err
		}
		value, err := read.Call(ctx, args)
		if err != nil {
			return nil, 0, err
		}
		file := value.(*codebase.FileResult).Items[0]
		return file.Lines, file.TotalLines, nil
	}
}

// Insight by rules: no language model, no network.
func ExampleInsight() {
	all := codebase.Tools(shop, &codebase.Options{JSON: true})
	findings := pipelines.NewFindings(readWith(all[3]), 10)
	base := agent.Config{Model: insights.Rules(0), Tools: all}
	stages, err := pipelines.Insight(base, findings, pipelines.InsightOptions{Dimensions: []string{"concurrency", "errors"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	window := contextwindow.New(contextwindow.BudgetOf(1<<30, contextwindow.Off), nil)
	outcomes, err := pipelines.Run(context.Background(), window, "", stages...)
	for _, o := range outcomes {
		fmt.Println(o.Stage, o.Status)
	}
	for _, f := range findings.All() {
		fmt.Printf("%s, %s: %s %v\n", f.Importance, f.Dimension, f.Title, f.Evidence)
	}
	fmt.Println(pipelines.Reply(outcomes), err)
	// Output:
	// analyze passed
	// produce passed
	// high, concurrency: A return leaves a lock held [store.go:4]
	// medium, errors: An error is told apart by its text [gone.go:3]
	// 2 findings of the analysis were handed in. They were found by rules, without a language model. <nil>
}

// A tree in which the rules find nothing has findings of nothing, and nothing is handed in.
func TestRulesThatFindNothing(t *testing.T) {
	tree := fstest.MapFS{"a.go": {Data: []byte("package a\n")}}
	all := codebase.Tools(tree, &codebase.Options{JSON: true})
	findings := pipelines.NewFindings(readWith(all[3]), 10)
	stages, err := pipelines.Insight(agent.Config{Model: insights.Rules(0), Tools: all}, findings, pipelines.InsightOptions{})
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := pipelines.Run(t.Context(), contextwindow.New(contextwindow.BudgetOf(1<<30, contextwindow.Off), nil), "", stages...)
	if err != nil || statuses(outcomes) != "analyze exhausted 2, produce skipped 0" || len(findings.All()) != 0 || len(outcomes[0].Handover.Negative) == 0 {
		t.Errorf("%s, %v, %+v", statuses(outcomes), err, findings.All())
	}
}
