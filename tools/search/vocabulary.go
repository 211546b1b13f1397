package search

import (
	"bytes"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/forayhq/foray/tools/tree"
)

// A vocabulary collects the identifiers of a tree that contain one of a few parts. It is safe for concurrent use.
type vocabulary struct {
	parts [][]byte     // in lower case, of at least gram bytes; none: collect nothing
	grams [1024]uint64 // a bit for the hash of the start of each part
	each  uint32       // read one file in so many, chosen by path

	mu   sync.Mutex
	seen map[string]bool
}

// gram is how many bytes of a part are looked up at each byte of a text.
const gram = 3

func newVocabulary(parts []string, each uint32) *vocabulary {
	v := &vocabulary{each: each, seen: map[string]bool{}}
	for _, p := range parts {
		if len(p) >= gram {
			v.parts = append(v.parts, []byte(strings.ToLower(p)))
		}
	}
	for _, p := range v.parts {
		h := gramHash(uint32(p[0])<<16 | uint32(p[1])<<8 | uint32(p[2]))
		v.grams[h>>6] |= 1 << (h & 63)
	}
	return v
}

// gramHash mixes the last three bytes of g into 16 bits.
func gramHash(g uint32) uint32 { return g << 8 * 0x9e3779b1 >> 16 }

const (
	maxNear  = 16 << 20 // bytes of text to look for near words in, about: those of a large tree are in many files
	maxWords = 20_000   // words of one file

	maxWordBytes = 4096 // of a run of letters to look for words in
)

// takes reports whether to read the file p.
func (v *vocabulary) takes(p string) bool {
	if len(v.parts) == 0 || v.each <= 1 {
		return len(v.parts) > 0
	}
	h := fnv.New32a()
	h.Write([]byte(p))
	return h.Sum32()%v.each == 0
}

// sorted returns the words.
func (v *vocabulary) sorted() []string { return slices.Sorted(maps.Keys(v.seen)) }

// read collects the words of a file. It redacts the file only if it has words that are new, since a word that another
// file shows is no credential.
func (v *vocabulary) read(t *tree.Tree, c tree.Content) {
	if own := v.words(c.Data); !v.has(own) {
		if shown := t.Shown(c); !bytes.Equal(shown, c.Data) {
			own = v.words(shown)
		}
		v.add(own)
	}
}

func (v *vocabulary) has(words map[string]bool) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	for w := range words {
		if !v.seen[w] {
			return false
		}
	}
	return true
}

func (v *vocabulary) add(words map[string]bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for w := range words {
		v.seen[w] = true
	}
}

// words returns the identifiers in data that contain a part, in either case.
func (v *vocabulary) words(data []byte) map[string]bool {
	own := map[string]bool{}
	g := uint32(0)
	for i := 0; i < len(data) && len(own) < maxWords; i++ {
		c := data[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		g = g<<8 | uint32(c)
		h := gramHash(g)
		if v.grams[h>>6]>>(h&63)&1 == 0 || i+1 < gram || !v.partAt(data[i+1-gram:]) {
			continue
		}
		word, end := identifierAround(data, i)
		if !own[string(word)] {
			for _, w := range wordPattern.FindAll(word[:min(len(word), maxWordBytes)], -1) {
				own[string(w)] = true
			}
		}
		i, g = end-1, 0
	}
	return own
}

// partAt reports whether data starts with a part, in either case.
func (v *vocabulary) partAt(data []byte) bool {
	return slices.ContainsFunc(v.parts, func(p []byte) bool {
		return len(data) >= len(p) && bytes.EqualFold(data[:len(p)], p)
	})
}

// identifierAround returns the letters, digits and underscores around the byte at i, and where they end.
func identifierAround(data []byte, i int) ([]byte, int) {
	from, to := i, i+1
	for from > 0 && inIdentifier(data[from-1]) {
		from--
	}
	for to < len(data) && inIdentifier(data[to]) {
		to++
	}
	return data[from:to], to
}

// inIdentifier reports whether c is part of an identifier; a byte beyond ASCII may be.
func inIdentifier(c byte) bool {
	return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf
}
