package longterm

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// ErrNotFound is the error of an id that no memory has.
var ErrNotFound = errors.New("no such memory")

// A Category is what kind of thing a memory says.
type Category string

// The categories of memories.
const (
	UserPreference Category = "user_preference"
	ProjectContext Category = "project_context"
	Fact           Category = "fact"
	Skill          Category = "skill"
)

// Categories returns the categories in the order in which they are shown.
func Categories() []Category { return []Category{UserPreference, ProjectContext, Fact, Skill} }

// A Memory is one statement that outlives its conversation. As JSON it is a line of an export.
type Memory struct {
	ID         string    `json:"id"`
	User       string    `json:"user,omitempty"`
	Category   Category  `json:"category"`
	Content    string    `json:"content"`
	Importance int       `json:"importance"` // 1 to 10
	Accesses   int       `json:"access_count"`
	LastAccess time.Time `json:"last_access,omitzero"`
	// Embedding is the vector of Content, and Embedder the name of the embedder that made it. Both are empty without one.
	Embedding    []float32  `json:"embedding,omitempty"`
	Embedder     string     `json:"embedder,omitempty"`
	Provenance   Provenance `json:"provenance,omitzero"`
	Created      time.Time  `json:"created,omitzero"`
	Updated      time.Time  `json:"updated,omitzero"`
	SupersededBy string     `json:"superseded_by,omitempty"` // id of the memory that replaced it; empty while it holds
	Links        []string   `json:"links,omitempty"`         // ids of similar memories
}

// A Provenance says where a memory comes from. It is zero for a memory that a person wrote.
type Provenance struct {
	Thread  string `json:"thread,omitempty"`
	Message string `json:"message,omitempty"`
}

// The limits and defaults of a memory. Longer texts belong into documents.
const (
	maxContent        = 4000 // characters
	defaultImportance = 5
)

// Check returns an error that says why a memory cannot be saved.
func (m *Memory) Check() error {
	switch n := utf8.RuneCountInString(m.Content); {
	case strings.TrimSpace(m.Content) == "":
		return errors.New("a memory needs a content")
	case n > maxContent:
		return fmt.Errorf("the memory has %d characters, more than %d", n, maxContent)
	case !utf8.ValidString(m.Content):
		return errors.New("the content of the memory is not UTF-8")
	case !slices.Contains(Categories(), m.Category):
		return fmt.Errorf("unknown category %q; want one of %q", m.Category, Categories())
	case m.Importance < 1 || m.Importance > 10:
		return fmt.Errorf("importance %d is not from 1 to 10", m.Importance)
	}
	return nil
}

// newID returns an id made of what a memory says, whose it is, and when it was made.
func newID(m Memory) string {
	sum := sha256.Sum256([]byte(strings.Join(
		[]string{m.User, string(m.Category), m.Content, m.Created.UTC().Format(time.RFC3339Nano)}, "\x00")))
	return "m" + hex.EncodeToString(sum[:8])
}

// sameText reports whether two states of a memory differ at most in their accesses.
func (m *Memory) sameText(o *Memory) bool {
	return m.Updated.Equal(o.Updated) && m.Content == o.Content && m.Importance == o.Importance &&
		m.Category == o.Category && m.SupersededBy == o.SupersededBy && m.Embedder == o.Embedder &&
		slices.Equal(m.Links, o.Links)
}
