package store

import (
	"context"
	"database/sql"

	"github.com/forayhq/foray/contextwindow/memory/longterm"
)

// Changes returns the memories that were added or changed after the change with a number, by whichever process, as they are
// now, the ids of those that were deleted, and the number of the last change. After a number below 0 there is only that.
func (m *Memories) Changes(ctx context.Context, after int64) (changed []longterm.Memory, deleted []string, last int64, err error) {
	err = m.store.read(ctx, "reading changes of memories", func(tx *sql.Tx) error {
		err := tx.QueryRow(`SELECT coalesce(max(n), 0) FROM memory_changes`).Scan(&last)
		if err != nil || after < 0 || last <= after {
			return err
		}
		changed, err = list(tx, scanMemory, `SELECT `+memoryColumns+` FROM memory_changes c JOIN memories m ON m.id = c.id
			WHERE c.n > ? ORDER BY c.n`, after)
		if err != nil {
			return err
		}
		deleted, err = list(tx, scanText, `SELECT id FROM memory_changes c WHERE n > ?
			AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = c.id) ORDER BY n`, after)
		return err
	})
	return changed, deleted, last, err
}
