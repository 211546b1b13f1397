package search

import (
	"bytes"
	"regexp/syntax"
	"slices"
)

// needles are byte strings, one of which occurs in every match of a pattern. A search finds them with bytes.Index,
// which is many times faster than a regexp.
type needles struct {
	list [][]byte // empty: unknown
	rare []int    // the offset of the rarest byte of each
	fold bool     // ignore the case of ASCII letters; list is in lower case
}

// maxNeedles is how many strings are searched for at once. With more, a regexp is as fast.
const maxNeedles = 16

// required finds the needles of a parsed pattern.
func required(re *syntax.Regexp) needles {
	f := finder{}
	exact, best := f.find(re)
	n := needles{fold: f.fold}
	for _, s := range better(exact, best) {
		b := []byte(string(s))
		if f.fold {
			b = bytes.ToLower(b)
		}
		n.list = append(n.list, b)
	}
	slices.SortFunc(n.list, bytes.Compare)
	n.list = slices.CompactFunc(n.list, bytes.Equal)
	for _, b := range n.list {
		n.rare = append(n.rare, rarest(b))
	}
	return n
}

// A set holds strings: as "exact" all that an expression can match, as "best" some that each match contains one of.
// nil means unknown.
type set [][]rune

type finder struct{ fold bool } // fold: some literal ignores case, so all do

func (f *finder) find(re *syntax.Regexp) (exact, best set) {
	switch re.Op {
	case syntax.OpLiteral:
		f.fold = f.fold || re.Flags&syntax.FoldCase != 0
		return set{re.Rune}, nil
	case syntax.OpCharClass:
		return small(re.Rune), nil
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return set{nil}, nil
	case syntax.OpCapture:
		return f.find(re.Sub[0])
	case syntax.OpPlus, syntax.OpRepeat:
		if re.Op == syntax.OpRepeat && re.Min == 0 {
			return nil, nil
		}
		exact, best = f.find(re.Sub[0])
		return nil, better(exact, best)
	case syntax.OpAlternate:
		return f.alternate(re.Sub)
	case syntax.OpConcat:
		return f.concat(re.Sub)
	default: // star, quest, any character: nothing must occur
		return nil, nil
	}
}

// small returns a class as strings, if it has few members.
func small(ranges []rune) set {
	var s set
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if s = append(s, []rune{r}); len(s) > 4 {
				return nil
			}
		}
	}
	return s
}

func (f *finder) alternate(subs []*syntax.Regexp) (exact, best set) {
	allExact, known := true, true
	for _, sub := range subs {
		e, b := f.find(sub)
		allExact = allExact && e != nil
		exact = append(exact, e...)
		one := better(e, b)
		known = known && one != nil
		best = append(best, one...)
	}
	if !allExact || len(exact) > maxNeedles {
		exact = nil
	}
	if !known || len(best) > maxNeedles {
		best = nil
	}
	return exact, best
}

func (f *finder) concat(subs []*syntax.Regexp) (exact, best set) {
	run, whole := set{nil}, true
	for _, sub := range subs {
		e, b := f.find(sub)
		if e != nil && len(run)*len(e) <= maxNeedles {
			run = cross(run, e)
			continue
		}
		best = better(better(best, run), b)
		run, whole = set{nil}, false
		if e != nil {
			run = e
		}
	}
	if whole {
		return run, nil
	}
	return nil, better(best, run)
}

func cross(a, b set) set {
	var s set
	for _, x := range a {
		for _, y := range b {
			s = append(s, slices.Concat(x, y))
		}
	}
	return s
}

// better returns the set whose shortest string is longer; of equal ones the smaller. A set with "" is useless.
func better(a, b set) set {
	la, lb := shortest(a), shortest(b)
	switch {
	case la == 0 && lb == 0:
		return nil
	case la > lb, la == lb && len(a) <= len(b):
		return a
	default:
		return b
	}
}

func shortest(s set) int {
	n := 0
	for i, r := range s {
		if i == 0 || len(r) < n {
			n = len(r)
		}
	}
	return n
}
