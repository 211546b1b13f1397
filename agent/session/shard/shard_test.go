package shard_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/session/sessiontest"
	"github.com/forayhq/foray/agent/session/shard"
)

func TestFulfilsTheContract(t *testing.T) {
	sessiontest.Run(t, func(t *testing.T) session.Store {
		s, err := shard.New(map[string]session.Store{"a": new(session.InMemory), "b": new(session.InMemory), "c": new(session.InMemory)})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

// Rule: where a session is depends on its id and the names alone, and never changes between versions.
func TestPlaceIsStable(t *testing.T) {
	for id, want := range map[string]string{"": "b", "s": "b", "retries": "a", "1123-bokalu": "c", "世界": "c"} {
		names := []string{"a", "b", "c", "d"}
		for range 5 {
			rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
			if got := shard.Place(id, names); got != want {
				t.Errorf("%q is in %q, not in %q", id, got, want)
			}
		}
	}
	if got := shard.Place("s", nil); got != "" {
		t.Errorf("without shards: %q", got)
	}
}

// Rule: a shard that is added takes sessions and moves no others; one that is removed gives its own away, and moves no
// others.
func TestOnlySharesMove(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e"}
	for n := range 5_000 {
		id := fmt.Sprint("session ", n)
		before, after := shard.Place(id, names[:4]), shard.Place(id, names)
		if before != after && after != "e" {
			t.Fatalf("%s moved from %s to %s when e came", id, before, after)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for name, shards := range map[string]map[string]session.Store{
		"none": {}, "no name": {"": new(session.InMemory)}, "no store": {"a": nil},
	} {
		if s, err := shard.New(shards); err == nil {
			t.Errorf("%s: %v", name, s)
		}
	}
}

func shardNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("db%03d", i)
	}
	return slices.Clip(names)
}
