package locate

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
)

// TestSimilar lets a comparison of meanings change the order of near ties, and nothing else, and survives what it may do.
func TestSimilar(t *testing.T) {
	const query = `{"query":"rounded totals and shelves"}`
	paths := func(similar Similarity) (all []string, notes string) {
		r := call(t, Tool(over(shop(t)), &Options{JSON: true, Similar: similar}), query)
		for _, item := range r.Items {
			all = append(all, item.Path)
		}
		return all, strings.Join(r.Notes, "\n")
	}
	words, _ := paths(nil)
	if len(words) < 3 {
		t.Fatalf("only %v", words)
	}
	favour := func(path string) Similarity {
		return func(_ context.Context, query string, passages []string) ([]float64, error) {
			if query != "rounded totals and shelves" || len(passages) < 2 || len(passages) > similarFiles {
				t.Errorf("%q with %d passages", query, len(passages))
			}
			values := make([]float64, len(passages))
			for i, p := range passages {
				name, code, _ := strings.Cut(p, "\n")
				if name == path {
					values[i] = 1
				}
				if code == "" || len(p) > len(name)+1+similarSource {
					t.Errorf("passage of %d bytes: %q", len(p), p)
				}
			}
			return values, nil
		}
	}
	moved := 0
	for i, p := range words {
		now, notes := paths(favour(p))
		if len(now) != len(words) || notes != "" {
			t.Errorf("favouring %s: %v, %s", p, now, notes)
		}
		for at := range now {
			if now[at] == p && at > i {
				t.Errorf("%s fell from %d to %d", p, i, at)
			} else if now[at] == p {
				moved += i - at
			}
		}
	}
	if moved == 0 {
		t.Error("nothing moved")
	}
	for name, broken := range map[string]Similarity{
		"an error": func(context.Context, string, []string) ([]float64, error) { return nil, errors.New("no vectors") },
		"too few":  func(context.Context, string, []string) ([]float64, error) { return []float64{1}, nil },
		"no numbers": func(_ context.Context, _ string, passages []string) ([]float64, error) {
			values := make([]float64, len(passages))
			for i := range values {
				values[i] = math.NaN()
			}
			return values, nil
		},
	} {
		now, notes := paths(broken)
		if strings.Join(now, " ") != strings.Join(words, " ") || strings.Contains(notes, "ranked by words alone") != (name != "no numbers") {
			t.Errorf("%s: %v, %s", name, now, notes)
		}
	}
}
