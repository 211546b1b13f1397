package httpapi

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/forayhq/foray/contextwindow/memory/longterm"
)

// A wireMemory is a [longterm.Memory] as clients see it.
type wireMemory struct {
	ID           string            `json:"id"`
	User         string            `json:"user"`
	Category     longterm.Category `json:"category"`
	Content      string            `json:"content"`
	Importance   int               `json:"importance"`
	Accesses     int               `json:"access_count"`
	LastAccess   time.Time         `json:"last_access,omitzero"`
	Thread       string            `json:"thread,omitempty"`
	Message      string            `json:"message,omitempty"`
	Created      time.Time         `json:"created"`
	Updated      time.Time         `json:"updated"`
	SupersededBy string            `json:"superseded_by,omitempty"`
	Links        []string          `json:"links,omitempty"`
	Similarity   float64           `json:"similarity,omitempty"`
}

type memoryList struct {
	Memories []wireMemory `json:"memories"`
}

func memoryOf(m longterm.Memory) wireMemory {
	return wireMemory{
		ID: m.ID, User: m.User, Category: m.Category, Content: m.Content, Importance: m.Importance,
		Accesses: m.Accesses, LastAccess: m.LastAccess, Created: m.Created, Updated: m.Updated,
		Thread: m.Provenance.Thread, Message: m.Provenance.Message, SupersededBy: m.SupersededBy, Links: m.Links,
	}
}

// Default limit of a list of memories, and default similarity of a search.
const (
	defaultMemories   = 100
	defaultSimilarity = .6
)

// maxForget is how many memories one request may delete.
const maxForget = 1_000

// leastSimilarity asks for any similarity: 0 is the default of a longterm.Query.
const leastSimilarity = 1e-9

func (s *server) listMemories(_ http.ResponseWriter, r *http.Request) (any, error) {
	q := queryOf(r, "user", "query", "category", "limit", "min_similarity")
	limit, similarity := int(min(q.number("limit", 0), 1<<31)), q.share("min_similarity", defaultSimilarity)
	if err := q.err(); err != nil {
		return nil, err
	}
	user, text, category := q.values.Get("user"), q.values.Get("query"), longterm.Category(q.values.Get("category"))
	list := memoryList{[]wireMemory{}}
	if strings.TrimSpace(text) == "" {
		found, err := s.chat.Memories(user, category, cmp.Or(limit, defaultMemories))
		for _, m := range found {
			list.Memories = append(list.Memories, memoryOf(m))
		}
		return list, err
	}
	found, err := s.chat.SearchMemories(r.Context(), longterm.Query{
		User: user, Text: text, Category: category, Limit: limit, MinSimilarity: max(similarity, leastSimilarity)})
	for _, m := range found {
		w := memoryOf(m.Memory)
		w.Similarity = m.Similarity
		list.Memories = append(list.Memories, w)
	}
	return list, err
}

func (s *server) addMemory(_ http.ResponseWriter, r *http.Request) (any, error) {
	in, err := decode[struct {
		User       string            `json:"user"`
		Category   longterm.Category `json:"category"`
		Content    string            `json:"content"`
		Importance int               `json:"importance"`
	}](r)
	if err != nil {
		return nil, err
	}
	m, err := s.chat.Remember(r.Context(), longterm.Memory{
		User: in.User, Category: in.Category, Content: in.Content, Importance: in.Importance,
	})
	return memoryOf(m), err
}

func (s *server) deleteMemories(_ http.ResponseWriter, r *http.Request) (any, error) {
	q := queryOf(r, "id")
	if len(q.values["id"]) == 0 {
		q.errs = append(q.errs, errors.New("id is required; repeat it for several memories"))
	}
	if len(q.values["id"]) > maxForget {
		q.errs = append(q.errs, fmt.Errorf("at most %d ids at once", maxForget))
	}
	if err := q.err(); err != nil {
		return nil, err
	}
	return nil, s.chat.Forget(r.Context(), q.values["id"]...)
}
