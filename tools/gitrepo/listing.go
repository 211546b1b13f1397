package gitrepo

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/tools"
)

// A listing holds every entry of a tree. Entry 0 is the root. It does not change.
type listing struct {
	entries []entry
	hashes  []byte    // width bytes per entry
	width   int       // bytes of a hash
	kids    [][]int32 // of directories, sorted by name
	refused int       // entries with impossible names

	partial *tools.Problem // why this is not the whole tree; nil if it is
}

// An entry is one name in a tree. Memory may hold a million of them.
type entry struct {
	name string
	size int64 // of blobs; [absent] or [unasked] if below 0
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
	maxEntries = 600_000
	maxNames   = 64 << 20         // bytes of all names
	maxPath    = 4 << 10          // bytes of one path; a longer one is left out and counted
	maxListing = 20 * time.Second // for the names, and again for the sizes
)

// maxLine is the longest line of ls-tree, in bytes.
const maxLine = 1 << 20

type row struct {
	kind kind
	hash []byte // hexadecimal
	path []byte
}

// Sizes of blobs without one.
const (
	absent  = -1 // the repository lacks the object, or it is damaged
	unasked = -2 // the listing does not know it yet
)

// modes maps the modes of git to kinds.
var modes = map[string]kind{
	"100644": file, "100664": file, "100755": executable, "120000": link, "040000": directory, "160000": submodule,
}

var errRow = errors.New("listing a tree: unexpected output from git")

// parseRow reads "<mode> SP <type> SP <hash> TAB <path>".
func parseRow(text []byte) (row, error) {
	head, path, ok := bytes.Cut(text, []byte{'\t'})
	fields := bytes.Fields(head)
	if !ok || len(fields) != 3 || !isHash(string(fields[2])) || len(path) == 0 {
		return row{}, errRow
	}
	k, known := modes[string(fields[0])]
	if !known {
		return row{}, errRow
	}
	return row{kind: k, hash: fields[2], path: path}, nil
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

// readListing reads the output of ls-tree -r -t -z. With an error, the listing has what came before it.
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
		l.partial = tooMany(len(l.entries) - 1)
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
	e := entry{name: name, size: unasked, kind: r.kind}
	if e.isDir() {
		e.size = 0
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

// truncate drops the entries from the nth on.
func (l *listing) truncate(n int) {
	for i, kids := range l.kids {
		l.kids[i] = slices.DeleteFunc(kids, func(k int32) bool { return int(k) >= n })
	}
	l.entries, l.hashes = l.entries[:n], l.hashes[:n*l.width]
}

// walk visits the entries below a directory with their paths, until visit returns false.
func (l *listing) walk(dir int32, at string, visit func(i int32, path string) bool) bool {
	for _, i := range l.kids[l.entries[dir].kids] {
		path := at + l.entries[i].name
		if !visit(i, path) || l.entries[i].isDir() && !l.walk(i, path+"/", visit) {
			return false
		}
	}
	return true
}

func (l *listing) hashOf(i int32) string {
	return hex.EncodeToString(l.hashes[int(i)*l.width : (int(i)+1)*l.width])
}

func (e *entry) isDir() bool { return e.kind == directory || e.kind == submodule }
