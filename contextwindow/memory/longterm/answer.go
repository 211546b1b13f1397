package longterm

import (
	_ "embed" // the prompt
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode/utf8"
)

//go:embed prompts/extraction.md
var extractionPrompt string

// The lengths that a model is shown, in characters of each part of an exchange, and that it may answer with.
const (
	shownQuestion   = 6000
	shownAnswer     = 3000
	longestAnswer   = 32_000
	longestContent  = 500
	shortestContent = 3
)

// errNoList is the error of an answer that holds no JSON array.
var errNoList = errors.New("the model's answer is no list of memories")

// exchangePrompt shows an exchange and what is known about it, escaped, so that neither can end its element.
func exchangePrompt(x Exchange, known []Match) string {
	var b strings.Builder
	b.WriteString("<known>\n")
	for _, m := range known {
		fmt.Fprintf(&b, "%s: %s\n", m.ID, html.EscapeString(strings.Join(strings.Fields(m.Content), " ")))
	}
	b.WriteString("</known>\n<exchange>\n")
	fmt.Fprintf(&b, "user: %s\n\nassistant: %s\n", html.EscapeString(ends(x.Question, shownQuestion)), html.EscapeString(ends(x.Answer, shownAnswer)))
	b.WriteString("</exchange>")
	return b.String()
}

// ends returns the beginning and the end of a text that is longer than limit characters.
func ends(text string, limit int) string {
	r := []rune(text)
	if len(r) <= limit {
		return text
	}
	return string(r[:limit*2/3]) + "\n[…]\n" + string(r[len(r)-limit/3:])
}

// parseStatements reads a model's answer: a JSON array, perhaps in a fence or with words around it. Elements that are
// not good are left out; an answer without array, or none of whose elements are good, is an error, an empty array not.
func parseStatements(answer string, known []Match) ([]statement, error) {
	if len(answer) > longestAnswer {
		return nil, fmt.Errorf("%w: it has %d bytes", errNoList, len(answer))
	}
	elements, err := firstArray(answer)
	if err != nil {
		return nil, err
	}
	var found []statement
	for _, e := range elements {
		if s, ok := readStatement(e, known); ok && !slices.ContainsFunc(found, func(o statement) bool { return o.Content == s.Content }) {
			found = append(found, s)
		}
	}
	if len(elements) > 0 && len(found) == 0 {
		return nil, fmt.Errorf("%w: none of its %d elements is one", errNoList, len(elements))
	}
	return found[:min(len(found), mostStatements)], nil
}

// arrayTries is at how many brackets an array is looked for.
const arrayTries = 10

// firstArray returns the elements of the first JSON array in a text.
func firstArray(text string) ([]json.RawMessage, error) {
	at := strings.IndexByte(text, '[')
	for range arrayTries {
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

// readStatement reads one element, and reports whether it is a statement that can be kept. A memory to replace that the
// model was not shown is ignored.
func readStatement(element json.RawMessage, known []Match) (statement, bool) {
	var e struct {
		Content    string   `json:"content"`
		Category   Category `json:"category"`
		Importance float64  `json:"importance"`
		Replaces   string   `json:"replaces"`
	}
	if err := json.Unmarshal(element, &e); err != nil {
		return statement{}, false
	}
	s := statement{Content: strings.Join(strings.Fields(e.Content), " "), Category: e.Category, Importance: int(e.Importance)}
	n := utf8.RuneCountInString(s.Content)
	if n < shortestContent || n > longestContent || questionLike(s.Content) || !slices.Contains(Categories(), s.Category) ||
		e.Importance < 1 || e.Importance > 10 {
		return statement{}, false
	}
	if slices.ContainsFunc(known, func(m Match) bool { return m.ID == e.Replaces }) {
		s.Replaces = e.Replaces
	}
	return s, true
}
