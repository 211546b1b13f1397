package symbols

import (
	"math"
	"os"
	"path/filepath"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Defaults and bounds of a [Cache].
const (
	maxMemory  = 64 << 20
	maxDisk    = 256 << 20
	maxPending = 16 << 20 // bytes waiting to be written
)

// A cacheStats counts the answers of a [Cache] by source.
type cacheStats struct {
	Memory int // answered from memory
	Disk   int // answered from disk
	Parsed int // parsed
}

// A Cache is [Of] with memory: it keeps symbols by the hash of the content, in memory and, across processes, on disk.
// The disk is only an optimisation: if a directory cannot be read or written, the disk is full, or entries are
// damaged or of another version, the cache works as if it had none. It is safe for concurrent use, and processes may
// share a directory.
type Cache struct {
	memory int64  // bytes to hold in it at most
	store  *store // nil: memory only

	mu      sync.Mutex
	kept    *simplelru.LRU[key, memo]
	bytes   int64
	pending map[key][]byte // encoded, not yet on disk
	waiting int64          // bytes of pending
	stats   cacheStats
	closed  bool
}

type memo struct {
	symbols []Symbol
	cost    int64
}

// UserDir is the directory for the cache of the user: foray/symbols below os.UserCacheDir.
func UserDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "foray", "symbols"), nil
}

// OpenCache opens the cache in directory dir, which the first write creates; "" means memory only. It holds up to 64
// MiB in memory and, over all versions and processes, 256 MiB on disk. [Cache.Close] writes to disk, and so does
// [Cache.Of] when much is waiting.
func OpenCache(dir string) *Cache { return openCache(dir, maxMemory, maxDisk) }

// openCache opens a cache with bounds in bytes.
func openCache(dir string, memory, disk int64) *Cache {
	c := &Cache{memory: memory, pending: map[key][]byte{}}
	// NewLRU only fails for a size below 1. The bound is in bytes, not entries.
	c.kept, _ = simplelru.NewLRU(math.MaxInt, func(_ key, m memo) { c.bytes -= m.cost })
	if dir != "" {
		c.store = openStore(dir, disk)
	}
	return c
}

// Of is the function [Of] with memory. Do not modify the returned slice, which is shared.
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

// Derived returns what [Cache.Derive] stored for src, or nil. Only the disk keeps it. Do not modify it.
func (c *Cache) Derived(kind string, src []byte) []byte {
	c.mu.Lock()
	disk := c.store != nil && !c.closed
	c.mu.Unlock()
	if !disk {
		return nil
	}
	var found []byte
	c.store.find(keyOf(kind, src), func(b []byte) bool {
		if !sealed(b) {
			return false
		}
		found = b[4:]
		return true
	})
	return found
}

// Derive stores value, which a caller computed from src and its definitions, beside them on disk. kind names and
// versions the computation; it must contain a slash, which no language does.
func (c *Cache) Derive(kind string, src, value []byte) {
	if c.store != nil {
		c.write(keyOf(kind, src), seal(append(make([]byte, 4, 4+len(value)), value...)))
	}
}

// Stats counts the answers of the cache.
func (c *Cache) Stats() cacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// Close writes pending symbols and closes the files. Of keeps working, without the disk. The error says why nothing
// could be written.
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
	var s []Symbol
	if !c.store.find(k, func(b []byte) (ok bool) { s, ok = decode(b); return ok }) {
		return nil, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Disk++
	c.keep(k, s)
	return s, true
}

// add keeps new symbols, and writes if many are waiting.
func (c *Cache) add(k key, s []Symbol) {
	var encoded []byte
	if c.store != nil {
		encoded = encode(s)
	}
	c.mu.Lock()
	c.stats.Parsed++
	c.keep(k, s)
	c.mu.Unlock()
	c.write(k, encoded)
}

// write puts an encoded entry in the queue, and writes the queue if it is long.
func (c *Cache) write(k key, encoded []byte) {
	c.mu.Lock()
	if c.store != nil && !c.closed && c.pending[k] == nil {
		c.pending[k] = encoded
		c.waiting += int64(len(encoded))
	}
	c.mu.Unlock()
	if batch := c.take(maxPending); len(batch) > 0 {
		_ = c.store.write(batch) // on failure the file is parsed again next time
	}
}

// take empties pending if it holds at least so many bytes.
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

// keep holds s in memory. The caller holds the lock.
func (c *Cache) keep(k key, s []Symbol) {
	m := memo{s, cost(s)}
	if m.cost > c.memory {
		return
	}
	c.kept.Remove(k)
	for c.bytes+m.cost > c.memory {
		c.kept.RemoveOldest()
	}
	c.kept.Add(k, m)
	c.bytes += m.cost
}

// cost is roughly what symbols take in memory, in bytes.
func cost(all []Symbol) int64 {
	const each, entry = 112, 200 // a Symbol without its strings; overhead of an entry
	n := int64(entry)
	for i := range all {
		s := &all[i]
		n += int64(each + len(s.Name) + len(s.Signature) + len(s.Doc))
	}
	return n
}
