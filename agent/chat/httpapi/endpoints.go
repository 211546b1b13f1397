package httpapi

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/forayhq/foray/agent/chat"
)

// Default limits of lists.
const (
	defaultThreads  = 50
	defaultMessages = 100
)

func (s *server) listThreads(_ http.ResponseWriter, r *http.Request) (any, error) {
	q := queryOf(r, "user", "offset", "limit")
	offset, limit := q.number("offset", 0), q.number("limit", defaultThreads)
	if err := q.err(); err != nil {
		return nil, err
	}
	threads, err := s.chat.Threads(r.Context(), q.values.Get("user"), int(min(offset, 1<<31)), int(min(limit, 1<<31)))
	if err != nil {
		return nil, err
	}
	list := struct {
		Threads []wireThread `json:"threads"`
	}{make([]wireThread, len(threads))}
	for i, t := range threads {
		list.Threads[i] = threadOf(t)
	}
	return list, nil
}

func (s *server) createThread(w http.ResponseWriter, r *http.Request) (any, error) {
	in, err := decode[struct {
		ID    string `json:"id"`
		User  string `json:"user"`
		Title string `json:"title"`
	}](r)
	if err != nil {
		return nil, err
	}
	t, err := s.chat.Create(r.Context(), chat.Thread{ID: in.ID, User: in.User, Title: in.Title})
	if err != nil {
		return nil, err
	}
	w.Header().Set("Location", "/v1/threads/"+t.ID)
	return threadOf(t), nil
}

func (s *server) getThread(_ http.ResponseWriter, r *http.Request) (any, error) {
	t, err := s.chat.Thread(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return threadOf(t), nil
}

func (s *server) deleteThread(_ http.ResponseWriter, r *http.Request) (any, error) {
	return nil, s.chat.Delete(r.Context(), r.PathValue("id"))
}

func (s *server) listMessages(_ http.ResponseWriter, r *http.Request) (any, error) {
	q := queryOf(r, "after", "limit")
	after, limit := q.number("after", 0), q.number("limit", defaultMessages)
	if err := q.err(); err != nil {
		return nil, err
	}
	ms, err := s.chat.Messages(r.Context(), r.PathValue("id"), after, int(min(limit, 1<<31)))
	if err != nil {
		return nil, err
	}
	return messageList{messagesOf(ms)}, nil
}

func (s *server) getContext(_ http.ResponseWriter, r *http.Request) (any, error) {
	report, err := s.chat.Inspect(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return contextOf(report), nil
}

func (s *server) compact(_ http.ResponseWriter, r *http.Request) (any, error) {
	sum, err := s.chat.Compact(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return sum, nil
}

func (s *server) getSummary(_ http.ResponseWriter, r *http.Request) (any, error) {
	sum, err := s.chat.Summary(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	if sum.Text == "" {
		return nil, &problem{Status: http.StatusNotFound, Detail: "the thread has no summary yet"}
	}
	return sum, nil
}

func (s *server) deleteSummary(_ http.ResponseWriter, r *http.Request) (any, error) {
	return nil, s.chat.ResetSummary(r.Context(), r.PathValue("id"))
}

func (s *server) warm(_ http.ResponseWriter, r *http.Request) (any, error) {
	return nil, s.chat.Warm(r.Context(), r.PathValue("id"))
}

func (s *server) undo(_ http.ResponseWriter, r *http.Request) (any, error) {
	ms, err := s.chat.Undo(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return messageList{messagesOf(ms)}, nil
}

// seqOf returns the message number in a path.
func seqOf(r *http.Request) (int64, error) {
	seq, err := strconv.ParseInt(r.PathValue("seq"), 10, 64)
	if err != nil || seq < 1 {
		return 0, fmt.Errorf("%w: a message number is a whole number from 1", chat.ErrInvalid)
	}
	return seq, nil
}

func (s *server) pin(_ http.ResponseWriter, r *http.Request) (any, error) {
	seq, err := seqOf(r)
	if err != nil {
		return nil, err
	}
	return nil, s.chat.Pin(r.Context(), r.PathValue("id"), seq)
}

func (s *server) unpin(_ http.ResponseWriter, r *http.Request) (any, error) {
	seq, err := seqOf(r)
	if err != nil {
		return nil, err
	}
	return nil, s.chat.Unpin(r.Context(), r.PathValue("id"), seq)
}

func (s *server) getConfig(http.ResponseWriter, *http.Request) (any, error) {
	return s.chat.Settings(), nil
}

// putConfig changes the settings. Fields that the body leaves out keep their values.
func (s *server) putConfig(_ http.ResponseWriter, r *http.Request) (any, error) {
	change, err := decode[settingsChange](r)
	if err != nil {
		return nil, err
	}
	s.configuring.Lock()
	defer s.configuring.Unlock()
	if err := s.chat.Configure(change.to(s.chat.Settings())); err != nil {
		return nil, err
	}
	return s.chat.Settings(), nil
}

// A settingsChange is a change of the settings. Fields that are nil keep their values.
type settingsChange struct {
	Total            *int  `json:"total_tokens"`
	Turns            *int  `json:"window_turns"`
	MaxMessageTokens *int  `json:"max_message_tokens"`
	Summary          *bool `json:"summary"`
	Memories         *bool `json:"memories"`
	Compression      *bool `json:"tool_result_compression"`
	Pinning          *bool `json:"instruction_pinning"`
	Extraction       *bool `json:"memory_extraction"`
}

// to applies the change.
func (n settingsChange) to(s chat.Settings) chat.Settings {
	change(&s.Total, n.Total)
	change(&s.Turns, n.Turns)
	change(&s.MaxMessageTokens, n.MaxMessageTokens)
	change(&s.Summary, n.Summary)
	change(&s.Memories, n.Memories)
	change(&s.Compression, n.Compression)
	change(&s.Pinning, n.Pinning)
	change(&s.Extraction, n.Extraction)
	return s
}

func change[T any](value *T, to *T) {
	if to != nil {
		*value = *to
	}
}
