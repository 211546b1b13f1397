package tree

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// A disk is the descriptor of an open directory. It opens entries by name and never through a link, so that nothing
// leads out of the root.
type disk int

// noDisk means that a folder is read through its file system.
const noDisk disk = -1

const openFlags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_CLOEXEC | unix.O_NONBLOCK

func rootDisk(r *os.Root) disk {
	f, err := r.Open(".")
	if err != nil {
		return noDisk
	}
	defer f.Close()
	d := noDisk
	raw, err := f.SyscallConn()
	if err == nil {
		_ = raw.Control(func(fd uintptr) { d, _ = disk(fd).sub(".") })
	}
	return d
}

// sub opens a directory in d.
func (d disk) sub(name string) (disk, error) {
	fd, err := d.open(name, unix.O_DIRECTORY)
	return disk(fd), err
}

func (d disk) open(name string, flag int) (int, error) {
	for {
		fd, err := unix.Openat(int(d), name, openFlags|flag, 0)
		switch {
		case err == nil:
			return fd, nil
		case err != unix.EINTR:
			return int(noDisk), err
		}
	}
}

func (d disk) close() {
	if d != noDisk {
		_ = unix.Close(int(d))
	}
}

// stamp returns the stamp of a file in d, or of d itself for "".
func (d disk) stamp(name string) (stamp, error) {
	var st unix.Stat_t
	err := error(unix.EINTR)
	for err == unix.EINTR {
		if name == "" {
			err = unix.Fstat(int(d), &st)
		} else {
			err = unix.Fstatat(int(d), name, &st, unix.AT_SYMLINK_NOFOLLOW)
		}
	}
	return stamp{
		size: st.Size, modified: st.Mtim.Nano(), changed: st.Ctim.Nano(), inode: st.Ino,
		regular: st.Mode&unix.S_IFMT == unix.S_IFREG,
	}, err
}

// read reads a regular file in d, as readAll does.
func (d disk) read(name string, buf []byte, limit int64) ([]byte, stamp, error) {
	fd, err := d.open(name, 0)
	if err != nil {
		return nil, stamp{}, err
	}
	defer disk(fd).close()
	s, err := disk(fd).stamp("")
	switch {
	case err != nil:
		return nil, s, err
	case !s.regular:
		return nil, s, fs.ErrInvalid
	case s.size > limit:
		return nil, s, errTooLarge
	}
	data, err := readAll(disk(fd), buf, s.size, limit)
	return data, s, err
}

// Read implements [io.Reader] for an open file.
func (d disk) Read(p []byte) (int, error) {
	for {
		n, err := unix.Read(int(d), p)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return 0, err
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

var listRoom = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// list returns the entries of d, sorted by the bytes of their names.
func (d disk) list() ([]dirent, error) {
	var entries []dirent
	room := listRoom.Get().(*[32 << 10]byte)
	defer listRoom.Put(room)
	for {
		n, err := unix.Getdents(int(d), room[:])
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			slices.SortFunc(entries, func(a, b dirent) int { return strings.Compare(a.name, b.name) })
			return d.resolveKinds(entries), err
		}
		if entries, err = appendEntries(entries, room[:n]); err != nil {
			return nil, err
		}
	}
}

var errDirectory = errors.New("unknown directory format")

// appendEntries parses records of getdents64: 8 bytes inode, 8 offset, 2 length, 1 type, then the name and NUL.
func appendEntries(entries []dirent, buf []byte) ([]dirent, error) {
	const header = 19
	all := string(buf) // shared by the names
	for at := 0; at < len(buf); {
		if len(buf)-at < header {
			return nil, errDirectory
		}
		size := int(binary.NativeEndian.Uint16(buf[at+16:]))
		if size < header || size > len(buf)-at {
			return nil, errDirectory
		}
		name, _, ended := strings.Cut(all[at+header:at+size], "\x00")
		if !ended {
			return nil, errDirectory
		}
		if name != "." && name != ".." {
			entries = append(entries, dirent{name: name, kind: diskKinds[buf[at+18]]})
		}
		at += size
	}
	return entries, nil
}

// diskKinds are the kinds by the type of a record. Some file systems leave the type unknown.
var diskKinds = [256]kind{
	unix.DT_UNKNOWN: unknownKind, unix.DT_REG: fileKind, unix.DT_DIR: dirKind, unix.DT_LNK: linkKind,
	unix.DT_FIFO: otherKind, unix.DT_CHR: otherKind, unix.DT_BLK: otherKind, unix.DT_SOCK: otherKind,
}

// resolveKinds looks up unknown kinds, and drops entries that have vanished.
func (d disk) resolveKinds(entries []dirent) []dirent {
	kept := entries[:0]
	for _, e := range entries {
		if e.kind == unknownKind {
			var st unix.Stat_t
			if err := unix.Fstatat(int(d), e.name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
				continue
			}
			e.kind = diskKinds[st.Mode&unix.S_IFMT>>12] // modes have the same types
		}
		kept = append(kept, e)
	}
	return kept
}
