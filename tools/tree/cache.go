package tree

import (
	"bytes"
	"errors"
	"hash/maphash"
	"io/fs"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// A stamp identifies the content of a file or directory: the hash of a file in a git tree, else size, times, and the
// inode if the system has one.
type stamp struct {
	size              int64
	modified, changed int64 // nanoseconds since 1970
	inode             uint64
	id                string // hash of the content
	regular           bool
}

func stampOf(info fs.FileInfo) stamp {
	s := stamp{size: info.Size(), modified: math.MaxInt64, regular: info.Mode().IsRegular()}
	if at := info.ModTime(); !at.IsZero() {
		s.modified = at.UnixNano()
	}
	s.id, _ = info.Sys().(string)
	return s
}

// settled is how old a modification time must be to identify the content. A file system clock may tick only every two
// seconds, and two writes within a tick leave the same time.
const settled = 2 * time.Second

// sure reports whether a stamp taken at now identifies the content.
func (s stamp) sure(now time.Time) bool {
	return s.id != "" || s.modified < now.Add(-settled).UnixNano()
}

// maxResident is how many bytes of contents and names a cache holds.
const maxResident = 256 << 20

// A cache keeps file contents and directory listings between the calls of a tree, and evicts the least recently used.
// An entry is valid while the file or directory has the same stamp. It is safe for concurrent use.
type cache struct {
	mu    sync.Mutex
	kept  *simplelru.LRU[string, *resident]
	most  int64 // bytes
	bytes int64
	sweep uint64        // number of the current sweep
	clock atomic.Uint64 // counts the views made

	seed maphash.Seed
	once map[uint64]struct{} // hashes of paths that were read once and not cached
}

// A resident is a cached file or directory. Once cached, only sweep and seen change, under the lock of the cache, and
// shown.
type resident struct {
	stamp   stamp
	content Content
	err     error // errBinary or errTooLarge, in place of the content
	names   []dirent
	cost    int64
	sweep   uint64                 // the last sweep that used it
	seen    uint64                 // clock before its stamp was compared last
	shown   atomic.Pointer[[]byte] // redacted content, computed on first use
}

func newCache() *cache {
	m := &cache{most: maxResident, seed: maphash.MakeSeed(), once: map[uint64]struct{}{}}
	// A positive size is never refused. Bytes are the bound, not entries.
	m.kept, _ = simplelru.NewLRU(math.MaxInt, func(_ string, r *resident) { m.bytes -= r.cost })
	return m
}

// startSweep begins a sweep. An entry is safe from eviction until the end of the sweep after its last use: in a tree
// larger than the cache, plain LRU would evict every file before its next use.
func (m *cache) startSweep() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep++
}

// recent returns the entry for p if the view has seen it, and whether p has an entry at all.
func (m *cache) recent(p string, v *view) (r *resident, has bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v == nil {
		return nil, m.kept.Contains(p)
	}
	if r, has = m.kept.Get(p); !has || r.seen < v.since {
		return nil, has
	}
	r.sweep = m.sweep
	return r, true
}

// first reports whether p was not read before.
func (m *cache) first(p string) bool {
	h := maphash.String(m.seed, p)
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, again := m.once[h]; again {
		return false
	}
	if len(m.once) < maxOnce {
		m.once[h] = struct{}{}
	}
	return true
}

// maxOnce is how many files read once a cache remembers, in 16 MB.
const maxOnce = 500_000

// get returns the entry for p if it has the stamp s, which was taken after the clock showed now.
func (m *cache) get(p string, s stamp, now uint64) *resident {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.kept.Get(p)
	if !ok {
		return nil
	}
	if r.stamp != s {
		m.kept.Remove(p)
		return nil
	}
	r.sweep, r.seen = m.sweep, now
	return r
}

func (m *cache) put(p string, r *resident) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r.cost += int64(len(p)) + perResident
	m.kept.Remove(p)
	for m.bytes+r.cost > m.most {
		_, oldest, ok := m.kept.GetOldest()
		if !ok || oldest.sweep+1 >= m.sweep {
			return
		}
		m.kept.RemoveOldest()
	}
	r.sweep = m.sweep
	m.kept.Add(p, r)
	m.bytes += r.cost
}

// perResident is about the overhead of a resident, in bytes.
const perResident = 600

// keep caches the outcome of reading a file, if the stamp identifies it, and returns it. The clock showed now before.
func (m *cache) keep(p string, s stamp, now uint64, c Content, err error) (Content, error) {
	if !s.regular || !s.sure(time.Now()) || err != nil && !errors.Is(err, errBinary) && !errors.Is(err, errTooLarge) {
		return c, err
	}
	r := &resident{stamp: s, seen: now, err: err}
	if err == nil {
		r.content = Content{Data: bytes.Clone(c.Data), Encoding: c.Encoding, path: p, kept: r}
		r.cost = int64(len(c.Data))
		c = r.content
	}
	m.put(p, r)
	return c, err
}

// perName is the overhead of a name in a listing, in bytes.
const perName = 32

func (m *cache) keepListing(key string, s stamp, now uint64, names []dirent) {
	if s.id != "" || s.regular || !s.sure(time.Now()) {
		return
	}
	r := &resident{stamp: s, seen: now, names: names}
	for _, e := range names {
		r.cost += int64(len(e.name)) + perName
	}
	m.put(key, r)
}
