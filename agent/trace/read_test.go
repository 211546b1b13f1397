package trace_test

import (
	"io"
	"strings"
	"testing"

	"github.com/forayhq/foray/agent/trace"
)

// endless is a line without an end.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	if e.read += len(p); e.read > 80<<20 {
		return 0, io.ErrUnexpectedEOF
	}
	return len(p), nil
}

func TestReadRefusesLongLines(t *testing.T) {
	for _, err := range trace.Read(&endless{}) {
		if err == nil || !strings.Contains(err.Error(), "line 1: it has more than 64 MB") {
			t.Error(err)
		}
	}
}
