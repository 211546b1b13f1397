package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/memory/summary"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// Errors of a [Store].
var (
	ErrNoThread     = errors.New("no such thread")
	ErrThreadExists = errors.New("a thread with this id exists")
	ErrConflict     = errors.New("changed by another process meanwhile")
)

// A Thread is one conversation.
type Thread struct {
	ID      string          `json:"id"`              // see [CheckThreadID]
	User    string          `json:"user,omitempty"`  // whose memories it uses and adds to
	Title   string          `json:"title,omitempty"` // for people
	Created time.Time       `json:"created"`
	Updated time.Time       `json:"updated"`         // last saved or appended to
	State   json.RawMessage `json:"state,omitempty"` // private to the [Chat]: pins, active task

	Messages int   `json:"messages"` // their number; kept by the Store
	Last     int64 `json:"last"`     // number of the last message, 0: none; kept by the Store
}

// A Message is one message of a thread. The Name of an answer is the [Persona] that gave it; "": the agent of the
// [Config].
type Message struct {
	Seq     int64     `json:"seq"` // from 1, ascending, never reused; kept by the Store
	Time    time.Time `json:"time"`
	Partial bool      `json:"partial,omitempty"` // the answer broke off, or hit its length limit
	transcript.Message
}

// An InUseError says that another process writes to a thread. It changed nothing; a later attempt may succeed.
type InUseError struct {
	Thread  string
	PID     int           // of the process; 0: unknown, and so are the fields below
	Host    string        // that it runs on
	Command string        // such as "foray serve"
	Since   time.Time     // when its turn or its change began
	Waited  time.Duration // for it
}

// Error names the thread and the process.
func (e *InUseError) Error() string {
	waited := fmt.Sprintf("waited %s for it", e.Waited.Round(100*time.Millisecond))
	if e.PID == 0 {
		return fmt.Sprintf("another process writes to thread %s; %s", label(e.Thread), waited)
	}
	return fmt.Sprintf("%s (process %d on %s) writes to thread %s since %s; %s", e.Command, e.PID, e.Host, label(e.Thread),
		e.Since.Local().Format("15:04:05"), waited)
}

// A Store keeps threads, their messages and their summaries. It is safe for concurrent use. Each method does all of its
// work or, with an error, none of it. Unless a comment says otherwise, an unknown thread is [ErrNoThread].
//
// If several processes can open the same threads, two guards keep their turns apart. LockThread lets one process at a
// time answer in a thread. SaveThread and TruncateMessages compare the thread's last message with the one that the
// caller knows, in the transaction that writes: a writer that lost its lock, or that a store without locks let in,
// gets [ErrConflict] and never mixes its messages with another's.
type Store interface {
	// LockThread returns when no other holder of the lock of a thread is left, in this process or another, and the caller
	// holds it until it calls unlock. The thread need not exist. After wait the error is an [*InUseError], even at once if
	// wait is not positive; ctx also ends the wait. The lock of a killed process is free. That of a process that lives,
	// even if it is stopped, is never taken from it. A Store that only one process can open need not lock anything.
	LockThread(ctx context.Context, id string, wait time.Duration) (unlock func(), err error)

	// CreateThread adds a thread without messages. The error is [ErrThreadExists], or that of [CheckThreadID].
	CreateThread(ctx context.Context, t Thread) error
	// Thread returns a thread.
	Thread(ctx context.Context, id string) (Thread, error)
	// Threads returns the threads of a user, or of all users if it is "", last updated first, then by id. It skips offset
	// threads and returns at most limit.
	Threads(ctx context.Context, user string, offset, limit int) ([]Thread, error)
	// SaveThread replaces User, Title, Updated and State of a thread and appends messages, which it numbers and returns.
	// If the thread's last message is not the one numbered t.Last (0: none), the error is [ErrConflict].
	SaveThread(ctx context.Context, t Thread, ms ...Message) ([]Message, error)
	// DeleteThread removes a thread with its messages and its summary for good.
	DeleteThread(ctx context.Context, id string) error

	// Messages returns the oldest messages after the one numbered after, ascending, at most limit.
	Messages(ctx context.Context, thread string, after int64, limit int) ([]Message, error)
	// TruncateMessages is SaveThread that removes the messages numbered from or higher for good, and a summary that covers
	// one of them. Their numbers are not reused.
	TruncateMessages(ctx context.Context, t Thread, from int64) error

	// After returns the same messages as Messages, for summaries. An unknown thread has none.
	After(ctx context.Context, thread string, seq int64, limit int) ([]summary.Message, error)
	// Recent returns the newest messages, as [contextbuilder.Config].Recent.
	Recent(ctx context.Context, thread string, before int64, limit int) ([]contextbuilder.Message, error)
	summary.Store
}

// ErrInvalid says that an argument is invalid: a malformed id, an empty text, a number out of range.
var ErrInvalid = errors.New("bad request")

var threadID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// CheckThreadID returns an error for an invalid thread id: one that is not 1 to 64 letters, digits, "_", "-" and ".",
// or does not start with a letter or digit. A [Store] refuses it.
func CheckThreadID(id string) error {
	if !threadID.MatchString(id) {
		return fmt.Errorf("%w: a thread id is 1 to 64 letters, digits, _, - and ., and starts with a letter or digit",
			ErrInvalid)
	}
	return nil
}

// Limits of names, in bytes, and of lists.
const (
	maxUser  = 256
	maxTitle = 1_024
	maxList  = 1_000
)

func checkText(name, text string, limit int) error {
	switch {
	case len(text) > limit:
		return fmt.Errorf("%w: %s has %d bytes, the limit is %d", ErrInvalid, name, len(text), limit)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return fmt.Errorf("%w: %s is not UTF-8 text", ErrInvalid, name)
	}
	return nil
}

// label returns a thread id for an error text. It quotes and shortens an invalid one.
func label(id string) string {
	if CheckThreadID(id) != nil {
		return fmt.Sprintf("%.70q", id)
	}
	return id
}
