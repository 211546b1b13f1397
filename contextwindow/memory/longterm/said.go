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

// isSaid reports whether the user said what a model states, as far as words show: more of its terms are in what the
// user declared than in the answer alone. A user who agrees ("ok, the second one") also said what the answer says.
// Models, small ones above all, also return what the assistant said, or the example in the prompt.
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

// inWordsOfRules rewords the sentences of a model's statement that the rules put in other words, such as "The user's
// name is Ada." for "Hi, I'm Ada.": a sentence in the first person does not say who said it.
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

// coveredByRules is the least share of a sentence's terms in the statements of the rules if these say all of it. Of
// "Hi, I'm Ada." they have only the name.
const coveredByRules = .5

// assistantVoice matches the beginning of a sentence in which an assistant answers a message.
var assistantVoice = lazyregexp.New(`(?i)^(?:I(?:['’](?:ll|ve) | (?:understand|see|will|apologi[sz]e|have noted) )|` +
	`(?:you (?:mentioned|said|told me|stated)|yes|sure|understood|noted|of course|got it|verstanden|ja|ich (?:werde|verstehe)|` +
	`sí|entendido|明白|好的)(?:[\s,.，。！：])|your )`)

// withoutVoice drops the sentences of a model's statement that are in the assistant's voice and not in the message. Of
// "you mentioned that …" it drops only these words.
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

// beginWords is how many of a sentence's first words a message must have to count as having the sentence.
const beginWords = 3

// reported matches words that introduce what a user said.
var reported = lazyregexp.New(`(?i)^you (?:mentioned|said|told me|stated) (?:that )?`)

// addressed matches the beginning of a sentence that speaks to the user.
var addressed = lazyregexp.New(`(?i)^you(?:r|['’]re)?\b`)

// contained reports whether a text is part of a sentence but for the case of its letters and the mark at its end.
func contained(text, sentence string) bool {
	return strings.Contains(strings.ToLower(sentence), strings.ToLower(strings.TrimRight(text, ".。!")))
}

// thanks matches words of thanks.
var thanks = lazyregexp.New(`(?i)\b(?:thanks|thank you|thx|danke|gracias|merci|grazie|obrigad[oa])\b|谢谢`)

// leaving are the words beside thanks at the end of a conversation.
var leaving = strings.Fields("ok okay perfect great super nice cool that this s is was all for now today then so very a lot " +
	"you see later bye it worked works help your the bis nächste woche später dir euch ihnen für die hilfe con eso me vale por hoy")

// onlyThanks reports whether a sentence says no more than thanks.
func onlyThanks(sentence string) bool {
	rest := thanks.ReplaceAllString(sentence, " ")
	return rest != sentence && !slices.ContainsFunc(textsearch.Words(rest), func(w string) bool {
		return !slices.Contains(leaving, w) && !slices.Contains(greetings, w)
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
