package longterm

import (
	_ "embed" // for the prompt
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode/utf8"

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

// exchangePrompt shows an exchange and what is known about it, escaped so that neither can close its element.
func exchangePrompt(x Exchange, known []Match) string {
	var b strings.Builder
	b.WriteString("<known>\n")
	for _, m := range known {
		fmt.Fprintf(&b, "%s: %s\n", m.ID, html.EscapeString(strings.Join(strings.Fields(m.Content), " ")))
	}
	b.WriteString("</known>\n<exchange>\n")
	fmt.Fprintf(&b, "user: %s\n\nassistant: %s\n", html.EscapeString(ends(x.Question, shownQuestion)),
		html.EscapeString(ends(x.Answer, shownAnswer)))
	b.WriteString("</exchange>")
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

// parseStatements parses a model's answer: a JSON array, perhaps in a fence or with words around it. It leaves out
// invalid elements. An answer without an array, or with invalid elements only, is an error; an empty array is not.
func parseStatements(answer string, known []Match) ([]statement, error) {
	if len(answer) > maxAnswer {
		return nil, fmt.Errorf("%w: %d bytes", errNoList, len(answer))
	}
	elements, err := firstArray(answer)
	if err != nil {
		return nil, err
	}
	var found []statement
	for _, e := range elements {
		s, ok := readStatement(e, known)
		if ok && !slices.ContainsFunc(found, func(o statement) bool { return o.Content == s.Content }) {
			found = append(found, s)
		}
	}
	if len(elements) > 0 && len(found) == 0 {
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

// readStatement parses one element and reports whether it is valid. It ignores an id to replace that the model was
// not shown.
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
	content := strings.Join(strings.Fields(e.Content), " ")
	s := statement{Content: content, Category: e.Category, Importance: int(e.Importance)}
	n := utf8.RuneCountInString(s.Content)
	if n < minStatement || n > maxStatement || stated.IsQuestion(s.Content) ||
		!slices.Contains(Categories(), s.Category) ||
		e.Importance < 1 || e.Importance > 10 {
		return statement{}, false
	}
	if slices.ContainsFunc(known, func(m Match) bool { return m.ID == e.Replaces }) {
		s.Replaces = e.Replaces
	}
	return s, true
}
