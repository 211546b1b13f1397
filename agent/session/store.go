package session

import (
	"context"
	"crypto/sha256"
	"errors"
	"iter"
)

// The errors of a [Store].
var (
	ErrConflict = errors.New("the session has changed") // another process has added records
	ErrInUse    = errors.New("the session is in use")   // another process runs it
	ErrUnknown  = errors.New("no such session")
	ErrNoBody   = errors.New("no such text") // of a [BodyStore]
)

// A Store keeps sessions. It is safe for concurrent use, also by several processes if it is not in memory. A method
// whose context has ended returns its error and does nothing. Package agent/session/sessiontest checks an
// implementation.
type Store interface {
	// AppendRecords adds records to a session, all of them or, with an error, none. They are durable when it returns
	// nil. It returns [ErrConflict] unless the session has exactly from records; with 0 it begins a session.
	AppendRecords(ctx context.Context, id string, from int, records ...Record) error

	// Records yields the records of a session in their order, from one state of the store. For an unknown session it
	// yields [ErrUnknown]. An error is the last pair.
	Records(ctx context.Context, id string) iter.Seq2[Record, error]

	// LockSession keeps others from running a session until unlock is called or the process ends. If another one runs
	// it, LockSession returns [ErrInUse] at once.
	LockSession(ctx context.Context, id string) (unlock func(), err error)
}

// An Opener is a [Store] that opens long sessions fast, since it can leave long texts where they are.
type Opener interface {
	// OpenRecords is Records, but the texts of long results ([contextwindow.Unit].Left) and values ([ToolRecord].Later)
	// may be missing and are read when they are needed. It yields an error if one does not exist. Whether one is
	// damaged shows when it is read.
	OpenRecords(ctx context.Context, id string) iter.Seq2[Record, error]
}

// A BodyStore keeps large texts outside of the database of a [Store], in a bucket for example. It is safe for
// concurrent use. What it keeps never changes: a hash names one text, and whoever reads it checks that.
type BodyStore interface {
	// PutBody keeps data under a hash. When it returns nil, the data is as durable as the store can make it. The same
	// data may be put again.
	PutBody(ctx context.Context, hash [sha256.Size]byte, data []byte) error

	// GetBody returns what was put under a hash, or [ErrNoBody] with the place where it should be.
	GetBody(ctx context.Context, hash [sha256.Size]byte) ([]byte, error)
}
