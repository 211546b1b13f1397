package secret

import "bytes"

// A rule looks for a credential at a literal.
type rule struct {
	literal string // at least window bytes; lower case if fold
	fold    bool   // in either case
	find    func(t *text, at int) (match, bool)
}

func (r *rule) literalAt(data []byte) bool {
	if len(data) < len(r.literal) {
		return false
	}
	if r.fold {
		return equalFold(data[:len(r.literal)], r.literal)
	}
	return string(data[:len(r.literal)]) == r.literal
}

// equalFold reports whether data is want, in lower or upper case. want is in lower case.
func equalFold(data []byte, want string) bool {
	if len(data) != len(want) {
		return false
	}
	for i := range len(want) {
		if lower(data[i]) != want[i] {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// A literals finds the places of many literals in one pass: at each byte it looks up the hash of three bytes, of which
// one in a hundred starts a literal.
type literals struct {
	starts [1 << (hashBits - 6)]uint64 // a bit for the hash of each start
	table  []uint16                    // 1 + the index in lists, by hash; 0: none
	lists  [][]*rule
}

// window is the length of the shortest literal.
const window = 3

func newLiterals(rules []*rule) *literals {
	l := &literals{table: make([]uint16, 1<<hashBits)}
	for _, r := range rules {
		for _, start := range variants(r.literal[:window], r.fold) {
			h := hash(uint32(start[0])<<16 | uint32(start[1])<<8 | uint32(start[2]))
			l.starts[h>>6] |= 1 << (h & 63)
			if l.table[h] == 0 {
				l.lists = append(l.lists, nil)
				l.table[h] = uint16(len(l.lists))
			}
			l.lists[l.table[h]-1] = append(l.lists[l.table[h]-1], r)
		}
	}
	return l
}

// variants returns text in all mixtures of lower and upper case, if fold is set.
func variants(text string, fold bool) [][window]byte {
	all := [][window]byte{[window]byte([]byte(text))}
	for i := 0; fold && i < window; i++ {
		upper := bytes.ToUpper([]byte(text[i : i+1]))[0]
		if upper == text[i] {
			continue
		}
		for _, v := range all {
			v[i] = upper
			all = append(all, v)
		}
	}
	return all
}

const hashBits = 16

// hash mixes the last three bytes of v.
func hash(v uint32) uint32 { return (v << 8) * 0x9e3779b1 >> (32 - hashBits) }

// next returns the first place at or after at where a literal may start, and the rules for it; nil if none is left.
func (l *literals) next(data []byte, at int) (int, []*rule) {
	if at+window > len(data) {
		return len(data), nil
	}
	v := uint32(data[at])<<8 | uint32(data[at+1])
	for i, c := range data[at+2:] {
		v = v<<8 | uint32(c)
		if h := hash(v); l.starts[h>>6]>>(h&63)&1 != 0 {
			return at + i, l.lists[l.table[h]-1]
		}
	}
	return len(data), nil
}
