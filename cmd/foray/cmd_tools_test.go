package main

import (
	"errors"
	"strings"
	"testing"
)

// Arguments that are too long are said to be so: cut, they would look like bad JSON.
func TestCallArguments(t *testing.T) {
	for _, n := range []int{0, maxArguments} {
		if raw, err := callArguments(strings.NewReader(strings.Repeat(" ", n)), []string{"-"}); err != nil || len(raw) != n {
			t.Errorf("%d bytes: %d, %v", n, len(raw), err)
		}
	}
	_, err := callArguments(strings.NewReader(strings.Repeat(" ", 2*maxArguments)), []string{"-"})
	if e := (*exit)(nil); !errors.As(err, &e) || e.code != exitUsage || !strings.Contains(err.Error(), "longer than 1,048,576 bytes") {
		t.Errorf("too long: %v", err)
	}
}
