package chat

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/memory/summary"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// What a Store can find wrong with what it is asked.
var (
	ErrNoThread     = errors.New("no such thread")
	ErrThreadExists = errors.New("there is a thread with this id")
	ErrConflict     = errors.New("the thread has other messages by now") // somebody else wrote to it
)

// A Thread is one conversation.
type Thread struct {
	ID      string          `json:"id"`              // of 1 to 64 letters, digits, "_", "-" and "."; the first is a letter or digit
	User    string          `json:"user,omitempty"`  // whose memories it may use, and adds to
	Title   string          `json:"title,omitempty"` // for people
	Created time.Time       `json:"created"`
	Updated time.Time       `json:"updated"`         // when it was last saved or appended to
	State   json.RawMessage `json:"state,omitempty"` // what a Chat keeps with it: pins and the active task

	Messages int   `json:"messages"` // that it has; kept by the Store
	Last     int64 `json:"last"`     // number of the last of them, 0: none; kept by the Store
}

// A Message is one message of a thread.
type Message struct {
	Seq     int64     `json:"seq"` // from 1, ascending in its thread, never given twice; kept by the Store
	Time    time.Time `json:"time"`
	Partial bool      `json:"partial,omitempty"` // an answer that broke off, or was cut off by its length
	Images  int       `json:"images,omitempty"`  // 1,000 tokens each
	transcript.Message
}

// A Store keeps threads, their messages and their summaries. Implementations are safe for concurrent use, and each
// method does all of what it is asked or, with an error, nothing. Recent and After are those of the interfaces embedded:
// they give the same messages.
type Store interface {
	ThreadStore
	MessageStore
	contextbuilder.Threads
	summary.Store
	// After returns the oldest messages of a thread that are newer than the one numbered seq, at most limit of them,
	// ascending. A thread that does not exist has none.
	After(ctx context.Context, thread string, seq int64, limit int) ([]summary.Message, error)
}

// A ThreadStore keeps threads without their messages.
type ThreadStore interface {
	// CreateThread adds a thread without messages: ErrThreadExists if its id is taken, and an error if CheckThreadID has one.
	CreateThread(ctx context.Context, t Thread) error
	// Thread returns a thread: ErrNoThread if there is none.
	Thread(ctx context.Context, id string) (Thread, error)
	// Threads returns the threads of a user, of all users if it is "", the last updated first and of equal times by id; at
	// most limit of them, after leaving out the first offset.
	Threads(ctx context.Context, user string, offset, limit int) ([]Thread, error)
	// SaveThread replaces User, Title, Updated and State of a thread: ErrNoThread if there is none.
	SaveThread(ctx context.Context, t Thread) error
	// DeleteThread removes a thread with its messages and its summary, for good: ErrNoThread if there is none.
	DeleteThread(ctx context.Context, id string) error
}

// A MessageStore keeps the messages of threads.
type MessageStore interface {
	// AppendMessages numbers messages and adds them to a thread, all at once, and sets its Updated to the time of the last.
	// It returns ErrNoThread if there is no such thread, and ErrMoved if the last message of the thread is not the one
	// numbered last, 0 for none.
	AppendMessages(ctx context.Context, thread string, last int64, ms ...Message) ([]Message, error)
	// Messages returns the oldest messages of a thread that are newer than the one numbered after, at most limit of them,
	// ascending: ErrNoThread if there is no such thread.
	Messages(ctx context.Context, thread string, after int64, limit int) ([]Message, error)
	// TruncateMessages removes the messages of a thread that are numbered from or higher, for good, and a
	// summary that covers one of them. Their numbers are not given again. It returns ErrNoThread if there is no such thread.
	TruncateMessages(ctx context.Context, thread string, from int64) error
}
