package symbols

import (
	"cmp"
	"math"
	"os"
	"path/filepath"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Bounds of a Cache that CacheOptions leave open.
const (
	defaultMemory = 64 << 20
	defaultDisk   = 256 << 20
	maxPending    = 16 << 20 // bytes that wait to be written
)

// CacheOptions bound a Cache. nil and zero are the defaults.
type CacheOptions struct {
	Memory int64 // bytes in memory; 0: 64 MiB
	Disk   int64 // bytes on disk, of all versions and processes; 0: 256 MiB
}

// cacheStats counts what a Cache was asked for.
type cacheStats struct {
	Memory int // answered from memory
	Disk   int // answered from disk
	Parsed int // found in neither
}

// A Cache is Of with what it found before, by the hash of the content: in memory, and between processes on disk. What is on
// disk is never more than a saving: a directory that cannot be read or written, a full disk, and entries that are damaged
// or of another version are as if they were not there. It is safe for concurrent use, and several processes may share a
// directory.
type Cache struct {
	o     CacheOptions
	store *store // nil: in memory only

	mu      sync.Mutex
	kept    *simplelru.LRU[key, memo]
	bytes   int64
	pending map[key][]byte // encoded, not on disk yet
	waiting int64          // bytes of pending
	stats   cacheStats
	closed  bool
}

// A memo is symbols in memory.
type memo struct {
	symbols []Symbol
	cost    int64
}

// UserDir is where the cache of the user lies: foray/symbols below os.UserCacheDir. The error is that of the system.
func UserDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "foray", "symbols"), nil
}

// OpenCache opens the cache in the directory dir, which is made when something is written; "" keeps it in memory. What was
// found is written by Close, and before when much of it waits.
func OpenCache(dir string, o *CacheOptions) *Cache {
	c := &Cache{pending: map[key][]byte{}}
	if o != nil {
		c.o = *o
	}
	c.o.Memory = cmp.Or(c.o.Memory, defaultMemory)
	c.o.Disk = cmp.Or(c.o.Disk, defaultDisk)
	// The size cannot be refused: it is positive. Bytes are the bound, not the number.
	c.kept, _ = simplelru.NewLRU(math.MaxInt, func(_ key, m memo) { c.bytes -= m.cost })
	if dir != "" {
		c.store = openStore(dir, c.o.Disk)
	}
	return c
}

// Of is the function Of. The slice is shared and must not be changed.
func (c *Cache) Of(name string, src []byte) []Symbol {
	lang := Language(name)
	if lang == "" {
		return nil
	}
	k := keyOf(lang, src)
	if s, ok := c.find(k); ok {
		return s
	}
	s := Of(name, src)
	c.add(k, s)
	return s
}

// Stats tells how often the cache had the answer.
func (c *Cache) Stats() cacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// Close writes what is not on disk yet and lets go of the files. Of still answers, without the disk. The error says why
// nothing could be written.
func (c *Cache) Close() error {
	batch := c.take(0)
	c.mu.Lock()
	closed := c.closed
	c.closed = true
	c.mu.Unlock()
	if c.store == nil || closed {
		return nil
	}
	err := c.store.write(batch)
	c.store.close()
	return err
}

func (c *Cache) find(k key) ([]Symbol, bool) {
	c.mu.Lock()
	m, ok := c.kept.Get(k)
	disk := c.store != nil && !c.closed
	if ok {
		c.stats.Memory++
	}
	c.mu.Unlock()
	if ok || !disk {
		return m.symbols, ok
	}
	s, ok := c.store.find(k)
	if !ok {
		return nil, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Disk++
	c.keep(k, s)
	return s, true
}

// add takes what was parsed, and writes when much waits.
func (c *Cache) add(k key, s []Symbol) {
	var encoded []byte
	if c.store != nil {
		encoded = encode(s)
	}
	c.mu.Lock()
	c.stats.Parsed++
	c.keep(k, s)
	if c.store != nil && !c.closed && c.pending[k] == nil {
		c.pending[k] = encoded
		c.waiting += int64(len(encoded))
	}
	c.mu.Unlock()
	if batch := c.take(maxPending); len(batch) > 0 {
		_ = c.store.write(batch) // what cannot be written is parsed again the next time
	}
}

// take empties pending when it holds at least so many bytes.
func (c *Cache) take(least int64) map[key][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting < least || c.closed {
		return nil
	}
	batch := c.pending
	c.pending, c.waiting = map[key][]byte{}, 0
	return batch
}

// keep holds s in memory; the caller has the lock.
func (c *Cache) keep(k key, s []Symbol) {
	m := memo{s, cost(s)}
	if m.cost > c.o.Memory {
		return
	}
	c.kept.Remove(k)
	for c.bytes+m.cost > c.o.Memory {
		c.kept.RemoveOldest()
	}
	c.kept.Add(k, m)
	c.bytes += m.cost
}

// cost is about what symbols take in memory, in bytes.
func cost(all []Symbol) int64 {
	const each, entry = 112, 200 // a Symbol without its strings; the bookkeeping of an entry
	n := int64(entry)
	for i := range all {
		s := &all[i]
		n += int64(each + len(s.Name) + len(s.Signature) + len(s.Doc))
	}
	return n
}
