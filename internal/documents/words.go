package documents

import (
	"strings"
	"sync"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/textsearch"
)

// stops are words that a title or a question is rarely about. They decide only between titles that fit equally.
var stops = set(`a an the of to in on for with and or as at by from into is are was be been do does did don t s how what
where why when which who can could should would will shall must i we you my our your me us it its this that these
those there here if not no any some all get got about please let make want need say says tell doc docs
documentation readme project repo repository way best go through between after before without over under up down out off own everything whole one two three wie was wo kann ich man der die das ein eine einen und oder für mit von
zu im in den dem ist sind wird mein meine`)

// concepts are words that mean the same in documentation. The first of a line stands for the others.
const concepts = `install installation setup installieren installiere installiert einrichten
start quickstart begin beginning anfangen loslegen
build compile compilation bauen baue gebaut kompilieren
test testen teste getestet
contribute contribution contributor beitragen mitwirken mitmachen
use usage using verwenden verwende benutzen benutze nutzen
upgrade update migrate migration upgrading aktualisieren aktualisiere
configure config configuration setting settings konfigurieren konfiguriere einstellen
run launch execute ausführen starten starte
add adding hinzufügen
create new erstellen anlegen neu neue neues neuen neuer
remove delete uninstall entfernen löschen deinstallieren
license licence lizenz
help support hilfe
report melden
release publish veröffentlichen
debug debugging debuggen
error errors exception fehler
cancel abort interrupt abbrechen
login authentication authenticate auth anmelden anmeldung
page pages pagination paginate
expire expiry expiration ttl
parallel concurrent concurrently concurrency simultaneous simultaneously
security vulnerability sicherheit
example examples beispiel beispiele`

func set(words string) map[string]bool {
	all := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		all[w] = true
	}
	return all
}

// conceptOf returns the concept of each root that has one.
var conceptOf = sync.OnceValue(func() map[string]string {
	all := make(map[string]string)
	for group := range strings.SplitSeq(concepts, "\n") {
		words := strings.Fields(group)
		for _, w := range words {
			all[root(w)] = words[0]
		}
	}
	return all
})

// rootsOf returns the roots of the words of each concept.
var rootsOf = sync.OnceValue(func() map[string][]string {
	all := make(map[string][]string)
	for r, concept := range conceptOf() {
		all[concept] = append(all[concept], r)
	}
	return all
})

// wordRuns matches a name of code, a word or a number.
var wordRuns = lazyregexp.New(`[\pL\d_]+`)

func root(word string) string { return string(textsearch.KinRoot([]byte(word))) }

// A word is one of a question or of a title.
type word struct {
	text, root string
	joined     string // root of a question's word with the particle after it: "back up" is a backup; empty without one
}

// particles are written in one word with the verb before them where both are a noun. Else they say nothing.
var particles = set(`up down in out on off`)

func wordsOf(text string) []word {
	var all []word
	for _, w := range textsearch.Words(text) {
		all = append(all, word{text: w, root: root(w)})
	}
	return all
}

// Qualities of a match between two words.
const (
	sameWord   = 1.0
	sameSense  = .85 // two words of one concept
	misspelled = .8
)

// match returns how well a word of a title matches one of a question: a quality, or 0.
func (w word) match(of word) float64 {
	switch {
	case w.root == of.root, of.joined != "" && w.root == of.joined, w.joined != "" && w.joined == of.root:
		return sameWord
	case conceptOf()[w.root] != "" && conceptOf()[w.root] == conceptOf()[of.root]:
		return sameSense
	case Alike(w.text, of.text), Alike(w.root, of.root), Alike(w.root, of.text):
		return misspelled
	}
	return 0
}

// Lengths from which a word may contain one and two mistakes.
const (
	oneMistake  = 4
	twoMistakes = 8
)

// Alike reports whether b is a with few mistakes: letters that are wrong, missing, added or swapped with the next.
func Alike(a, b string) bool {
	most := 0
	switch n := min(len(a), len(b)); {
	case n >= twoMistakes:
		most = 2
	case n >= oneMistake:
		most = 1
	}
	if most == 0 || a[0] != b[0] || len(a)-len(b) > most || len(b)-len(a) > most { // few mistype the first letter
		return false
	}
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, above, row = above, row, before
		row[0] = i + 1
		least := row[0]
		for j := range len(b) {
			cost := above[j]
			if a[i] != b[j] {
				cost = 1 + min(above[j], above[j+1], row[j])
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				cost = min(cost, before[j-1]+1)
			}
			row[j+1] = cost
			least = min(least, cost)
		}
		if least > most {
			return false
		}
	}
	return row[len(b)] <= most
}
