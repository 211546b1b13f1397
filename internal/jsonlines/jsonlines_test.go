package jsonlines

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// read returns what Each passes on as "n line" or "n error".
func read(t *testing.T, r io.Reader, most, lines int) (got []string) {
	t.Helper()
	if err := EachOf(t.Context(), r, most, func(n int, line []byte, err error) bool {
		if err != nil {
			line = []byte(err.Error())
		}
		got = append(got, fmt.Sprintf("%d %s", n, line))
		return len(got) < lines
	}); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestEach(t *testing.T) {
	long := strings.Repeat("x", 70000) // more than the reader's buffer
	tooLong := "the line is too long: more than 66000 bytes"
	for name, c := range map[string]struct {
		text  string
		lines int
		want  []string
	}{
		"lines":            {"1\n\n \r\n2\r\n3", 9, []string{"1 1", "4 2", "5 3"}},
		"nothing":          {"", 9, nil},
		"a document":       {"{\n\"a\": 1\n}\n", 9, []string{"1 {\n\"a\": 1\n}\n"}},
		"a torn document":  {"{\n\"a\": 1\n", 9, []string{"1 {", "2 \"a\": 1"}},
		"a long line":      {"1\n" + long + "\n3\n", 9, []string{"1 1", "2 " + tooLong, "3 3"}},
		"a long last line": {"1\n" + long, 9, []string{"1 1", "2 " + tooLong}},
		"enough":           {"1\n2\n3\n", 2, []string{"1 1", "2 2"}},
		"enough with long": {long + "\n2\n", 1, []string{"1 " + tooLong}},
	} {
		if diff := cmp.Diff(c.want, read(t, strings.NewReader(c.text), 66000, c.lines)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	torn := io.MultiReader(strings.NewReader("1\n2"), iotest.ErrReader(errors.New("torn")))
	if diff := cmp.Diff([]string{"1 1", "2 2", "3 torn"}, read(t, torn, 100, 9)); diff != "" {
		t.Error(diff)
	}
}

// FuzzEach compares with bytes.Lines.
func FuzzEach(f *testing.F) {
	f.Add([]byte("1\n\n2\r\n{"), byte(3))
	f.Add([]byte("[\n1\n]"), byte(9))
	f.Fuzz(func(t *testing.T, text []byte, most byte) {
		if len(text) <= int(most) && json.Valid(text) {
			return // perhaps a document
		}
		var want []string
		n := 0
		for line := range bytes.Lines(text) {
			n++
			switch {
			case len(line) > int(most):
				want = append(want, fmt.Sprintf("%d the line is too long: more than %d bytes", n, most))
			case len(bytes.TrimSpace(line)) > 0:
				want = append(want, fmt.Sprintf("%d %s", n, bytes.TrimRight(line, "\r\n")))
			}
		}
		if diff := cmp.Diff(want, read(t, bytes.NewReader(text), int(most), len(text)+1)); diff != "" {
			t.Error(diff)
		}
	})
}
