package trial

import (
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// maxTrace bounds the trace of a trial, in bytes before compression.
const maxTrace = 1 << 30

// zippers are reused, because each takes most of a megabyte.
var zippers = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level exists
	}
	return z
}}

// A traceFile writes the trace of a trial, compressed. It makes the file with the first event. An abandoned subject may
// still write after close, which gets an error.
type traceFile struct {
	dir, name string // folder of results, path in it

	mu     sync.Mutex
	file   *os.File // nil until the first event
	zip    *gzip.Writer
	left   int64
	closed bool
	err    error
}

// traceName is the path of a trace in the folder of results.
func traceName(task, subject string, n int) string {
	return tracesDir + "/" + FileName(task, 100) + "." + FileName(subject, 60) + "." + fmt.Sprint(n) + ".jsonl.gz"
}

// FileName makes a text a part of a file's name, of at most about max bytes. Texts that differ get names that differ,
// also where the case of letters does not count.
func FileName(s string, max int) string {
	plain := func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}
	name := strings.Map(plain, s)
	if name == s && len(name) <= max {
		return name
	}
	return fmt.Sprintf("%s-%x", name[:min(len(name), max)], sha256.Sum256([]byte(s)))[:min(len(name), max)+9]
}

func (t *traceFile) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return 0, os.ErrClosed
	}
	if t.err == nil && t.file == nil {
		t.open()
	}
	if t.left -= int64(len(p)); t.err == nil && t.left < 0 {
		t.err = fmt.Errorf("the trace is larger than %d bytes", maxTrace)
	}
	if t.err != nil {
		return 0, t.err
	}
	n, err := t.zip.Write(p)
	t.err = err
	return n, err
}

func (t *traceFile) open() {
	t.file, t.err = os.OpenFile(filepath.Join(t.dir, t.name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if t.err == nil {
		t.zip, t.left = zippers.Get().(*gzip.Writer), maxTrace
		t.zip.Reset(t.file)
	}
}

// close ends the file and returns its path in the folder, "" without events.
func (t *traceFile) close() (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	if t.file == nil {
		return "", t.err
	}
	err := errors.Join(t.err, t.zip.Close(), t.file.Close())
	t.zip.Reset(io.Discard)
	zippers.Put(t.zip)
	t.file, t.zip = nil, nil
	if err != nil {
		return t.name, fmt.Errorf("writing the trace: %w", err)
	}
	return t.name, nil
}
