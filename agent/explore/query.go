package explore

import (
	"context"
	_ "embed" // the prompt
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

//go:embed prompts/words.md
var wordsPrompt string

// Bounds of the words that a model gives.
const (
	maxWords       = 12
	maxWordsAnswer = 64 // tokens
)

// searchable matches what may occur in code.
var searchable = regexp.MustCompile(`[\pL_$][\pL\pN_$]+(?:[.:][\pL_$][\pL\pN_$]+)*`)

// words asks the model in which words code would answer the question. Searches find the words of a question only in its
// own language, and few in code that calls the matter something else. It returns "" if the model gives none.
func (x *modelRun) words(ctx context.Context) string {
	answer, err := providers.Ask(ctx, x.config.Model, &providers.Request{
		Messages: []transcript.Message{{Role: transcript.User,
			Text: strings.TrimSpace(wordsPrompt) + "\n\nQuestion: " + x.question}},
		MaxOutput: maxWordsAnswer, Temperature: x.config.Sampling.Temperature,
	})
	x.asked = x.asked.Add(answer.Usage)
	if err != nil {
		return "" // the run meets the same error, and reports it
	}
	line, _, _ := strings.Cut(strings.TrimSpace(answer.Message.Text), "\n")
	var all []string
	for _, w := range searchable.FindAllString(line, -1) {
		if !slices.Contains(all, w) && len(all) < maxWords {
			all = append(all, w)
		}
	}
	return strings.Join(all, " ")
}
