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

// maxImportLine is the longest line that Import accepts, in bytes.
const maxImportLine = 1 << 20

// Export writes the memories of a user, superseded ones too, as JSON lines, oldest first. It leaves out embeddings,
// which the import makes again.
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

// Import reads the JSON lines of [Memories.Export] as memories of a user and returns how many. A memory with the same
// id is replaced. If a line is invalid, the error names it and nothing is imported.
func (l *Memories) Import(ctx context.Context, r io.Reader, user string, at time.Time) (int, error) {
	memories, err := readMemories(r, user, at)
	if err != nil {
		return 0, fmt.Errorf("importing memories: %w", err)
	}
	for i := range memories {
		l.embedder.embed(ctx, &memories[i])
		if err := ctx.Err(); err != nil {
			return 0, fmt.Errorf("importing memories: %w", err)
		}
	}
	if len(memories) == 0 {
		return 0, nil
	}
	err = l.put(ctx, func(get getter) ([]Memory, error) {
		for i := range memories {
			// An id of another user's memory is not taken over.
			if old, err := get(memories[i].ID); err == nil && old.User != user {
				memories[i].ID = newID(memories[i])
			}
		}
		return memories, nil
	})
	return len(memories), err
}

// readMemories parses the lines of an import.
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
