package longterm

import (
	"slices"
	"strings"
	"sync"

	"github.com/forayhq/foray/contextwindow/memory/internal/speech"
	"github.com/forayhq/foray/contextwindow/memory/internal/stated"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/textsearch"
)

// aboutUser are the stems of words with which a model reports what a user said.
var aboutUser = sync.OnceValue(func() map[string]bool {
	return terms("The user wants, prefers, likes, needs, says, asks for, mentions, uses, decided. 用户 希望 喜欢")
})

// isSaid reports whether the user said a statement of a model, as far as words show: more of its terms are the user's
// than the assistant's alone, and the user did not only ask. If the user agrees ("ok, the second one"), what the answer
// says is said too. Models, small ones above all, also return what the assistant said, or the example in the prompt.
func isSaid(content string, x Exchange) bool {
	user, answer := terms(declared(x.Question)), terms(x.Answer)
	his, others := 0, 0
	for term := range terms(content) {
		switch {
		case aboutUser()[term]:
		case user[term]:
			his++
		case answer[term]:
			others++
		}
	}
	if agrees(x.Question) {
		his, others = his+others, 0
	}
	return his > others
}

// clauseEnd ends a clause.
var clauseEnd = lazyregexp.New(`[,;:，；：、]\s*`)

// declared returns the clauses of a message that ask nothing; empty if it only asks.
func declared(message string) string {
	var said []string
	for _, sentence := range speech.Sentences(speech.OwnWords(message)) {
		if !stated.IsQuestion(sentence) {
			said = append(said, sentence)
			continue
		}
		for _, clause := range clauseEnd.Split(sentence, -1) {
			if clause != "" && !stated.IsQuestion(clause) {
				said = append(said, clause)
			}
		}
	}
	return strings.Join(said, "\n")
}

func terms(text string) map[string]bool {
	set := make(map[string]bool)
	for _, t := range textsearch.Terms(text) {
		set[t] = true
	}
	return set
}

// offered matches how a message names what the assistant offered.
var offered = lazyregexp.New(`(?i)\b(?:first|second|third|last|latter|former|other) (?:one|option|way|variant)\b|` +
	`\boption \w\b|\bgo with the\b|\b(?:erste|zweite|dritte|letzte)n?\b|第[一二三四]|方案`)

// agrees reports whether a message accepts what was offered, and asks nothing.
func agrees(message string) bool {
	if stated.IsQuestion(message) {
		return false
	}
	end := strings.IndexFunc(message, func(r rune) bool { return strings.ContainsRune(",.:;!\n，。：；！、", r) })
	return end > 0 && speech.IsAcknowledgement(message[:end]) || offered.MatchString(message)
}

// assistantSays matches a statement of what the assistant does or says.
var assistantSays = lazyregexp.New(`(?i)^(?:the assistant |assistant: )`)

// inWordsOfRules returns a statement of a model in the words of the rules where these have words of their own, such as
// "The user's name is Ada." for "Hi, I'm Ada.": a sentence in the first person says nothing of who said it.
func inWordsOfRules(s statement) (all []statement) {
	reworded := false
	for _, sentence := range speech.Sentences(s.Content) {
		of := stated.Of(sentence)
		var texts strings.Builder
		for _, o := range of {
			texts.WriteString(o.Text + " ")
		}
		switch own := !slices.ContainsFunc(of, func(o stated.Statement) bool { return !contained(o.Text, sentence) }); {
		case own:
			of = []stated.Statement{{Text: sentence}}
		case share(sentence, texts.String()) < coveredByRules: // it says more
			of = append(of, stated.Statement{Text: sentence})
		}
		for _, o := range of {
			part := s
			part.Content = o.Text
			all = append(all, part)
			reworded = reworded || o.Kind != ""
		}
	}
	if !reworded {
		return []statement{s}
	}
	return all
}

// coveredByRules is the share of the terms of a sentence that the statements of the rules have if they say all of it:
// "Hi, I'm Ada." has no other than the name.
const coveredByRules = .5

// assistantVoice matches how an assistant begins what it says of a message.
var assistantVoice = lazyregexp.New(`(?i)^(?:I(?:['’](?:ll|ve) | (?:understand|see|will|apologi[sz]e|have noted) )|` +
	`(?:you (?:mentioned|said|told me|stated)|yes|sure|understood|noted|of course|got it|verstanden|ja|ich (?:werde|verstehe)|` +
	`sí|entendido|明白|好的)(?:[\s,.，。！：])|your )`)

// withoutVoice returns a statement of a model without the sentences in the voice of the assistant that the message does
// not have, and without the words "you mentioned that" before one.
func withoutVoice(content, message string) string {
	message = strings.ToLower(message)
	var said []string
	for _, sentence := range speech.Sentences(content) {
		begin := strings.ToLower(strings.Join(strings.Fields(sentence)[:min(len(strings.Fields(sentence)), beginWords)], " "))
		if assistantVoice.MatchString(sentence) && !strings.Contains(message, begin) {
			if sentence = reported.ReplaceAllString(sentence, ""); assistantVoice.MatchString(sentence) || addressed.MatchString(sentence) {
				continue
			}
		}
		said = append(said, sentence)
	}
	return strings.Join(said, " ")
}

// beginWords are the words of a sentence by which a message has it.
const beginWords = 3

// reported matches the words before what a user is reported to have said.
var reported = lazyregexp.New(`(?i)^you (?:mentioned|said|told me|stated) (?:that )?`)

// addressed matches what is said to the user and not by him.
var addressed = lazyregexp.New(`(?i)^you(?:r|['’]re)?\b`)

// contained reports whether a text is part of a sentence but for the case of its letters and the mark at its end.
func contained(text, sentence string) bool {
	return strings.Contains(strings.ToLower(sentence), strings.ToLower(strings.TrimRight(text, ".。!")))
}

// thanks matches words of thanks.
var thanks = lazyregexp.New(`(?i)\b(?:thanks|thank you|thx|danke|gracias|merci|grazie|obrigad[oa])\b|谢谢`)

// leaving are the words with which somebody who thanks takes his leave.
var leaving = func() map[string]bool {
	all := make(map[string]bool)
	for _, w := range strings.Fields("ok okay perfect great super nice cool that this s is was all for now today then so very a lot " +
		"you see later bye it worked works help your the bis nächste woche später dir euch ihnen für die hilfe con eso me vale por hoy") {
		all[w] = true
	}
	return all
}()

// onlyThanks reports whether a sentence says no more than thanks.
func onlyThanks(sentence string) bool {
	rest := thanks.ReplaceAllString(sentence, " ")
	return rest != sentence && !slices.ContainsFunc(textsearch.Words(rest), func(w string) bool {
		return !leaving[w] && !slices.Contains(greetings, w)
	})
}

// tidied returns a statement of a model without what no memory says, such as questions and thanks, and without the name
// of who said it; empty if the assistant did.
func tidied(content string) string {
	var said []string
	for _, sentence := range speech.Sentences(strings.Join(strings.Fields(content), " ")) {
		if !stated.IsQuestion(sentence) && !stated.IsDoubt(sentence) && !trivial(sentence) && !onlyThanks(sentence) {
			said = append(said, sentence)
		}
	}
	text := strings.TrimPrefix(strings.Join(said, " "), "user: ")
	if assistantSays.MatchString(text) {
		return ""
	}
	return text
}
