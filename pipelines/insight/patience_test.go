package insight

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	sourcetree "github.com/forayhq/foray/tools/tree"
)

// TestHugeTree runs all rules over a tree whose searches each take a time, and ends with their own limit or not at all.
func TestHugeTree(t *testing.T) {
	for name, c := range map[string]struct {
		each    time.Duration // of a search
		limit   time.Duration // of a stage
		expires bool          // the search says that it ran out of time
		most    time.Duration // of the run
	}{
		"each search runs out of time":  {20 * time.Second, 0, true, 4 * time.Minute},
		"each search takes nearly that": {19 * time.Second, 90 * time.Second, false, 3 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				all := codebase.Tools(sourcetree.Open(fstest.MapFS{"a.go": {Data: []byte("package a\n")}}, nil), &codebase.Options{JSON: true})
				for i := range all {
					if all[i].Name == "search" {
						all[i] = slowSearch(all[i], c.each, c.expires)
					}
				}
				started := time.Now()
				report, err := Run(t.Context(), agent.Config{
					Model: rulesOf(1), Tools: all, Profile: contextwindow.Off, Limits: agent.Limits{CallsPerStep: 1},
				}, &Options{Time: c.limit, Steps: 100})
				if err != nil || !strings.Contains(report.Partial, "too large to search whole: after ") {
					t.Errorf("error %v, partial %q", err, report.Partial)
				}
				if took := time.Since(started); took > c.most {
					t.Errorf("took %v, want at most %v", took, c.most)
				}
			})
		})
	}
}

// slowSearch makes a search take a time, and say that this was its limit.
func slowSearch(t tools.Tool, each time.Duration, expires bool) tools.Tool {
	call := t.Call
	t.Call = func(ctx context.Context, args json.RawMessage) (any, error) {
		select {
		case <-time.After(each):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		value, err := call(ctx, args)
		if result, ok := value.(*codebase.SearchResult); ok {
			result.TimedOut = expires
		}
		return value, err
	}
	return t
}
