package recall

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/forayhq/foray/contextwindow/memory/summary"
	"github.com/forayhq/foray/contextwindow/memory/task"
	"github.com/forayhq/foray/contextwindow/memory/textsearch"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// How much of a thread one search reads, in messages, and how many it shows if nothing else is asked for.
const (
	historyPage    = 500
	historyMost    = 20_000
	defaultHistory = 5
)

// SearchHistory returns the tool that looks for what was said earlier in the run's own thread. Only what users and
// assistants said is looked through.
func SearchHistory(log summary.Log) tools.Tool {
	return tools.New("search_history",
		"Look for what was said earlier in this conversation and is no longer shown, by words. It returns the messages that answer best, with their numbers.",
		func(ctx context.Context, in searchHistoryInput) (history, error) {
			thread := tools.RunFrom(ctx).Thread
			if thread == "" {
				return history{}, &tools.Problem{Code: "no_thread", Message: "this run belongs to no conversation", Try: "ask the user"}
			}
			return searchThread(ctx, log, thread, in)
		})
}

type searchHistoryInput struct {
	Query string `json:"query" jsonschema:"description=what to look for, in words,minLength=1"`
	Limit int    `json:"limit,omitempty" jsonschema:"description=how many messages at most; default 5,minimum=1,maximum=20"`
}

// history is messages of a thread, the best first.
type history struct {
	Messages []said `json:"messages"`
	Searched int    `json:"searched"` // messages that were looked through
}

// said is one message of a thread.
type said struct {
	Seq  int64  `json:"seq"`
	Role string `json:"role"`
	Text string `json:"text"`
}

func searchThread(ctx context.Context, log summary.Log, thread string, in searchHistoryInput) (history, error) {
	var index textsearch.Index
	h := history{Messages: []said{}}
	for last := int64(0); h.Searched < historyMost; {
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
	limit := in.Limit
	if limit <= 0 {
		limit = defaultHistory
	}
	for _, hit := range index.Search(in.Query, time.Time{}, limit) {
		seq, err := strconv.ParseInt(hit.Turn.ID, 10, 64)
		if err != nil {
			return history{}, fmt.Errorf("message %q: %w", hit.Turn.ID, err)
		}
		h.Messages = append(h.Messages, said{seq, hit.Turn.Speaker, hit.Turn.Text})
	}
	return h, nil
}

// Text is a part for each message under its number.
func (h history) Text() (toollimit.Kind, string) {
	if len(h.Messages) == 0 {
		return toollimit.Batch, fmt.Sprintf("none of %d messages holds that\n", h.Searched)
	}
	var b strings.Builder
	for _, m := range h.Messages {
		fmt.Fprintf(&b, "== message %d, %s\n%s\n", m.Seq, m.Role, strings.TrimRight(m.Text, "\n"))
	}
	return toollimit.Batch, b.String()
}

// NoteFinding returns the tool by which a model writes down what it found out for the task. The caller of the run takes
// the finding from the tool's record.
func NoteFinding() tools.Tool {
	return tools.New("note_finding",
		"Write down something found out for the task, with where it was seen, so that it is not lost. One finding a call.",
		func(_ context.Context, in noteFindingInput) (task.Finding, error) {
			return task.Finding{Text: oneLine(in.Text), Evidence: oneLine(in.Evidence), Importance: max(in.Importance, leastImportance)}, nil
		})
}

type noteFindingInput struct {
	Text       string `json:"text" jsonschema:"description=the finding in one or two sentences,minLength=1,maxLength=2000"`
	Evidence   string `json:"evidence,omitempty" jsonschema:"description=where it was seen, such as path:line,maxLength=500"`
	Importance int    `json:"importance,omitempty" jsonschema:"description=from 1 to 10; default 5,minimum=1,maximum=10"`
}
