// Package turnstest makes the trace of a run for tests: calls of tools, one of them refused, compactions and an answer.
//
// Start with [Trace].
package turnstest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/trace"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// Steps is how many requests the run of [Trace] has. Its window is compacted along the way.
const Steps = 8

// times are the parts of a trace that differ from run to run.
var times = regexp.MustCompile(`"ms":\d+|,"duration_ms":\d+|"time":"[^"]*"`)

// Trace returns the trace of a run that asks for pages and answers. Its times are the same in every run: a line takes
// 10 milliseconds, and durations are left out.
func Trace() ([]byte, error) {
	read := tools.New("read_page", "Read a page.", func(_ context.Context, in struct{ Page int }) (string, error) {
		if in.Page == 2 {
			return "", errors.New("page 2 is missing")
		}
		return fmt.Sprintf("Page %d of 7. ", in.Page) + strings.Repeat(fmt.Sprintf("Line of page %d. ", in.Page), 250), nil
	})
	var script []scripted.Line
	for page := 1; page < Steps; page++ {
		script = append(script, scripted.Calls(scripted.Call{Name: "read_page", Args: map[string]int{"Page": page}}))
	}
	a, err := agent.New(agent.Config{
		Name: "reader", System: "You read pages.", Tools: []tools.Tool{read},
		Model:  scripted.New(append(script, scripted.Text("The secret is 42."))...),
		Budget: contextwindow.Budget{Model: "scripted/model", Window: 8_000, Limit: 4_000, Profile: contextwindow.Ladder},
	})
	if err != nil {
		return nil, err
	}
	var written bytes.Buffer
	run := a.Stream(context.Background(), agent.Task{Prompt: "Which page has the secret?"})
	for _, err := range trace.Write(run, &written) {
		if err != nil {
			return nil, err
		}
	}
	line := 0
	var fixed bytes.Buffer
	for text := range strings.Lines(written.String()) {
		line++
		fixed.WriteString(times.ReplaceAllStringFunc(text, func(found string) string {
			switch {
			case strings.HasPrefix(found, `"ms"`):
				return fmt.Sprintf(`"ms":%d`, 10*line)
			case strings.HasPrefix(found, `"time"`):
				return `"time":"2026-05-04T03:02:01Z"`
			}
			return "" // a duration of 0 is not written either
		}))
	}
	return fixed.Bytes(), nil
}
