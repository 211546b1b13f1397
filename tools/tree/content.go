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

// Why a file's content is not shown. They are told apart to be counted.
var (
	errBinary   = errors.New("binary file")
	errTooLarge = errors.New("file too large")
	errSecret   = errors.New("secret file")
)

// A Content is what a file holds, as UTF-8 with lines that end in LF (UTF-16 is decoded; other bytes stay as they are).
type Content struct {
	Data     []byte
	Encoding string    // "utf-16", "invalid utf-8" or ""; invalid UTF-8 is found by lines
	kept     *resident // the file in memory, nil when it is not kept
}

// Load reads the file p, which is no link.
func (t *Tree) Load(p string) (Content, error) {
	f := t.folder(path.Dir(p))
	defer f.release()
	return f.load(path.Base(p), nil)
}

// readAll reads f, which has size bytes (0 may be unknown, as of files that the system makes up), but not beyond limit.
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
			return buf, nil // all of it: asking for the end would be one more call of the system for each file
		case int64(len(buf)) > limit:
			return nil, errTooLarge
		case len(buf) == cap(buf):
			buf = append(buf, 0)[:len(buf)]
			room = cap(buf)
		}
	}
}

// Of a file larger than peekFrom the first peek bytes are read by themselves: most binary files show there what they are.
const (
	peekFrom = 128 << 10
	peek     = 16 << 10
)

// isBinary reports whether data holds a NUL byte and has no mark of UTF-16.
func isBinary(data []byte) bool {
	return bytes.IndexByte(data, 0) >= 0 && !isUTF16(data)
}

func isUTF16(data []byte) bool {
	return bytes.HasPrefix(data, []byte{0xfe, 0xff}) || bytes.HasPrefix(data, []byte{0xff, 0xfe}) && !bytes.HasPrefix(data, []byte{0xff, 0xfe, 0, 0})
}

// decode tells text from binary: a byte order mark of UTF-16 is obeyed, one of UTF-8 dropped, and any NUL byte makes
// the rest binary.
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

// unixLines makes every line end in LF, so that no pattern and no reader has to know of CRLF.
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
