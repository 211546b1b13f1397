package longterm

import (
	_ "embed" // for the prompt
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/forayhq/foray/contextwindow/memory/internal/speech"
	"github.com/forayhq/foray/contextwindow/memory/internal/stated"
)

//go:embed prompts/extraction.md
var extractionPrompt string

// How much a model is shown of each part of an exchange, and how much it may answer, in characters.
const (
	shownQuestion = 6000
	shownAnswer   = 3000
	maxAnswer     = 32_000
	maxStatements = 8 // of one exchange
	maxStatement  = 500
	minStatement  = 3
)

// errNoList is the error of an answer without a JSON array.
var errNoList = errors.New("the model's answer is not a list of memories")

// exchangePrompt shows an exchange and what is known about it, fenced so that none can close its element.
func exchangePrompt(x Exchange, known []Match) string {
	var b strings.Builder
	b.WriteString("<known>\n")
	for _, m := range known {
		fmt.Fprintf(&b, "%s: %s\n", m.ID, speech.Fenced(strings.Join(strings.Fields(m.Content), " ")))
	}
	fmt.Fprintf(&b, "</known>\n<user>\n%s\n</user>\n<assistant>\n%s\n</assistant>",
		speech.Fenced(ends(x.Question, shownQuestion)), speech.Fenced(ends(x.Answer, shownAnswer)))
	return b.String()
}

// ends returns a text, or its beginning and end if it has more than limit characters.
func ends(text string, limit int) string {
	r := []rune(text)
	if len(r) <= limit {
		return text
	}
	return string(r[:limit*2/3]) + "\n[…]\n" + string(r[len(r)-limit/3:])
}

// parseStatements parses a model's answer: a JSON array, perhaps in a fence or with words around it. It leaves out what
// no memory says. An answer without an array, or with elements that all have no content, is an error; an empty array is
// not.
func parseStatements(answer string, known []Match) ([]statement, error) {
	if len(answer) > maxAnswer {
		return nil, fmt.Errorf("%w: %d bytes", errNoList, len(answer))
	}
	elements, err := firstArray(answer)
	if err != nil {
		return nil, err
	}
	var found []statement
	read := 0
	for _, e := range elements {
		s, err := readStatement(e, known)
		if err != nil {
			continue
		}
		read++
		if s.isMemory() && !slices.ContainsFunc(found, func(o statement) bool { return o.Content == s.Content }) {
			found = append(found, s)
		}
	}
	if len(elements) > 0 && read == 0 {
		return nil, fmt.Errorf("%w: none of its %d elements is a memory", errNoList, len(elements))
	}
	return found[:min(len(found), maxStatements)], nil
}

// maxBrackets is at how many brackets an array is tried.
const maxBrackets = 10

// firstArray returns the elements of the first JSON array in a text.
func firstArray(text string) ([]json.RawMessage, error) {
	at := strings.IndexByte(text, '[')
	for range maxBrackets {
		if at < 0 {
			break
		}
		var elements []json.RawMessage
		if err := json.NewDecoder(strings.NewReader(text[at:])).Decode(&elements); err == nil {
			return elements, nil
		}
		next := strings.IndexByte(text[at+1:], '[')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return nil, errNoList
}

// readStatement parses one element. It ignores an id to replace that the model was not shown, and takes a category that
// does not exist for a fact.
func readStatement(element json.RawMessage, known []Match) (statement, error) {
	var e struct {
		Content    string   `json:"content"`
		Category   Category `json:"category"`
		Importance float64  `json:"importance"`
		Replaces   any      `json:"replaces"` // a string, or what a model writes for none: null, [] or ""
	}
	if err := json.Unmarshal(element, &e); err != nil {
		return statement{}, err
	}
	if e.Content == "" {
		return statement{}, errNoList
	}
	s := statement{Content: tidied(e.Content), Category: e.Category, Importance: int(e.Importance)}
	if !slices.Contains(Categories(), s.Category) {
		s.Category = Fact
	}
	if slices.ContainsFunc(known, func(m Match) bool { return m.ID == e.Replaces }) {
		s.Replaces, _ = e.Replaces.(string)
	}
	return s, nil
}

// isMemory reports whether a statement of a model is one that may be kept.
func (s *statement) isMemory() bool {
	n := utf8.RuneCountInString(s.Content)
	return n >= minStatement && n <= maxStatement && s.Importance >= 1 && s.Importance <= 10 && !stated.IsSecret(s.Content)
}
