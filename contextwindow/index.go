package contextwindow

import (
	"hash/maphash"
	"slices"
	"strings"

	"github.com/forayhq/foray/toollimit"
)

// A nameIndex counts how often identifiers occur in the view.
type nameIndex map[string]int32

// add counts names n times. An index that was not built yet stays nil.
func (x nameIndex) add(names []string, n int32) {
	if x == nil {
		return
	}
	for _, name := range names {
		if x[name] += n; x[name] == 0 {
			delete(x, name)
		}
	}
}

func (x nameIndex) addText(text string, n int32) {
	if x != nil {
		x.add(slices.Collect(toollimit.Identifiers(text)), n)
	}
}

// A run of lines that the view already shows is replaced by one line if it has at least repeatLines lines and
// repeatRunes characters, unless the same call was made within the last repeatMessages messages: who asks twice wants
// the text.
const (
	repeatLines    = 5
	repeatRunes    = 150
	repeatMessages = 8
)

// A lineIndex finds runs of lines in the view: by the hash of repeatLines lines, the lines of a message from there on.
// If a run occurs in several messages, it knows the newest.
type lineIndex map[uint64][]string

func (x lineIndex) add(text string) {
	lines := splitLines(text)
	for at, hash := range hashRuns(lines) {
		x[hash] = lines[at:]
	}
}

// longest returns how many lines from at on occur as one run in the view, given the hashes of all runs.
func (x lineIndex) longest(lines []string, hashes []uint64, at int) int {
	if at >= len(hashes) {
		return 0
	}
	known := x[hashes[at]]
	n := 0
	for n < len(known) && at+n < len(lines) && known[n] == lines[at+n] {
		n++
	}
	return n
}

func splitLines(text string) []string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r")
	}
	return lines
}

var runSeed = maphash.MakeSeed() // the hashes never leave the process

// hashRuns returns the hash of each run of repeatLines lines, by its first line.
func hashRuns(lines []string) []uint64 {
	if len(lines) < repeatLines {
		return nil
	}
	const prime = 1_099_511_628_211 // of the 64-bit FNV hash
	each := make([]uint64, len(lines))
	for i, line := range lines {
		each[i] = maphash.String(runSeed, line)
	}
	hashes := make([]uint64, len(lines)-repeatLines+1)
	for at := range hashes {
		for _, hash := range each[at : at+repeatLines] {
			hashes[at] = hashes[at]*prime + hash
		}
	}
	return hashes
}
