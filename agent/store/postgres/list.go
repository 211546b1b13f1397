package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// An Info is what a list shows of a session.
type Info struct {
	ID      string
	Records int
	Created time.Time
	Updated time.Time // when records were last added
}

// List returns sessions, last updated first. It skips offset sessions and returns at most limit.
func (s *Store) List(ctx context.Context, offset, limit int) ([]Info, error) {
	rows, err := s.pool.Query(ctx, `SELECT id, records, created, updated FROM sessions ORDER BY updated DESC, id
		LIMIT $1 OFFSET $2`, max(0, limit), max(0, offset))
	if err != nil {
		return nil, fmt.Errorf("listing sessions: %w", err)
	}
	var list []Info
	var id []byte
	var i Info
	_, err = pgx.ForEachRow(rows, []any{&id, &i.Records, &i.Created, &i.Updated}, func() error {
		i.ID, i.Created, i.Updated = string(id), i.Created.UTC(), i.Updated.UTC()
		list = append(list, i)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing sessions: %w", err)
	}
	return list, nil
}
