package recall

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/forayhq/foray/contextwindow/memory/summary"
	"github.com/forayhq/foray/contextwindow/memory/task"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/textsearch"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// The limits of a search of a thread, in messages.
const (
	historyPage    = 500    // read at once
	maxHistory     = 20_000 // searched
	defaultHistory = 5      // shown, unless the call says otherwise
)

// SearchHistory returns the tool that searches the messages of the run's thread. Results of tools are not searched.
func SearchHistory(log summary.Log) tools.Tool {
	t := tools.New("search_history",
		"Look for what was said earlier in this conversation and is no longer shown, by words. "+
			"It returns the messages that answer best, with their numbers.",
		func(ctx context.Context, in searchHistoryInput) (history, error) {
			thread := tools.RunFrom(ctx).Thread
			if thread == "" {
				return history{}, tools.Problemf("no_thread", "ask the user", "this run has no conversation")
			}
			return searchThread(ctx, log, thread, in)
		})
	t.Brief = brief("Find what was said earlier in this conversation.", "query")
	return t
}

type searchHistoryInput struct {
	Query string `json:"query" jsonschema:"minLength=1" doc:"what to look for, in words"`
	Limit int    `json:"limit,omitempty" jsonschema:"minimum=1,maximum=20" doc:"how many messages at most; default 5"`
}

// A history is the messages that a search found, best first.
type history struct {
	Messages []said `json:"messages"`
	Searched int    `json:"searched"` // messages read
}

// A said is one message of a thread.
type said struct {
	Seq  int64  `json:"seq"`
	Role string `json:"role"`
	Text string `json:"text"`
}

func searchThread(ctx context.Context, log summary.Log, thread string, in searchHistoryInput) (history, error) {
	var index textsearch.Index
	h := history{Messages: []said{}}
	for last := int64(0); h.Searched < maxHistory; {
		page, err := log(ctx, thread, last, historyPage)
		if err != nil {
			return history{}, fmt.Errorf("reading the conversation: %w", err)
		}
		if len(page) == 0 {
			break
		}
		for _, m := range page {
			last = m.Seq
			if m.Role != "tool" && strings.TrimSpace(m.Text) != "" {
				index.Add(textsearch.Turn{ID: strconv.FormatInt(m.Seq, 10), Session: thread, Speaker: string(m.Role), Text: m.Text})
			}
		}
		h.Searched += len(page)
	}
	if in.Limit <= 0 {
		in.Limit = defaultHistory
	}
	for _, hit := range index.Search(in.Query, time.Time{}, in.Limit) {
		seq, err := strconv.ParseInt(hit.Turn.ID, 10, 64)
		if err != nil {
			return history{}, fmt.Errorf("message %q: %w", hit.Turn.ID, err)
		}
		h.Messages = append(h.Messages, said{seq, hit.Turn.Speaker, hit.Turn.Text})
	}
	return h, nil
}

// Text returns each message under its number.
func (h history) Text() (toollimit.Kind, string) {
	if len(h.Messages) == 0 {
		return toollimit.Batch, fmt.Sprintf("no match in %s\n", line.Count(h.Searched, "message"))
	}
	var b strings.Builder
	for _, m := range h.Messages {
		fmt.Fprintf(&b, "== message %d, %s\n%s\n", m.Seq, m.Role, strings.TrimRight(m.Text, "\n"))
	}
	return toollimit.Batch, b.String()
}

// NoteFinding returns the tool by which a model notes a finding for the task. The caller of the run takes the
// finding, a [task.Finding], from the result of the tool.
func NoteFinding() tools.Tool {
	return tools.New("note_finding",
		"Write down something found out for the task, with where it was seen, so that it is not lost. One finding a call.",
		func(_ context.Context, in noteFindingInput) (task.Finding, error) {
			return task.Finding{
				Text: line.Flat(in.Text), Evidence: line.Flat(in.Evidence), Importance: max(in.Importance, minImportance),
			}, nil
		})
}

type noteFindingInput struct {
	Text       string `json:"text" jsonschema:"minLength=1,maxLength=2000" doc:"the finding in one or two sentences"`
	Evidence   string `json:"evidence,omitempty" jsonschema:"maxLength=500" doc:"where it was seen, such as path:line"`
	Importance int    `json:"importance,omitempty" jsonschema:"minimum=1,maximum=10" doc:"from 1 to 10; default 5"`
}
