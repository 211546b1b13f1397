package said

// leastNovelty is what remains of the value of a pasted sentence all of whose words occur elsewhere in its message.
const leastNovelty = .2

// wordCounts counts how often words occur in a message, up to 2: a sentence whose words the rest of a paste
// does not use probably was not pasted. Words of equal hash count as one.
type wordCounts [1 << 14]uint8

// count counts the words of a line.
func (w *wordCounts) count(line string) {
	eachWord(line, func(hash uint32) {
		if c := &w[hash%uint32(len(w))]; *c < 2 {
			*c++
		}
	})
}

// novelty is the share of the words of a sentence that occur nowhere else, 0 to 1.
func (w *wordCounts) novelty(sentence string) float64 {
	all, novel := 0, 0
	eachWord(sentence, func(hash uint32) {
		all++
		if w[hash%uint32(len(w))] == 1 {
			novel++
		}
	})
	return float64(novel) / float64(max(all, 1))
}

const leastWord = 4 // bytes of a word that counts

// eachWord calls a function with the hash of each longer word, in any case, and of each three bytes of another script.
func eachWord(text string, do func(hash uint32)) {
	const offset, prime = 2_166_136_261, 16_777_619 // FNV-1a
	hash, length := uint32(offset), 0
	for i := 0; i <= len(text); i++ {
		c := byte(0)
		if i < len(text) {
			c = text[i]
		}
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		letter := c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80
		if letter {
			hash = (hash ^ uint32(c)) * prime
			length++
		}
		if !letter || c >= 0x80 && length >= 6 {
			if length >= leastWord {
				do(hash)
			}
			hash, length = offset, 0
		}
	}
}
