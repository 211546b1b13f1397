package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/store/internal/packed"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

// requests bounds the requests to the store of bodies that one call makes at a time.
const requests = 8

// putElsewhere puts large texts that the database does not know into the store of bodies, and leaves them out of the
// batch. That comes before the transaction: a text that no record refers to does no harm, a missing one would.
func (s *Store) putElsewhere(ctx context.Context, b *batch) error {
	var large [][]byte
	data := make(map[packed.Hash][]byte)
	for i, hash := range b.hashes {
		if s.elsewhere != nil && b.sizes[i] >= int64(s.large) {
			large = append(large, hash)
			data[packed.Hash(hash)], b.bodies[i] = b.bodies[i], nil
		}
	}
	if len(large) == 0 {
		return nil
	}
	rows, err := s.pool.Query(ctx, `SELECT hash FROM bodies WHERE hash = ANY ($1)`, large)
	if err != nil {
		return err
	}
	var known []byte
	if _, err := pgx.ForEachRow(rows, []any{&known}, func() error {
		delete(data, packed.Hash(known))
		return nil
	}); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(requests)
	for hash, data := range data {
		group.Go(func() error {
			if err := s.elsewhere.PutBody(ctx, hash, data); err != nil {
				return fmt.Errorf("storing body %x: %w", hash, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// getElsewhere reads texts from the store of bodies, given their sizes in bytes.
func (s *Store) getElsewhere(ctx context.Context, sizes map[packed.Hash]int64, into map[packed.Hash]string) error {
	if len(sizes) > 0 && s.elsewhere == nil {
		return errors.New("large texts are in a store of bodies: open the database with Options.Bodies")
	}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(requests)
	for hash, size := range sizes {
		group.Go(func() error {
			data, err := s.elsewhere.GetBody(ctx, hash)
			switch {
			case errors.Is(err, session.ErrNoBody):
				return fmt.Errorf("%w: body %x is missing: %w", ErrDamaged, hash, err)
			case err != nil:
				return fmt.Errorf("reading body %x: %w", hash, err)
			}
			text, err := textOf(hash, size, data)
			mu.Lock()
			defer mu.Unlock()
			into[hash] = text
			return err
		})
	}
	return group.Wait()
}
