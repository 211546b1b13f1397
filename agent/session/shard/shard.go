package shard

import (
	"context"
	"errors"
	"hash/fnv"
	"iter"
	"maps"
	"slices"

	"github.com/forayhq/foray/agent/session"
)

// Place returns which of the shards has a session: the one whose name, hashed with the id, is the highest (rendezvous
// hashing). The order of the names does not matter. Without shards it is "".
func Place(id string, shards []string) (place string) {
	key, best := hash(id), uint64(0)
	for _, name := range shards {
		if score := mix(key ^ hash(name)); place == "" || score > best || score == best && name > place {
			place, best = name, score
		}
	}
	return place
}

// hash is FNV-1a, mixed: it must be the same in each process and version.
func hash(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // never fails
	return mix(h.Sum64())
}

// mix is the finalizer of SplitMix64: each bit of the result depends on all bits.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// A Store is a [session.Store] over several. It is as safe for concurrent use as they are.
type Store struct {
	names  []string
	shards map[string]session.Store
}

var (
	_ session.Store  = (*Store)(nil)
	_ session.Opener = (*Store)(nil)
)

// New returns a store over others, by names that must never change: a shard that is named differently has other
// sessions.
func New(shards map[string]session.Store) (*Store, error) {
	if len(shards) == 0 {
		return nil, errors.New("no shards")
	}
	for name, s := range shards {
		if name == "" || s == nil {
			return nil, errors.New("a shard needs a name and a store")
		}
	}
	return &Store{slices.Sorted(maps.Keys(shards)), maps.Clone(shards)}, nil
}

func (s *Store) of(id string) session.Store { return s.shards[Place(id, s.names)] }

// AppendRecords implements [session.Store].
func (s *Store) AppendRecords(ctx context.Context, id string, from int, records ...session.Record) error {
	return s.of(id).AppendRecords(ctx, id, from, records...)
}

// Records implements [session.Store].
func (s *Store) Records(ctx context.Context, id string) iter.Seq2[session.Record, error] {
	return s.of(id).Records(ctx, id)
}

// OpenRecords implements [session.Opener] for shards that do.
func (s *Store) OpenRecords(ctx context.Context, id string) iter.Seq2[session.Record, error] {
	if o, is := s.of(id).(session.Opener); is {
		return o.OpenRecords(ctx, id)
	}
	return s.Records(ctx, id)
}

// LockSession implements [session.Store].
func (s *Store) LockSession(ctx context.Context, id string) (unlock func(), err error) {
	return s.of(id).LockSession(ctx, id)
}
