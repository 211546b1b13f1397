package symbols

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A store is a directory of packs. A pack is a file that is written once, gets its name only when it is complete, and
// never changes: entries, then an index sorted by key, then a footer. Its modification time is its last use. When the
// store exceeds its limit, the least recently used packs are deleted. A process writes one pack; many small packs are
// merged.
type store struct {
	dir     string
	limit   int64
	version string

	mu    sync.RWMutex
	packs []*pack
}

type pack struct {
	path  string
	file  *os.File
	size  int64
	index []byte // sorted entries of indexEntry bytes: key, offset, length
	used  atomic.Bool
}

const (
	packSuffix = ".pack"
	tempPrefix = ".new-"
	indexEntry = 16 + 4 + 4
	footerSize = 8 + 4 + 4 + 8 // offset of the index, number of entries, checksum of the index, mark
	packMark   = "foraysym"

	maxPacks   = 8           // of one version, before small ones are merged
	smallPack  = 8 << 20     // bytes
	maxPack    = 64 << 20    // bytes of a merged pack
	largest    = 4 * maxPack // bytes of the largest pack that is opened
	staleAfter = time.Hour
)

func openStore(dir string, limit int64) *store {
	s := &store{dir: dir, limit: limit, version: version()}
	entries, _ := os.ReadDir(dir) // none without the directory
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, s.version+"-") && strings.HasSuffix(name, packSuffix) {
			if p, err := openPack(filepath.Join(dir, name)); err == nil {
				s.packs = append(s.packs, p)
			}
		}
	}
	return s
}

// openPack opens a pack. It checks the kind of file first, because opening a FIFO would block forever.
func openPack(path string) (*pack, error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > largest {
		return nil, errDamaged
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	p := &pack{path: path, file: f}
	if err := p.readIndex(); err != nil {
		f.Close()
		return nil, err
	}
	return p, nil
}

var errDamaged = errors.New("damaged pack")

func (p *pack) readIndex() error {
	info, err := p.file.Stat()
	if err != nil {
		return err
	}
	if p.size = info.Size(); p.size < footerSize {
		return errDamaged
	}
	var footer [footerSize]byte
	if _, err := p.file.ReadAt(footer[:], p.size-footerSize); err != nil {
		return err
	}
	at, n := int64(binary.LittleEndian.Uint64(footer[:])), int64(binary.LittleEndian.Uint32(footer[8:]))
	if string(footer[16:]) != packMark || at < 0 || at+n*indexEntry+footerSize != p.size {
		return errDamaged
	}
	p.index = make([]byte, n*indexEntry)
	if _, err := p.file.ReadAt(p.index, at); err != nil {
		return err
	}
	if crc32.Checksum(p.index, castagnoli()) != binary.LittleEndian.Uint32(footer[12:]) {
		return errDamaged
	}
	return nil
}

func (p *pack) find(k key) []byte {
	n := len(p.index) / indexEntry
	i := sort.Search(n, func(i int) bool { return bytes.Compare(p.keyAt(i), k[:]) >= 0 })
	if i == n || !bytes.Equal(p.keyAt(i), k[:]) {
		return nil
	}
	b := p.read(i)
	p.used.Store(p.used.Load() || b != nil)
	return b
}

func (p *pack) keyAt(i int) []byte { return p.index[i*indexEntry : i*indexEntry+len(key{})] }

// read returns entry i, or nil if it cannot be read.
func (p *pack) read(i int) []byte {
	at := p.index[i*indexEntry+len(key{}):]
	offset, n := int64(binary.LittleEndian.Uint32(at)), int64(binary.LittleEndian.Uint32(at[4:]))
	if offset+n > p.size {
		return nil
	}
	b := make([]byte, n)
	if _, err := p.file.ReadAt(b, offset); err != nil {
		return nil
	}
	return b
}

// find passes the entries for k to accept, until it takes one, and reports whether it did.
func (s *store) find(k key, accept func([]byte) bool) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, p := range s.packs {
		if b := p.find(k); b != nil && accept(b) {
			return true
		}
	}
	return false
}

// write adds entries as a new pack, merged with small packs if there are many.
func (s *store) write(entries map[key][]byte) error {
	if len(entries) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.gather(entries)
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("writing the cache of symbols: %w", err)
	}
	path, err := s.save(entries)
	if err != nil {
		return fmt.Errorf("writing the cache of symbols: %w", err)
	}
	for _, p := range old {
		p.file.Close()
		_ = os.Remove(p.path) // another process may have removed it
		s.packs = slices.DeleteFunc(s.packs, func(o *pack) bool { return o == p })
	}
	if p, err := openPack(path); err == nil {
		s.packs = append(s.packs, p)
	}
	return nil
}

// gather adds the entries of small packs to entries if there are many such packs, and returns the packs.
func (s *store) gather(entries map[key][]byte) []*pack {
	if len(s.packs) < maxPacks {
		return nil
	}
	var old []*pack
	total := int64(0)
	for _, p := range s.packs {
		if p.size > smallPack || total+p.size > min(maxPack, s.limit/2) {
			continue
		}
		total += p.size
		old = append(old, p)
		for i := range len(p.index) / indexEntry {
			k := key(p.keyAt(i))
			if _, ok := entries[k]; ok {
				continue
			}
			if b := p.read(i); b != nil {
				entries[k] = b
			}
		}
	}
	return old
}

// save writes a pack and returns its path. It removes the file if that fails.
func (s *store) save(entries map[key][]byte) (path string, err error) {
	f, err := os.CreateTemp(s.dir, tempPrefix+"*")
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := writePack(f, entries); err != nil {
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	path = filepath.Join(s.dir, s.version+"-"+strings.TrimPrefix(filepath.Base(f.Name()), tempPrefix)+packSuffix)
	return path, os.Rename(f.Name(), path)
}

func writePack(f io.Writer, entries map[key][]byte) error {
	w := bufio.NewWriter(f)
	keys := slices.SortedFunc(maps.Keys(entries), func(a, b key) int { return bytes.Compare(a[:], b[:]) })
	index := make([]byte, 0, len(keys)*indexEntry)
	at := 0
	for _, k := range keys {
		index = append(index, k[:]...)
		index = binary.LittleEndian.AppendUint32(index, uint32(at))
		index = binary.LittleEndian.AppendUint32(index, uint32(len(entries[k])))
		at += len(entries[k])
		w.Write(entries[k]) // Flush returns the error
	}
	w.Write(index)
	footer := binary.LittleEndian.AppendUint64(nil, uint64(at))
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(keys)))
	footer = binary.LittleEndian.AppendUint32(footer, crc32.Checksum(index, castagnoli()))
	w.Write(append(footer, packMark...))
	return w.Flush()
}

// close marks the packs that were used, deletes excess packs, and closes the files.
func (s *store) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.packs {
		if p.used.Load() {
			now := time.Now()
			_ = os.Chtimes(p.path, now, now) // fails for a deleted pack, or one of another user
		}
		p.file.Close()
	}
	s.packs = nil
	s.trim()
}

// trim deletes the least recently used packs, of any version, until the rest is within the limit. It also deletes
// temporary files of killed processes.
func (s *store) trim() {
	names, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	var packs []fs.FileInfo
	total := int64(0)
	for _, e := range names {
		info, err := e.Info()
		switch {
		case err != nil || !info.Mode().IsRegular():
		case strings.HasPrefix(e.Name(), tempPrefix) && time.Since(info.ModTime()) > staleAfter:
			os.Remove(filepath.Join(s.dir, e.Name()))
		case strings.HasSuffix(e.Name(), packSuffix):
			packs = append(packs, info)
			total += info.Size()
		}
	}
	slices.SortFunc(packs, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
	for _, p := range packs {
		if total <= s.limit {
			return
		}
		if os.Remove(filepath.Join(s.dir, p.Name())) == nil {
			total -= p.Size()
		}
	}
}
