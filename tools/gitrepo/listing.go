package gitrepo

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/forayhq/foray/internal/line"
)

// A listing holds every entry of a tree. Entry 0 is the root. It does not change.
type listing struct {
	entries []entry
	hashes  []byte    // width bytes per entry
	width   int       // bytes of a hash
	kids    [][]int32 // of directories, sorted by name
	refused int       // entries with impossible names
	cut     string    // why the listing is not the whole tree; empty if it is
	absent  int       // blobs that the repository lacks
}

// An entry is one name in a tree. Memory may hold a million of them.
type entry struct {
	name string
	size int64 // of blobs; -1: unknown
	kids int32 // of directories: index into listing.kids
	kind kind
}

type kind uint8

const (
	file kind = iota
	executable
	link
	directory
	submodule
)

// Bounds of a listing. A few kilobytes of objects can describe a nearly endless tree, because trees may share objects.
// The rest of a tree beyond a bound is left out, which [Tree.Partial] says.
const (
	maxEntries = 1 << 20
	maxNames   = 64 << 20         // bytes of all names
	maxPath    = 4 << 10          // bytes of one path; a longer one is left out and counted
	maxListing = 10 * time.Second // for the listing
)

// maxLine is the longest line of ls-tree, in bytes.
const maxLine = 1 << 20

type row struct {
	kind kind
	hash []byte // hexadecimal
	size int64
	path []byte
}

// modes maps the modes of git to kinds.
var modes = map[string]kind{
	"100644": file, "100664": file, "100755": executable, "120000": link, "040000": directory, "160000": submodule,
}

var errRow = errors.New("listing a tree: unexpected output of git")

// parseRow reads "<mode> SP <type> SP <hash> SP <size> TAB <path>". The size is "-" for anything but a blob, and "BAD"
// for a missing blob.
func parseRow(text []byte) (row, error) {
	head, path, ok := bytes.Cut(text, []byte{'\t'})
	fields := bytes.Fields(head)
	if !ok || len(fields) < 3 || len(fields) > 4 || !isHash(string(fields[2])) || len(path) == 0 {
		return row{}, errRow
	}
	k, known := modes[string(fields[0])]
	if !known {
		return row{}, errRow
	}
	r := row{kind: k, hash: fields[2], size: -1, path: path}
	if k == directory || k == submodule {
		r.size = 0
	} else if len(fields) == 4 {
		if n, err := strconv.ParseInt(string(fields[3]), 10, 64); err == nil && n >= 0 {
			r.size = n
		}
	}
	return r, nil
}

// A lister builds a listing from the rows of a tree. A directory comes before its contents.
type lister struct {
	listing
	open  []openDirectory // from the root to the directory of the last row
	names int             // bytes of all names
}

type openDirectory struct {
	path string
	kids int32
}

// readListing reads the output of ls-tree -r -t -l -z. With an error, the listing has what came before it.
func readListing(from io.Reader, hashLength int) (*listing, error) {
	l := &lister{listing: listing{width: hashLength / 2, kids: [][]int32{nil}}}
	l.entries = append(l.entries, entry{name: ".", kind: directory})
	l.hashes = append(l.hashes, make([]byte, l.width)...)
	l.open = []openDirectory{{"", 0}}
	err := l.read(bufio.NewReaderSize(from, maxLine))
	l.sort()
	return &l.listing, err
}

// read adds all rows. The error is errEnough beyond a bound.
func (l *lister) read(in *bufio.Reader) error {
	for {
		text, err := in.ReadSlice(0)
		switch {
		case err == io.EOF && len(text) == 0:
			return nil
		case errors.Is(err, bufio.ErrBufferFull): // no system has so long a path
			l.refused++
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = in.ReadSlice(0)
			}
			if err != nil {
				return fmt.Errorf("listing a tree: %w", err)
			}
			continue
		case err != nil:
			return fmt.Errorf("listing a tree: %w", err)
		}
		r, err := parseRow(text[:len(text)-1])
		if err == nil {
			err = l.add(r)
		}
		if err != nil {
			return err
		}
	}
}

// add adds one row. It skips and counts a name that no directory can have, and everything below it.
func (l *lister) add(r row) error {
	switch {
	case len(r.hash) != 2*l.width:
		return errRow
	case len(l.entries) > maxEntries || l.names > maxNames:
		l.cut = fmt.Sprintf("the tree has more than %s entries, and the rest was not looked at", line.Number(len(l.entries)-1))
		return errEnough
	case len(r.path) > maxPath:
		l.refused++
		return nil
	}
	dir, name := "", string(r.path)
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		dir, name = name[:i], strings.Clone(name[i+1:])
	}
	l.names += len(name)
	for len(l.open) > 1 && !isAt(dir, l.open[len(l.open)-1].path) {
		l.open = l.open[:len(l.open)-1]
	}
	parent := l.open[len(l.open)-1]
	if parent.path != dir || name == "" || name == "." || name == ".." {
		l.refused++
		return nil
	}
	e := entry{name: name, size: r.size, kind: r.kind}
	if e.isDir() {
		e.kids = int32(len(l.kids))
		l.kids = append(l.kids, nil)
		l.open = append(l.open, openDirectory{string(r.path), e.kids})
	}
	l.kids[parent.kids] = append(l.kids[parent.kids], int32(len(l.entries)))
	l.entries = append(l.entries, e)
	hash, err := hex.AppendDecode(l.hashes, r.hash)
	l.hashes = hash
	return err
}

// isAt reports whether directory dir is other or below it.
func isAt(dir, other string) bool {
	return dir == other || len(dir) > len(other) && dir[len(other)] == '/' && dir[:len(other)] == other
}

// sort sorts each directory by name, which git does not do exactly, and drops duplicate names.
func (l *lister) sort() {
	for i, kids := range l.kids {
		slices.SortStableFunc(kids, func(a, b int32) int { return strings.Compare(l.entries[a].name, l.entries[b].name) })
		once := slices.CompactFunc(kids, func(a, b int32) bool { return l.entries[a].name == l.entries[b].name })
		l.refused += len(kids) - len(once)
		l.kids[i] = slices.Clip(once)
	}
	l.entries, l.hashes = slices.Clip(l.entries), slices.Clip(l.hashes)
}

// find returns the entry with a name in a directory.
func (l *listing) find(dir int32, name string) (int32, bool) {
	kids := l.kids[l.entries[dir].kids]
	i, ok := slices.BinarySearchFunc(kids, name, func(k int32, name string) int {
		return strings.Compare(l.entries[k].name, name)
	})
	if !ok {
		return 0, false
	}
	return kids[i], true
}

func (l *listing) hashOf(i int32) string {
	return hex.EncodeToString(l.hashes[int(i)*l.width : (int(i)+1)*l.width])
}

func (e *entry) isDir() bool { return e.kind == directory || e.kind == submodule }
