package codebase

import (
	"context"

	"github.com/forayhq/foray/tools/symbols"
)

// symbols finds the definitions in data, the content of the file p, by their first lines. The slice is shared and must
// not be changed. A language that is not known, or a file that is generated, has none.
func (t *tree) symbols(ctx context.Context, p string, data []byte) []symbols.Symbol {
	if expired(ctx) != nil {
		return nil
	}
	return t.o.Symbols.Of(p, data)
}

// Symbols finds the definitions in data, what Read gave of the file p, as symbols.Of does: those that the cache of the tree
// holds are taken from there. The slice is shared and must not be changed.
func (tr *Tree) Symbols(p string, data []byte) []symbols.Symbol { return tr.t.o.Symbols.Of(p, data) }
