package store

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/internal/line"
)

// maxLine is the longest line of an import, in bytes: a record with every other byte escaped.
const maxLine = 2 * maxRecord

// readLines calls fn with each line that is not blank. Errors name the line, from 1.
func readLines(r io.Reader, fn func(line []byte) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if err := fn(line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	err := lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("%w: a line has more than %d bytes", ErrTooLarge, maxLine)
	}
	if err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	return nil
}

// decode parses one JSON value without unknown fields.
func decode(line []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: more than one value in a line", ErrInvalid)
	}
	return nil
}

// Export writes the memories of a user as JSON lines and returns their number. An empty user means all users. Bytes
// that are not UTF-8 become U+FFFD.
func (m *Memories) Export(ctx context.Context, w io.Writer, user string) (int, error) {
	n := 0
	for v, err := range m.All(ctx) {
		if err != nil {
			return n, err
		}
		if user != "" && v.User != user {
			continue
		}
		if err := line.WriteJSON(w, v, ""); err != nil {
			return n, fmt.Errorf("writing memory %q: %w", v.ID, err)
		}
		n++
	}
	return n, nil
}

// Import stores the memories of an export and returns their number. Each replaces the one with the same id. With an
// error, which names the line, it stores none.
func (m *Memories) Import(ctx context.Context, r io.Reader) (int, error) {
	var found []longterm.Memory
	err := readLines(r, func(line []byte) error {
		var v longterm.Memory
		if err := decode(line, &v); err != nil {
			return err
		}
		if _, err := memoryRowOf(v); err != nil { // checked here too, so that the error names the line
			return err
		}
		if err := v.Check(); err != nil {
			return fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		found = append(found, v)
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("importing memories: %w", err)
	}
	return len(found), m.Put(ctx, found...)
}
