package codebase

import (
	"fmt"
	"io/fs"

	"github.com/forayhq/foray/tools"
)

// A bound is the range of a whole number that a model may give, and what holds when it gives none.
type bound struct {
	name         string
	def, low, up int
}

// of is the value to use: an error below the range, clamped with a note above it.
func (b bound) of(given *int, page *Page) (int, error) {
	switch {
	case given == nil:
		return b.def, nil
	case *given < b.low:
		return 0, &tools.Problem{Code: "bad_arguments", Message: fmt.Sprintf("%s=%d is out of range", b.name, *given), Try: fmt.Sprintf("%s from %d to %d; default %d", b.name, b.low, b.up, b.def)}
	case *given > b.up:
		page.note("%s=%d was lowered to its maximum %d", b.name, *given, b.up)
		return b.up, nil
	default:
		return *given, nil
	}
}

// maxOffset bounds offsets and line numbers: larger than any tree or file that is read.
const maxOffset = 1 << 30

var offsetBound = bound{"offset", 0, 0, maxOffset}

func blank(field, try string) error {
	return &tools.Problem{Code: "bad_arguments", Message: field + " is blank", Try: try}
}

// skipDir keeps a walk out of the directory e.
func skipDir(e node) error {
	if e.kind == dirNode {
		return fs.SkipDir
	}
	return nil
}

// window is the part of n items that an offset and a limit show.
func window(n, offset, limit int) (from, to int) {
	from = min(offset, n)
	return from, min(from+limit, n)
}
