package longterm

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// maxImportLine is the longest line that Import takes, in bytes.
const maxImportLine = 1 << 20

// Export writes the memories of a user, superseded ones too, as JSON lines, oldest first. Embeddings are left out: they
// are made again where they are imported.
func (l *Memories) Export(w io.Writer, user string) error {
	out := bufio.NewWriter(w)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for _, m := range l.List(user, "", true) {
		m.Embedding, m.Embedder = nil, ""
		if err := lines.Encode(m); err != nil {
			return fmt.Errorf("exporting memories: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("exporting memories: %w", err)
	}
	return nil
}

// Import reads JSON lines as Export writes them and returns how many memories they are. They become those of the user;
// one that is there already is replaced. A line that is not good is named in the error, and then none is taken.
func (l *Memories) Import(ctx context.Context, r io.Reader, user string, at time.Time) (int, error) {
	memories, err := readMemories(r, user, at)
	if err != nil {
		return 0, fmt.Errorf("importing memories: %w", err)
	}
	for i := range memories {
		l.embedInto(ctx, &memories[i])
		if err := ctx.Err(); err != nil {
			return 0, fmt.Errorf("importing memories: %w", err)
		}
	}
	if len(memories) == 0 {
		return 0, nil
	}
	l.writing.Lock()
	defer l.writing.Unlock()
	for i := range memories {
		// An id is not taken over from another user.
		if old, err := l.Get(memories[i].ID); err == nil && old.User != user {
			memories[i].ID = newID(memories[i])
		}
	}
	return len(memories), l.write(ctx, memories...)
}

// readMemories reads the lines of an import.
func readMemories(r io.Reader, user string, at time.Time) ([]Memory, error) {
	var memories []Memory
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxImportLine)
	n := 0
	for lines.Scan() {
		n++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		m := Memory{User: user}
		if err := json.Unmarshal(line, &m); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		m.User = user
		m.Importance = cmp.Or(m.Importance, defaultImportance)
		if m.Created.IsZero() {
			m.Created = at
		}
		if m.Updated.IsZero() {
			m.Updated = at
		}
		if err := m.Check(); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		m.ID = cmp.Or(m.ID, newID(m))
		memories = append(memories, m)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	return memories, nil
}
