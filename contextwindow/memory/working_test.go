package memory_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory"
)

// A scope keeps what one window cuts; a tool reads it by the scope's id.
func ExampleWorking() {
	working := memory.NewWorking()
	scope := working.Open()
	if err := scope.Put("s2.1", "the whole text"); err != nil {
		fmt.Println(err)
	}
	fmt.Println(working.Get(scope.ID(), "s2.1"))
	scope.Close()
	_, err := working.Get(scope.ID(), "s2.1")
	fmt.Println(errors.Is(err, memory.ErrNoScope))
	// Output:
	// the whole text <nil>
	// true
}

func TestScopesAreApart(t *testing.T) {
	working := memory.NewWorking()
	var scopes []*memory.Scope
	seen := make(map[string]bool)
	for i := range 50 {
		s := working.Open()
		if seen[s.ID()] {
			t.Fatalf("two scopes have the id %s", s.ID())
		}
		seen[s.ID()] = true
		if err := s.Put("s1.1", fmt.Sprint("text of ", i)); err != nil {
			t.Fatal(err)
		}
		scopes = append(scopes, s)
		if i%2 == 1 {
			scopes[i-1].Close()
			scopes[i-1].Close()
		}
	}
	for i, s := range scopes {
		got, err := working.Get(s.ID(), "s1.1")
		if closed := i%2 == 0; closed && !errors.Is(err, memory.ErrNoScope) || !closed && got != fmt.Sprint("text of ", i) {
			t.Errorf("scope %d: %q %v", i, got, err)
		}
	}
}

func TestWhatIsNotThere(t *testing.T) {
	working := memory.NewWorking()
	scope := working.Open()
	_, err := working.Get(scope.ID(), "s9.9")
	if !errors.Is(err, memory.ErrNotFound) || !errors.Is(err, contextwindow.ErrNoBody) || errors.Is(err, memory.ErrNoScope) {
		t.Errorf("an id that never was: %v", err)
	}
	if err := scope.Put("s9.9", "old"); err != nil {
		t.Fatal(err)
	}
	if err := scope.Put("s9.9", "new"); err != nil {
		t.Fatal(err)
	}
	if got, err := scope.Get("s9.9"); got != "new" || err != nil {
		t.Errorf("a text put again: %q %v", got, err)
	}
	if _, err := working.Get("", "s9.9"); !errors.Is(err, memory.ErrNoScope) {
		t.Errorf("a run without a scope: %v", err)
	}
}

func TestSideBySide(t *testing.T) {
	working := memory.NewWorking()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			scope := working.Open()
			defer scope.Close()
			for i := range 200 {
				id := fmt.Sprintf("s%d.1", i)
				if err := scope.Put(id, id); err != nil {
					t.Error(err)
				}
				if got, err := working.Get(scope.ID(), id); got != id || err != nil {
					t.Errorf("%q %v", got, err)
				}
			}
		})
	}
	all.Wait()
}
