package explore

import (
	"context"
	_ "embed" // the prompt
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/explore/internal/asked"
	"github.com/forayhq/foray/internal/lazyregexp"
)

//go:embed prompts/message.md
var messagePrompt string

// Bounds of the evidence for a message, in tokens: less shows no definition, more is not worth the reading each turn.
// If no file contains a word of the message, it is likely to be about the conversation.
const (
	leastRoom     = 300
	mostInChat    = 2_500
	mostIfMissing = 800
)

// mostAsked is how much of a message is searched for a question and names, in bytes: more than a stack trace with a
// question beside it. Each rule reads all of it, which takes seconds a megabyte.
const mostAsked = 20_000

// Evidence returns what the heuristic explorer finds for a message of a conversation, in at most the given number of
// tokens, as a language model reads it before the message. It returns "" if nothing is found, or if the message does
// not ask about the code: it names nothing that the tree defines, and is not a question, or is one about the speakers.
// Of a message of more than 20,000 bytes it reads both ends.
func (t *Tree) Evidence(ctx context.Context, message string, tokens int) (string, error) {
	if n := len(message); n > mostAsked {
		message = strings.ToValidUTF8(message[:mostAsked/2], "") + "\n" + strings.ToValidUTF8(message[n-mostAsked/2:], "")
	}
	m := asked.Read(message)
	if tokens < leastRoom || !mayAsk(m) {
		return "", nil
	}
	r := room{usual: min(tokens, mostInChat), missing: mostIfMissing}
	rec, err := t.gather(ctx, message, nil, r, func(agent.Event) bool { return true })
	if err != nil {
		return "", err
	}
	e := evidenceOf([]agent.ToolRecord{rec})
	if len(e.excerpts) == 0 || !e.found.Found || !asks(m) && !strings.HasPrefix(e.excerpts[0].Why, definesWhy) {
		return "", nil
	}
	return fmt.Sprintf("%s\n\n"+strings.TrimSpace(messagePrompt), e.text, e.example()), nil
}

// definesWhy begins the reason of a place that defines a name of the question.
const definesWhy = "defines "

var (
	// polite opens a question that is put as a request.
	polite = lazyregexp.New(`(?i)\b(?:please|(?:can|could|would|will|do) you (?:know |tell |show |explain |find )?(?:me )?|` +
		`(?:tell|show|give|help) me|I (?:want|would like|'d like) to know|I wonder)\b`)
	// speakers are the two who talk.
	speakers = lazyregexp.New(`(?i)\b(?:I|I'm|me|my|mine|you|your|yours)\b|[我你您]`)
	// questionForm matches a question, or a request to look something up.
	questionForm = lazyregexp.New(`(?i)[?？]|^\W*(?:where|what|which|who|whose|how|why|when|is|are|does|do|can|find|show|list|` +
		`explain|describe|summari[sz]e|outline|trace|locate|look up|wo|was|wer|wie|warum|où|comment|pourquoi|quel)\b|[哪谁什怎何吗]|如何`)
)

// anyone matches where a question means whoever uses the code: how do I set it, what happens if I call it twice?
var anyone = lazyregexp.New(`(?i)\b(?:how (?:do|can|could|should|would|must)|if|when|unless|whenever) (?:I|you)\b`)

// asks reports whether a message asks about something other than those who talk: what is pasted, or what a sentence of
// the question is about.
func asks(m asked.Message) bool {
	for l := range strings.Lines(polite.ReplaceAllString(questionsOf(m), "")) {
		for _, s := range sentences(l) {
			if questionForm.MatchString(s) && !speakers.MatchString(anyone.ReplaceAllString(s, "")) {
				return true
			}
		}
	}
	return m.Points
}

// questionsOf returns all that asks, or the whole message, in lines.
func questionsOf(m asked.Message) string {
	return strings.Join(append([]string{m.Question}, m.Others...), "\n")
}

// mayAsk reports whether a message may ask about code, before anything is searched: it asks, or it has a word that can
// only be a name.
func mayAsk(m asked.Message) bool {
	all := questionsOf(m)
	return asks(m) || slices.ContainsFunc(named.FindAllString(all, -1), isIdentifier) || strings.Contains(all, "`")
}
