package explore

import (
	"encoding/json"
	"strings"
	"unicode"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/internal/lazyregexp"
)

// Bounds of an echo.
const (
	runWords    = 6  // words in a row that count as repeated
	promptShare = .5 // of an answer's words that are ours: the system prompt, instructions and notes
	quoteShare  = .8 // of an answer's words that are in the evidence
	quoteWords  = 80 // an answer of fewer words may consist of quotes
)

// isEcho reports whether an answer repeats what its model was sent.
func isEcho(text string, r *agent.Result, e *evidence) bool {
	words := wordsOf(text)
	if len(words) < runWords {
		return false
	}
	ours := []string{evidencePrompt, closePrompt, absentPrompt}
	for _, entry := range r.Transcript {
		if p := entry.Prefix; p != nil {
			ours = append(ours, p.System)
			for _, tool := range p.Tools {
				ours = append(ours, tool.Description)
			}
		}
		if entry.Note != nil {
			ours = append(ours, entry.Note.Text)
		}
	}
	if repeated(words, ours) >= promptShare*float64(len(words)) {
		return true
	}
	return e != nil && len(words) >= quoteWords && repeated(words, append(ours, e.text)) >= quoteShare*float64(len(words))
}

// finalCitations matches the citations at the end of an answer.
var finalCitations = lazyregexp.New(`(?:\s*[\[【][^\[\]【】\n]*[\]】])+\s*$`)

// asksBack reports whether an answer is a question that adds no word to the one that was asked.
func asksBack(text, question string) bool {
	text = strings.TrimSpace(finalCitations.ReplaceAllString(strings.TrimSpace(text), ""))
	words := wordsOf(text)
	return len(words) >= runWords && strings.HasSuffix(text, "?") &&
		repeated(words, []string{question}) == float64(len(words))
}

// repeated counts the words that are part of a run of words in one of the texts.
func repeated(words, texts []string) float64 {
	runs := map[string]bool{}
	for _, text := range texts {
		ws := wordsOf(text)
		for i := 0; i+runWords <= len(ws); i++ {
			runs[strings.Join(ws[i:i+runWords], " ")] = true
		}
	}
	n, counted := 0, 0
	for i := 0; i+runWords <= len(words); i++ {
		if runs[strings.Join(words[i:i+runWords], " ")] {
			n += i + runWords - max(i, counted)
			counted = i + runWords
		}
	}
	return float64(n)
}

// wordsOf returns the words of a text in lower case.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// wrapping matches what models put around JSON: the marks of a code block, and tags.
var wrapping = lazyregexp.New("```\\w*|</?[\\w|]+>")

// isData reports whether an answer is JSON rather than prose, such as a call that was written as text.
func isData(text string) bool {
	rest := strings.TrimSpace(wrapping.ReplaceAllString(text, ""))
	if !strings.HasPrefix(rest, "{") && !strings.HasPrefix(rest, "[{") {
		return false
	}
	d := json.NewDecoder(strings.NewReader(rest))
	var v any
	return d.Decode(&v) == nil
}
