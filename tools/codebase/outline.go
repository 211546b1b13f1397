package codebase

import (
	"bytes"
	"context"
	"hash/maphash"
	"path"
	"slices"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Bounds of a file whose symbols are found. Beyond them it is generated, and would hold up a walk.
const (
	maxOutlineBytes = 2 << 20
	maxSymbols      = 20_000 // of one file
	maxSignature    = 160    // runes
	maxCached       = 4096   // files
)

// An outlineCache keeps the symbols of files by their content. It is safe for concurrent use.
type outlineCache struct {
	seed maphash.Seed
	lru  *lru.Cache[outlineKey, []Symbol]
}

type outlineKey struct {
	ext  string
	size int
	hash uint64
}

func newOutlineCache() *outlineCache {
	c, err := lru.New[outlineKey, []Symbol](maxCached)
	if err != nil {
		panic("codebase: " + err.Error()) // only for a size below 1
	}
	return &outlineCache{maphash.MakeSeed(), c}
}

// symbols finds the definitions in data, the content of the file p, by their first lines. The slice is shared: its
// Path fields are empty and it must not be changed. A language that is not known, or a file that is generated, has none.
func (t *tree) symbols(ctx context.Context, p string, data []byte) []Symbol {
	if !hasSymbols(p) || len(data) > maxOutlineBytes || isMinified(data) || expired(ctx) != nil {
		return nil
	}
	key := outlineKey{path.Ext(p), len(data), maphash.Bytes(t.outlines.seed, data)}
	if s, ok := t.outlines.lru.Get(key); ok {
		return s
	}
	var s []Symbol
	if l := languageOf(p); l != nil {
		s = l.symbols(data)
	} else {
		s = goSymbols(data)
	}
	slices.SortStableFunc(s, func(a, b Symbol) int { return a.Start - b.Start })
	s = slices.Clip(s[:min(len(s), maxSymbols)])
	t.outlines.lru.Add(key, s)
	return s
}

// isMinified reports whether the lines of data are too long to be written by people: 500 bytes on average.
func isMinified(data []byte) bool {
	return len(data) > 5000 && len(data)/(bytes.Count(data, []byte("\n"))+1) > 500
}

// innermost is the deepest symbol around a line, nil when there is none.
func innermost(symbols []Symbol, line int) *Symbol {
	var in *Symbol
	for i := range symbols {
		s := &symbols[i]
		if s.Start > line {
			break
		}
		if s.End >= line && (in == nil || s.Depth >= in.Depth) {
			in = s
		}
	}
	return in
}
