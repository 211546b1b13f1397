package search

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// Patterns that take others very long are answered, however long the line; one that is too large for an automaton ends
// with its time.
func TestSlowPatterns(t *testing.T) {
	line := strings.Repeat("a", 1<<16)
	data := []byte(line + "!\n" + line + "\nb\n")
	for pattern, want := range map[string]int{
		`(a+)+$`: 1, `(a|aa)+$`: 1, `(a|a?)+!`: 1, `(.*)(.*)(.*)(.*)[^a!]$`: 1, `^(([a-z])+.)+[A-Z]([a-z])+$`: 0, `(?:a?){200}a{200}b`: 0, `(x+x+)+y`: 0, `.*.*=.*`: 0, `(\w+\s?)*!$`: 1,
	} {
		m, err := compile(pattern, options{})
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		if err := m.each(t.Context(), data, func(span) bool { got++; return true }); err != nil || got != want {
			t.Errorf("%s: %v, %d lines, want %d", pattern, err, got, want)
		}
	}
	m, err := compile(`(?:[ab]{1000}|[ac]{1000}|[ad]{1000}|[ae]{1000}|[af]{1000}|[ag]{1000})z?`, options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancelCause(t.Context())
	end(context.DeadlineExceeded)
	if err := m.byLine(ctx, data, func(span) bool { return true }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a pattern of %d instructions goes on when the time is up: %v", m.cost, err)
	}
}
