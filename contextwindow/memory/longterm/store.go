package longterm

import (
	"context"
	"iter"
	"slices"
	"time"
)

// A Store keeps memories beyond the process. [Memories] read it once, when they are opened, and write every change
// through before it shows. They call Put, Delete and Touch one at a time, and with the memories of several callers at
// once. If the error has a method Timeout that returns true, they do not try again with those of each caller.
//
// A Store may have two more methods, as those of agent/store have:
//
//	Touch(ctx context.Context, at time.Time, ids ...string) error
//	Changes(ctx context.Context, after int64) (changed []Memory, deleted []string, last int64, err error)
//
// Touch counts an access of each memory; without it accesses are written by Put. Changes returns what other processes
// wrote after the change with a number: the memories that were added or changed, as they are now, the ids of deleted
// ones, and the number of the last change. With a number below 0 it returns only the last number. [Memories.Refresh]
// needs it.
type Store interface {
	// All yields every memory of every user, superseded ones too, oldest first: by Created, then by id. An error is the
	// last pair.
	All(ctx context.Context) iter.Seq2[Memory, error]
	// Put keeps memories, each in place of the one with its id: all of them or, with an error, none.
	Put(ctx context.Context, memories ...Memory) error
	// Delete removes memories for good: all of them or, with an error, none. Unknown ids are ignored.
	Delete(ctx context.Context, ids ...string) error
}

type toucher interface {
	Touch(ctx context.Context, at time.Time, ids ...string) error
}

type follower interface {
	Changes(ctx context.Context, after int64) (changed []Memory, deleted []string, last int64, err error)
}

// touch writes one more access of each memory to a store, which get returns as they are now.
func touch(ctx context.Context, to Store, at time.Time, ids []string, get func(id string) (Memory, error)) error {
	if t, ok := to.(toucher); ok {
		return t.Touch(ctx, at, ids...)
	}
	var read []Memory
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		if m, err := get(id); err == nil {
			read = append(read, m)
		}
	}
	return to.Put(ctx, read...)
}
