package line

import (
	"bytes"
	"slices"
)

// A Text is a text split into lines. Lines count from 1.
type Text struct {
	Data   []byte
	starts []int // byte offset of each line
}

// Split splits data, which it keeps, at its newlines. A newline at the end opens no further line.
func Split(data []byte) Text {
	t := Text{Data: data, starts: make([]int, 0, bytes.Count(data, []byte("\n"))+1)}
	for at := 0; at < len(data); {
		t.starts = append(t.starts, at)
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	return t
}

// Count returns the number of lines.
func (t Text) Count() int { return len(t.starts) }

// Start returns the byte offset of line n.
func (t Text) Start(n int) int { return t.starts[n-1] }

// Line returns line n without its newline.
func (t Text) Line(n int) []byte { return bytes.TrimSuffix(t.Range(n, n), []byte("\n")) }

// Range returns the lines from first to last, newlines included.
func (t Text) Range(first, last int) []byte {
	end := len(t.Data)
	if last < len(t.starts) {
		end = t.starts[last]
	}
	return t.Data[t.starts[first-1]:end]
}

// At returns the line that holds the byte at offset, 1 for an empty text.
func (t Text) At(offset int) int {
	i, found := slices.BinarySearch(t.starts, offset)
	if found {
		return i + 1
	}
	return max(i, 1)
}
