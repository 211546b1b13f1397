package textsearch

// Root cuts the ending off a lower-case English word, in place: "serializer", "serialized" and "serialization" become
// "serial". The result is always a prefix of the word. The stems of [Terms] are finer.
func Root(word []byte) []byte {
	for _, ending := range endings {
		n := len(word) - len(ending)
		if n < 3 || string(word[n:]) != ending {
			continue
		}
		if last := word[n-1]; ending == "s" && (last == 's' || last == 'u' || last == 'i') {
			continue
		}
		word = word[:n]
		break
	}
	if n := len(word); n > 3 && word[n-1] == word[n-2] && word[n-1] != 'l' && word[n-1] != 's' {
		word = word[:n-1]
	}
	if n := len(word); n > 3 && word[n-1] == 'e' {
		word = word[:n-1]
	}
	return word
}

// endings are tried in this order.
var endings = []string{
	"ization", "isation", "ations", "ation", "ition", "izers", "izer", "izing", "ized", "izes", "ize", "ators", "ator",
	"ating", "ated", "ates", "ate", "ments", "ment", "ness", "ities", "ity", "ables", "able", "ible", "ives", "ive",
	"ings", "ing", "ers", "er", "ors", "or", "ions", "ion", "als", "al", "ies", "ied", "ed", "es", "ly", "s", "y", "e",
}
