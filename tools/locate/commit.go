package locate

import "github.com/forayhq/foray/internal/textsearch"

// A Commit is a change in the history, with the words of its message.
type Commit struct {
	words   bag
	hash    string   // hexadecimal, "" if unknown
	numbers []string // of issues and pull requests
	files   []string
}

// Bounds of the history that is used.
const (
	maxCommits = 20_000
	maxFiles   = 20 // of a commit: a commit that changes more says nothing about any of them
	maxNumbers = 10 // issues in a message: more are the contents of a release
)

// NewCommit takes the words of a commit's message and the issues that it names. The paths of the changed files are
// relative to the root, with slashes.
func NewCommit(hash, message string, files []string) Commit {
	var terms []term
	var s splitter
	raw := []byte(message)
	textsearch.Names(raw, func(from, to int) {
		s.terms(raw[from:to], func(t term) { terms = append(terms, t) })
	})
	c := Commit{words: newBag(terms), hash: hash, numbers: numbersIn(message), files: files}
	if len(c.files) > maxFiles {
		c.files = nil
	}
	if len(c.numbers) > maxNumbers {
		c.numbers = nil
	}
	return c
}
