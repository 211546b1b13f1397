package codebase

import (
	"context"
	"hash/maphash"
	"path"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/forayhq/foray/tools/symbols"
)

// maxCached is how many files have their symbols kept.
const maxCached = 4096

// An outlineCache keeps the symbols of files by their content. It is safe for concurrent use.
type outlineCache struct {
	seed maphash.Seed
	lru  *lru.Cache[outlineKey, []symbols.Symbol]
}

type outlineKey struct {
	ext  string
	size int
	hash uint64
}

func newOutlineCache() *outlineCache {
	c, err := lru.New[outlineKey, []symbols.Symbol](maxCached)
	if err != nil {
		panic("codebase: " + err.Error()) // only for a size below 1
	}
	return &outlineCache{maphash.MakeSeed(), c}
}

// symbols finds the definitions in data, the content of the file p, by their first lines. The slice is shared and must
// not be changed. A language that is not known, or a file that is generated, has none.
func (t *tree) symbols(ctx context.Context, p string, data []byte) []symbols.Symbol {
	if symbols.Language(p) == "" || expired(ctx) != nil {
		return nil
	}
	key := outlineKey{path.Ext(p), len(data), maphash.Bytes(t.outlines.seed, data)}
	if s, ok := t.outlines.lru.Get(key); ok {
		return s
	}
	s := symbols.Of(p, data)
	t.outlines.lru.Add(key, s)
	return s
}
