package memory

import (
	"context"
	"errors"
	"iter"
	"time"
)

// ErrNoMemory is the error of an id that no memory has: it never was, or was deleted.
var ErrNoMemory = errors.New("no such memory")

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
	// Embedding is what the embedder made of Content, and Embedder the name of the one that did; both are empty with the
	// built-in similarity, which needs none.
	Embedding  []float32  `json:"embedding,omitempty"`
	Embedder   string     `json:"embedder,omitempty"`
	Provenance Provenance `json:"provenance,omitzero"`
	Created    time.Time  `json:"created,omitzero"`
	Updated    time.Time  `json:"updated,omitzero"`
	// SupersededBy is the id of the memory that says otherwise now; empty while this one holds.
	SupersededBy string `json:"superseded_by,omitempty"`
	// Links are the ids of memories that say something like it.
	Links []string `json:"links,omitempty"`
}

// A Provenance says where a memory comes from. Both parts are empty for one that a person wrote.
type Provenance struct {
	Thread  string `json:"thread,omitempty"`
	Message string `json:"message,omitempty"`
}

// An Embed turns texts into vectors, one each, all of one length. It is a call of a model: it may take long and fail.
type Embed func(ctx context.Context, texts []string) ([][]float32, error)

// A Store keeps memories beyond the process. A LongTerm reads it once, when it is made, and writes every change through
// before it shows; its calls of Put, Delete and Touch come one at a time. A Store that can do so is also a Toucher.
type Store interface {
	// All yields every memory of every user, superseded ones too, oldest first: by Created, then by id. An error is the
	// last pair.
	All(ctx context.Context) iter.Seq2[Memory, error]
	// Put keeps memories, each in place of the one that has its id: all of them or, with an error, none.
	Put(ctx context.Context, memories ...Memory) error
	// Delete removes memories for good: all of them or, with an error, none. Ids that are not there are passed over.
	Delete(ctx context.Context, ids ...string) error
}

// A Toucher is a Store that notes that memories were read, one more access of each at a time, without writing them whole.
// With a Store that is none, accesses are written by Put.
type Toucher interface {
	Touch(ctx context.Context, at time.Time, ids ...string) error
}
