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
	list := struct {
		Threads []wireThread `json:"threads"`
	}{make([]wireThread, len(threads))}
	for i, t := range threads {
		list.Threads[i] = threadOf(t)
	}
	return list, err
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
	return threadOf(t), err
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
	return messageList{messagesOf(ms)}, err
}

func (s *server) getContext(_ http.ResponseWriter, r *http.Request) (any, error) {
	c, err := s.as(r)
	if err != nil {
		return nil, err
	}
	report, err := c.Inspect(r.Context(), r.PathValue("id"))
	return contextOf(report), err
}

func (s *server) compact(_ http.ResponseWriter, r *http.Request) (any, error) {
	return s.chat.Compact(r.Context(), r.PathValue("id"))
}

func (s *server) getSummary(_ http.ResponseWriter, r *http.Request) (any, error) {
	sum, err := s.chat.Summary(r.Context(), r.PathValue("id"))
	if err == nil && sum.Text == "" {
		err = &problem{Status: http.StatusNotFound, Detail: "the thread has no summary yet"}
	}
	return sum, err
}

func (s *server) deleteSummary(_ http.ResponseWriter, r *http.Request) (any, error) {
	return nil, s.chat.ResetSummary(r.Context(), r.PathValue("id"))
}

func (s *server) warm(_ http.ResponseWriter, r *http.Request) (any, error) {
	c, err := s.as(r)
	if err != nil {
		return nil, err
	}
	return nil, c.Warm(r.Context(), r.PathValue("id"))
}

func (s *server) undo(_ http.ResponseWriter, r *http.Request) (any, error) {
	ms, err := s.chat.Undo(r.Context(), r.PathValue("id"))
	return messageList{messagesOf(ms)}, err
}

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

// as returns the chat with the agent that the request names; without one, that of the thread.
func (s *server) as(r *http.Request) (*chat.Chat, error) {
	q := queryOf(r, "agent")
	return s.chat.As(q.values.Get("agent")), q.err()
}

func (s *server) getConfig(http.ResponseWriter, *http.Request) (any, error) {
	return settingsOf(s.chat.Settings()), nil
}

// putConfig changes the settings. Fields that the body leaves out keep their values; a list of agents replaces all.
func (s *server) putConfig(_ http.ResponseWriter, r *http.Request) (any, error) {
	body, err := read(r)
	if err != nil {
		return nil, err
	}
	s.configuring.Lock()
	defer s.configuring.Unlock()
	settings := s.chat.Settings()
	agents := settings.Agents
	settings.Agents = nil
	if err := parse(body, &settings); err != nil {
		return nil, err
	}
	if settings.Agents == nil {
		settings.Agents = agents
	}
	if err := s.chat.Configure(settings); err != nil {
		return nil, err
	}
	return settingsOf(s.chat.Settings()), nil
}
