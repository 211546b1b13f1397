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

// The limits of a search of a thread.
const (
	historyPage    = 500    // messages read at once
	maxHistory     = 20_000 // messages searched
	defaultHistory = 5      // exchanges shown, unless the call says otherwise
	shownWhole     = 1200   // bytes of the longest message that is shown whole; of a longer one, a passage
)

// SearchHistory returns the tool that searches the messages of the run's thread. Results of tools are not searched.
func SearchHistory(log summary.Log) tools.Tool {
	t := tools.New("search_history",
		"Search the earlier messages of this conversation by words, shown or not. It returns the best exchanges with the "+
			"numbers of their messages; of a long message, only the best passage. To read a whole message, pass message "+
			"instead of query.",
		func(ctx context.Context, in searchHistoryInput) (history, error) {
			thread := tools.RunFrom(ctx).Thread
			switch {
			case thread == "":
				return history{}, tools.Problemf("no_thread", "ask the user", "this run has no conversation")
			case in.Message > 0:
				return readMessage(ctx, log, thread, in.Message)
			case strings.TrimSpace(in.Query) == "":
				return history{}, tools.Problemf("no_query", `{"query":"which port did we choose?"}`, "query is empty")
			}
			in.inTurn = true
			return searchThread(ctx, log, thread, in)
		})
	t.Brief = brief("Find what was said earlier in this conversation.", "query")
	return t
}

type searchHistoryInput struct {
	Query   string `json:"query,omitempty" doc:"what to look for, in words"`
	Limit   int    `json:"limit,omitempty" jsonschema:"minimum=1,maximum=20" doc:"how many exchanges at most; default 5"`
	Message int64  `json:"message,omitempty" jsonschema:"minimum=1" doc:"the number of a message to read whole"`

	inTurn bool // the last message of the user asks this, and is no answer
}

// A history is the exchanges that a search found, best first.
type history struct {
	Exchanges [][]said `json:"exchanges"`
	Searched  int      `json:"searched"` // messages read
}

// A said is a message of a thread, or the passage of it that answers.
type said struct {
	Seq     int64  `json:"seq"`
	Role    string `json:"role"`
	Text    string `json:"text"`
	Partial bool   `json:"partial,omitempty"` // Text is a passage
}

// FindSaid returns what the tool of [SearchHistory] shows for a query: at most five exchanges of a thread, best first.
// The error is that of the log.
func FindSaid(ctx context.Context, log summary.Log, thread, query string) (string, error) {
	found, err := searchThread(ctx, log, thread, searchHistoryInput{Query: query})
	_, text := found.Text()
	return text, err
}

func searchThread(ctx context.Context, log summary.Log, thread string, in searchHistoryInput) (history, error) {
	var turns []textsearch.Turn
	asked := -1 // where the last turn of the user is
	h := history{Exchanges: [][]said{}}
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
			if m.Role == "tool" || strings.TrimSpace(m.Text) == "" {
				continue
			}
			if m.Role == "user" {
				asked = len(turns)
			}
			id := strconv.FormatInt(m.Seq, 10)
			turns = append(turns, textsearch.Turn{ID: id, Session: thread, Speaker: string(m.Role), Text: m.Text})
		}
		h.Searched += len(page)
	}
	if in.inTurn && asked >= 0 {
		turns = turns[:asked]
	}
	var index textsearch.Index
	index.Add(turns...)
	if in.Limit <= 0 {
		in.Limit = defaultHistory
	}
	for _, found := range index.Exchanges(in.Query, time.Time{}, in.Limit) {
		var e []said
		for _, hit := range found.Hits {
			seq, err := strconv.ParseInt(hit.Turn.ID, 10, 64)
			if err != nil {
				return history{}, fmt.Errorf("message %q: %w", hit.Turn.ID, err)
			}
			m := said{Seq: seq, Role: hit.Turn.Speaker, Text: hit.Turn.Text}
			if len(m.Text) > shownWhole {
				m.Text, m.Partial = strings.TrimSpace(hit.Passage), true
			}
			e = append(e, m)
		}
		h.Exchanges = append(h.Exchanges, e)
	}
	return h, nil
}

// readMessage returns one message, whole.
func readMessage(ctx context.Context, log summary.Log, thread string, seq int64) (history, error) {
	found, err := log(ctx, thread, seq-1, 1)
	if err != nil {
		return history{}, fmt.Errorf("reading message %d: %w", seq, err)
	}
	if len(found) == 0 || found[0].Seq != seq {
		return history{}, tools.Problemf("unknown_message", "a number that a query returned",
			"no message %d in this conversation", seq)
	}
	m := said{Seq: seq, Role: string(found[0].Role), Text: found[0].Text}
	return history{Exchanges: [][]said{{m}}, Searched: 1}, nil
}

// Text returns each exchange, its messages under their numbers.
func (h history) Text() (toollimit.Kind, string) {
	if len(h.Exchanges) == 0 {
		return toollimit.Batch, fmt.Sprintf("no match in %s\n", line.Count(h.Searched, "message"))
	}
	var b strings.Builder
	for _, e := range h.Exchanges {
		for i, m := range e {
			mark, part := "==", ""
			if i > 0 {
				mark = "--"
			}
			if m.Partial {
				part = ", a passage"
			}
			fmt.Fprintf(&b, "%s message %d, %s%s\n%s\n", mark, m.Seq, m.Role, part, strings.TrimRight(m.Text, "\n"))
		}
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
