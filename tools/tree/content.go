package tree

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"path"
	"unicode/utf16"
	"unicode/utf8"
)

// Reasons not to show a file, each with its own count in [Skipped].
var (
	errBinary   = errors.New("binary file")
	errTooLarge = errors.New("file too large")
	errSecret   = errors.New("secret file")
)

// A Content is a file's text with lines that end in LF. [Tree.Shown] redacts the credentials in it.
type Content struct {
	Data     []byte
	Encoding string    // "utf-16" if it was decoded
	path     string    // from the root
	kept     *resident // the file in the cache; nil: not cached
}

// Load reads the file p, a path from a walk.
func (t *Tree) Load(p string) (Content, error) {
	f := &folder{t: t, path: path.Dir(p), disk: noDisk, closed: true}
	f.uses.Store(1)
	defer f.release()
	return f.load(p, nil, false)
}

// readAll reads f, which has size bytes, up to limit bytes. A size of 0 may be wrong, as for files in /proc.
func readAll(f io.Reader, buf []byte, size, limit int64) ([]byte, error) {
	if int64(cap(buf)) < size+1 {
		buf = make([]byte, 0, size+size/8+512)
	}
	buf = buf[:0]
	room := cap(buf)
	if size > peekFrom {
		room = peek
	}
	for {
		n, err := f.Read(buf[len(buf):room])
		buf = buf[:len(buf)+n]
		if room < cap(buf) {
			if isBinary(buf) {
				return nil, errBinary
			}
			room = cap(buf)
		}
		switch {
		case err == io.EOF:
			return buf, nil
		case err != nil:
			return nil, err
		case int64(len(buf)) == size && size > 0:
			return buf, nil // reading on to the end would cost one more system call a file
		case int64(len(buf)) > limit:
			return nil, errTooLarge
		case len(buf) == cap(buf):
			buf = append(buf, 0)[:len(buf)]
			room = cap(buf)
		}
	}
}

// A file larger than peekFrom is checked for NUL bytes after its first peek bytes, because most binary files have one
// there.
const (
	peekFrom = 128 << 10
	peek     = 16 << 10
)

// isBinary reports whether data holds a NUL byte and no byte order mark of UTF-16.
func isBinary(data []byte) bool {
	return bytes.IndexByte(data, 0) >= 0 && !isUTF16(data)
}

func isUTF16(data []byte) bool {
	return bytes.HasPrefix(data, []byte{0xfe, 0xff}) ||
		bytes.HasPrefix(data, []byte{0xff, 0xfe}) && !bytes.HasPrefix(data, []byte{0xff, 0xfe, 0, 0})
}

// decode decodes UTF-16 with a byte order mark, drops the mark of UTF-8, and refuses a NUL byte in anything else.
func decode(data []byte) (Content, error) {
	switch {
	case isBinary(data):
		return Content{}, errBinary
	case isUTF16(data) && data[0] == 0xff:
		return Content{Data: unixLines(decodeUTF16(data[2:], binary.LittleEndian)), Encoding: "utf-16"}, nil
	case isUTF16(data):
		return Content{Data: unixLines(decodeUTF16(data[2:], binary.BigEndian)), Encoding: "utf-16"}, nil
	}
	return Content{Data: unixLines(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))}, nil
}

// unixLines ends every line in LF, so that patterns and readers never see CRLF.
func unixLines(data []byte) []byte {
	if !bytes.Contains(data, []byte("\r\n")) {
		return data
	}
	return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
}

func decodeUTF16(data []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	out := make([]byte, 0, len(data))
	for _, r := range utf16.Decode(units) {
		out = utf8.AppendRune(out, r)
	}
	return out
}
