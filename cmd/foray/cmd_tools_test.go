package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
)

// Arguments that are too long are said to be so: cut, they would look like bad JSON.
func TestAttackStandardInput(t *testing.T) {
	set, err := toolSet(anyTree(), false)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := callArguments(strings.NewReader(`{"path":"`+strings.Repeat("a", 100<<20)), []string{"-"})
	if err != nil || len(raw) != maxInput {
		t.Fatalf("%d bytes were read, error %v; want %d", len(raw), err, maxInput)
	}
	_, _, err = callOne(t.Context(), set, "list_dir", raw, 0)
	if e := (*cli.Exit)(nil); !errors.As(err, &e) || e.Code != cli.ExitUsage || !strings.Contains(err.Error(), "at most 1048576 are allowed") {
		t.Errorf("too long: %v", err)
	}
}
