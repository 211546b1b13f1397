package intent

import (
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// Forms of a message that is pasted into a question without quotes. Their first group is what comes before it, and the
// second is the message.
var pasted = []*lazyregexp.Regexp{
	// after the class of an error, up to a question or a dash
	lazyregexp.New(`(?i)^(\S+\s+(?:.*?\s)?(?:(?:[\w$]+(?:\.|::|\\))*\w*(?:error|exception|warning|panic)|panic|` +
		`fatal):\s+)` +
		`(\S[^"“\n]{14,}?)((?:\s+(?:--|—|–)\s|\s{2,}|[.!,;]+\s+(?:what|why|where|who|which|when|how|wo|was|` +
		`warum)\b).*)$`),
	// between wide blanks, where a line was
	lazyregexp.New(`^(.*\S\s{2,})(\S+(?: \S+){2,})(\s{2,}\S.*)$`),
}

// panicked matches what Rust wrote around the message of a panic, up to version 1.72.
var panicked = lazyregexp.New(`(?:thread '[^']*' )?panicked at '([^'"]{8,})'`)

// quoted puts quotes around a message that is pasted into a question without any.
func quoted(question string) string {
	question = strings.NewReplacer(`\"`, "'", "(...)", "()", "(…)", "()").Replace(question)
	question = panicked.ReplaceAllString(question, `panicked at "$1"`)
	if strings.ContainsAny(question, "\"“`„«") {
		return question
	}
	for _, re := range pasted {
		if m := re.FindStringSubmatch(question); m != nil && len(strings.Fields(m[2])) >= fewestSaid {
			return m[1] + `"` + strings.TrimRight(m[2], "? ") + `" ` + strings.TrimLeft(m[3], "-—–,;. ")
		}
	}
	return question
}
