package working

import (
	"errors"
	"fmt"

	"github.com/forayhq/foray/contextwindow"
)

// The errors of Get beside [ExpiredError].
var (
	ErrNoScope  = errors.New("no working memory here: the run keeps none, or is over")
	ErrNotFound = errors.New("working memory holds no such id")
)

func notFound(id string) error {
	return fmt.Errorf("%w: %q (%w)", ErrNotFound, id, contextwindow.ErrNoBody)
}

// An ExpiredError is the error of an id whose text a session held once. It is also [contextwindow.ErrNoBody].
type ExpiredError struct{ Entry Entry }

// Error names the id and why its text was evicted.
func (e *ExpiredError) Error() string {
	return fmt.Sprintf("working memory no longer holds it: %q: %s", e.Entry.ID, e.Entry.Gone)
}

// Is reports whether target is [contextwindow.ErrNoBody].
func (e *ExpiredError) Is(target error) bool { return target == contextwindow.ErrNoBody }
