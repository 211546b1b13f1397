package codebase

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/forayhq/foray/tools/symbols"
	"github.com/forayhq/foray/tools/tree"
)

// gather calls look in parallel with each file below base in a known language, and joins the findings in tree order.
// look must not keep any part of the content, which is not redacted. If time runs out, gather marks page as timed out.
func gather[T any](
	ctx context.Context, t *toolbox, base tree.Place, page *Page, look func(p string, c tree.Content) []T,
) ([]T, error) {
	s := tree.Sweep[[]T]{Look: func(found *[]T, p string, c tree.Content) {
		if symbols.Language(p) != "" {
			*found = append(*found, look(p, c)...)
		}
	}}
	found, skipped, err := s.Run(ctx, t.Tree, base)
	page.Skipped.Add(skipped)
	if err := page.partial(ctx, err); err != nil {
		return nil, err
	}
	return slices.Concat(found...), nil
}

// A symbolName is a name from a call, split into its parts: Foo.bar, Foo::bar and Foo#bar are the same.
type symbolName []string

func parseName(s string) symbolName {
	between := func(r rune) bool { return strings.ContainsRune(".:#/\\ ()*&", r) }
	return strings.FieldsFunc(strings.TrimSuffix(strings.TrimSpace(s), "()"), between)
}

// leaf returns the last part.
func (n symbolName) leaf() string { return n[len(n)-1] }

// A closeness is how well a definition matches a name; less is better.
type closeness int

const (
	exact     closeness = iota
	folded              // in another case, or with its words joined otherwise
	partly              // its last part contains the last part of the name
	elsewhere           // the last parts are equal, the enclosing parts differ
	apart
)

// fits compares n with the name of a definition, by the last parts.
func (n symbolName) fits(defined string) closeness {
	c := compare(n.leaf(), lastPart(defined))
	if around := n[:len(n)-1]; c < apart && len(around) > 0 {
		parts := strings.Split(defined, ".")
		c = max(c, around.encloses(parts[:len(parts)-1], c == exact))
	}
	return c
}

const (
	minPart   = 2 // the least length of a name to find in part, in bytes
	maxGrowth = 2 // bounds how many times as long a name may be in lower case
)

// compare compares the last part of a name with that of a definition.
func compare(leaf, own string) closeness {
	switch {
	case own == leaf:
		return exact
	case strings.EqualFold(own, leaf):
		return folded
	case len(leaf) >= maxGrowth*len(own) || len(plain(leaf)) < minPart || !strings.Contains(plain(own), plain(leaf)):
		return apart
	case plain(own) == plain(leaf):
		return folded
	}
	return partly
}

// plain returns a name in lower case, without what joins its words: that of maxRetries, max_retries and max-retries.
func plain(name string) string {
	return strings.Map(func(c rune) rune {
		if c == '_' || c == '-' {
			return -1
		}
		return unicode.ToLower(c)
	}, name)
}

// encloses compares the enclosing parts of a name with those of a definition.
func (n symbolName) encloses(parts []string, whole bool) closeness {
	if len(parts) >= len(n) {
		parts = parts[len(parts)-len(n):]
		if slices.Equal(parts, n) {
			return exact
		}
		if slices.EqualFunc(parts, n, strings.EqualFold) {
			return folded
		}
	}
	if whole {
		return elsewhere
	}
	return apart
}

// lastPart returns the name of a definition without the parts around it.
func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
