package explore

import (
	"context"
	_ "embed" // the prompts
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

//go:embed prompts/words.md
var wordsPrompt string

// wordsExamples are questions, each followed by a line of words.
//
//go:embed prompts/words.txt
var wordsExamples string

// Bounds of the words that a model gives.
const (
	maxWords       = 12
	maxWordsAnswer = 40 // tokens
)

// searchable matches what may occur in code.
var searchable = regexp.MustCompile(`[\pL_$][\pL\pN_$]+(?:[.:][\pL_$][\pL\pN_$]+)*`)

// words asks the model in which words code would answer the question. People ask in other words than the code has, and
// in other languages. It returns "" if the model gives none.
func (x *modelRun) words(ctx context.Context) string {
	req := &providers.Request{
		System: strings.TrimSpace(wordsPrompt), MaxOutput: maxWordsAnswer, Temperature: x.config.Sampling.Temperature,
	}
	role := transcript.User
	for example := range strings.Lines(wordsExamples) {
		req.Messages = append(req.Messages, transcript.Message{Role: role, Text: strings.TrimSpace(example)})
		if role = transcript.Assistant; len(req.Messages)%2 == 0 {
			role = transcript.User
		}
	}
	req.Messages = append(req.Messages, transcript.Message{Role: transcript.User, Text: x.question})
	answer, err := providers.Ask(ctx, x.config.Model, req)
	x.asked = x.asked.Add(answer.Usage)
	if err != nil && providers.ClassOf(err) != providers.TooLong { // then the first line counts
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
