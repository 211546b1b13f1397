package said

import (
	"hash/fnv"
	"slices"
)

// A form is the words of a sentence, hashed, to compare it with others: all names and numbers are 0, and an empty form
// resembles nothing.
type form []uint32

// Bounds of what is repetitive.
const (
	mostForm   = 32 // words that are compared
	sharedForm = 2  // of three words that two sentences have at the same places if they are alike
	shortForm  = 4  // words up to which all have to be the same: "never use eval" and "never use globals" are two rules
	mostForms  = 32 // forms that begin, or end, alike and are compared with others
	freeAlike  = 4  // sentences that are alike and keep their value
)

func formOf(tokens []token) form {
	f := make(form, min(len(tokens), mostForm))
	for i := range f {
		if t := &tokens[i]; !isName(t, i == 0) {
			f[i] = max(hashOf(t.lower), 1)
		}
	}
	return f
}

func hashOf(word string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(word))
	return h.Sum32()
}

// resembles reports whether two forms of one length share most of their words, or all if they are short.
func (f form) resembles(other form) bool {
	same := 0
	for i := range f {
		if f[i] == other[i] {
			same++
		}
	}
	return same == len(f) || len(f) > shortForm && 3*same >= sharedForm*len(f)
}

// A formEnd is where forms that resemble each other are looked for: among those of as many words that begin, or end,
// with the same one.
type formEnd struct {
	words int
	word  uint32
	last  bool
}

// group numbers the items in own words by what they resemble, from 1; 0 is for those that resemble nothing.
func group(items []item) {
	known, groups := make(map[formEnd][]int32), make([]form, 1)
	for i := range items {
		it := &items[i]
		if it.group = 0; !it.Own || len(it.form) == 0 {
			continue
		}
		n := len(it.form)
		ends := [...]formEnd{{n, it.form[0], false}, {n, it.form[n-1], true}}
		for _, end := range ends {
			if at := slices.IndexFunc(known[end], func(g int32) bool { return it.form.resembles(groups[g]) }); at >= 0 {
				it.group = known[end][at]
				break
			}
		}
		if it.group > 0 {
			continue
		}
		it.group = int32(len(groups))
		groups = append(groups, it.form)
		for _, end := range ends {
			if len(known[end]) < mostForms {
				known[end] = append(known[end], it.group)
			}
		}
	}
}

// Repeated returns how many later ones resemble each of some sentences.
func Repeated(sentences []string) []int {
	items, later := make([]item, len(sentences)), make([]int, len(sentences))
	for i, text := range sentences {
		items[i].Sentence = &Sentence{Own: true, form: formOf(scan(nil, text))}
	}
	group(items)
	of := make(map[int32]int)
	for i, it := range slices.Backward(items) {
		later[i] = of[it.group]
		if it.group > 0 {
			of[it.group]++
		}
	}
	return later
}

// repetition is what remains of the value of a sentence that so many newer ones resemble: what somebody says in the
// same words again and again, such as an error, leaves room for what was said once.
func repetition(newer int) float64 {
	part := freeAlike / float64(max(newer+1, freeAlike))
	return part * part
}
