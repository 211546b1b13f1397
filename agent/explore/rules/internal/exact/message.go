package exact

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
)

// Bounds of the search for a message.
const (
	maxPieces     = 64   // pieces of a message to search for
	maxPatterns   = 16   // as many as one search takes
	pieceWords    = 3    // words of a piece
	shortMessage  = 5    // words
	maxMentions   = 1500 // lines with a piece
	messageShare  = .6   // least share of the words that a literal has
	fewWordsShare = .7   // the same of a message so short that two words in common are chance
	bareShare     = .9   // the same, if the question is the bare message
	maxShown      = 3    // places of a message
	longFunction  = 300  // lines; of a longer function only the lines around the message are a place
	nearMessage   = 8    // lines around it
	beginShare    = .4   // least share of the words of a literal that the message begins with
	filledShare   = .75  // what a word in a hole counts, against 1 for one of the literal
	nearTrust     = .4   // most share of a text that reads otherwise or is in a test: trust takes it for unsure
)

// messages finds where a message comes from.
type messages struct{ *Search }

// A mention is a line of code that holds most of a message.
type mention struct {
	path, symbol string
	line         int
	text         string
	share        float64 // of the words of the message, less those it has besides
	raises       bool
	reads        bool   // a literal reads like the message, with values in its holes
	said         string // the literal, if the message has more besides
}

// pieceCall searches for runs of words of the message; one has no typo and nothing that was filled in.
func (s messages) pieceCall() rulemodel.Call {
	words := wordsOf(s.in.Name)
	n := min(pieceWords, len(words))
	if len(words) > 2 && len(words) <= shortMessage { // a typo is in most of its longer pieces
		n = 2
	}
	var pieces, around []string
	for i := 0; i+n <= len(words); i++ {
		var quoted []string
		for _, w := range words[i : i+n] {
			quoted = append(quoted, regexp.QuoteMeta(w))
		}
		pieces = append(pieces, strings.Join(quoted, between))
	}
	for i := 1; i+1 < len(words); i++ { // a value that was filled in: the words on both sides of it
		if len(words) <= shortMessage || strings.ContainsAny(words[i], "0123456789") {
			around = append(around, regexp.QuoteMeta(words[i-1])+`\b.{1,60}\b`+regexp.QuoteMeta(words[i+1]))
		}
	}
	if n := len(pieces) - maxPieces; n > 0 { // the middle of a very long paste is left out
		pieces = slices.Delete(pieces, maxPieces/2, maxPieces/2+n)
	}
	pieces = append(pieces, around[:min(len(around), maxPieces-len(pieces))]...)
	return rulemodel.Ask("search", map[string]any{"patterns": alternatives(pieces), "case": "insensitive", "context": 0,
		"limit": maxMentions, "max_per_file": 200}, "the text that the question quotes")
}

// alternatives returns patterns for pieces, as few as one search takes.
func alternatives(pieces []string) (patterns []string) {
	for group := range slices.Chunk(pieces, max(1, (len(pieces)+maxPatterns-1)/maxPatterns)) {
		patterns = append(patterns, strings.Join(group, "|"))
	}
	return patterns
}

// wordings returns the words of the message, those of its parts if something is left out between them, and those after
// what a program puts before all of its messages.
func wordings(message string) [][]string {
	all := [][]string{wordsOf(message)}
	if parts := leftOut.Split(message, -1); len(parts) > 1 {
		for _, p := range parts {
			if words := wordsOf(p); len(words) >= fewWords {
				all = append(all, words)
			}
		}
	}
	texts := []string{message}
	before, after, ok := strings.Cut(message, ": ")
	for ; ok; before, after, ok = strings.Cut(after, ": ") {
		after = bracketed.ReplaceAllString(after, "")
		words := wordsOf(after)
		if len(wordsOf(before)) > maxPrefix || len(words) < fewWords {
			break
		}
		all, texts = append(all, words), append(texts, after)
	}
	for _, text := range texts {
		if at := strings.LastIndex(text, ": "); at > 0 && len(wordsOf(text[:at])) >= shortMessage {
			all = append(all, wordsOf(text[:at])) // without what it was about
		}
	}
	return all
}

// leftOut matches what is written in place of a part of a message that is left out.
var leftOut = lazyregexp.New(`\.{3,}|…|<\w+>`)

// bracketed matches a number or a level in brackets before a message.
var bracketed = lazyregexp.New(`^[(\[]\w+[)\]]\s*`)

// maxPrefix is how many words a program puts before a colon and its message: its name, or "Internal error".
const maxPrefix = 2

// between matches what separates the words of a message: blanks and punctuation. A class of all that is no letter would
// take longer to compile than most searches take.
const between = "[\\s!-/:-@\\[-\\x60{-~“”‘’–—…]{1,6}"

func (s messages) findMessage() []rulemodel.Call {
	if len(wordsOf(s.in.Name)) == 0 {
		return nil
	}
	return []rulemodel.Call{s.pieceCall()}
}

// wordsOf returns the words of a text in lower case.
func wordsOf(text string) []string {
	joins := func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }
	return strings.FieldsFunc(strings.ToLower(text), joins)
}

// hole matches the part of a literal that a value replaces: %s, {name}, ${name}, <name>, " + name + ".
var hole = lazyregexp.New(`%[-+#0-9.*]*[a-zA-Z]|[$#]?\{[^{}]*\}|<[\w.]+>|\$\w+|\\[nrt]|` +
	`"\s*\+[^"]*\+\s*"|'\s*[.+][^']*[.+]\s*'`)

// literal matches a text in quotes.
var literal = lazyregexp.New("\"((?:[^\"\\\\]|\\\\.)*)\"|'((?:[^'\\\\]|\\\\.)*)'|`([^`]*)`")

// raising matches what makes a message of a text.
var raising = lazyregexp.New(`(?i)\b(?:raise|throw|throws|panic|fatal|error|errors?\.new|errorf|warn|warning|` +
	`exit|die|fail|bail|abort|log|logger|print|printf|fprintf|println|console|exception|assert|reject|echo|err|` +
	`puts|anyhow|write)\b|` +
	`(?i:error|exception|warn)\w*\s*\(|(?i:log|msg|message)`)

// message returns the message without the clause that follows it, if a literal reads so, and none like the whole.
func (s messages) message() string {
	isRead := func(message string) bool {
		return slices.ContainsFunc(s.mentionsOf(message), func(m mention) bool { return m.reads })
	}
	if short := clause.ReplaceAllString(s.in.Name, "$1"); !s.in.Quoted && !isRead(s.in.Name) && isRead(short) {
		return short
	}
	return s.in.Name
}

// expected matches a line of a test of Rust that says which message is to come.
var expected = lazyregexp.New(`^\s*(?:#\[should_panic\b|expected = ")`)

// clause matches a message of three words at least and when it comes.
var clause = lazyregexp.New(`^((?:\S+ ){2,}?\S+?),? (?:when|if|while|once|although|unless) .*`)

// mentions returns the lines with the message, best first.
func (s messages) mentions() []mention { return s.mentionsOf(s.message()) }

func (s messages) mentionsOf(message string) []mention {
	r, _ := decoded[codebase.SearchResult](s.Search, s.pieceCall())
	words, wanted := wordsOf(message), wordings(message)
	var all []mention
	for _, item := range r.Items {
		for i, m := range item.Matches {
			if expected.MatchString(m.Text) {
				continue
			}
			text := m.Text
			for _, next := range item.Matches[i+1:] { // a literal that continues on the next lines
				if next.Line > m.Line+2 {
					break
				}
				text += " " + strings.TrimSpace(next.Text)
			}
			found := mention{path: item.Path, symbol: m.Symbol, line: m.Line, text: m.Text,
				raises: raising.MatchString(m.Text)}
			for _, want := range wanted {
				here, below := reads(want, m.Text), reads(want, text)
				found.reads = found.reads || here || below
				found.share = max(found.share, s.share(want, m.Text, here), s.share(want, text, below)-.05)
				if begins(want, m.Text) {
					found.share = max(found.share, fewWordsShare)
				}
			}
			if said := pasted(words, m.Text); said != "" && !found.reads {
				found.reads, found.share, found.said = true, 1, said
			}
			all = append(all, found)
		}
	}
	all = onePasted(all)
	least := messageShare
	if len(words) <= pieceWords {
		least = fewWordsShare
	}
	if s.in.Weak {
		if !s.in.Quoted {
			least = bareShare
		}
		all = slices.DeleteFunc(all, func(m mention) bool {
			return sideOf(m.path) != source || !literal.MatchString(m.text) || s.in.Quoted && !m.reads
		})
	}
	long := len(words) > shortMessage
	all = slices.DeleteFunc(all, func(m mention) bool {
		return m.share < messageShare || m.share < least && !(m.reads && long)
	})
	slices.SortStableFunc(all, func(a, b mention) int {
		return cmp.Or(
			cmp.Compare(min(sideOf(a.path), 2), min(sideOf(b.path), 2)),
			cmp.Compare(truth(b.reads), truth(a.reads)),
			cmp.Compare(truth(sideOf(a.path) == tests), truth(sideOf(b.path) == tests)),
			cmp.Compare(int(b.share*10), int(a.share*10)),
			cmp.Compare(comments(a.text), comments(b.text)),
			cmp.Compare(truth(a.symbol == ""), truth(b.symbol == "")),
			cmp.Compare(truth(b.raises), truth(a.raises)))
	})
	return all
}

// onePasted keeps the longest of several texts that a message has with more besides, and none if another text reads
// like the whole.
func onePasted(all []mention) []mention {
	longest := ""
	for _, m := range all {
		if m.reads && m.said == "" {
			longest = ""
			break
		}
		if len(m.said) > len(longest) {
			longest = m.said
		}
	}
	return slices.DeleteFunc(all, func(m mention) bool { return m.said != "" && m.said != longest })
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// directive matches a line of a preprocessor, which begins like a comment of other languages.
var directive = lazyregexp.New(`^\s*#\s*(?:define|if|ifdef|ifndef|elif|include|undef|pragma|error|warning)\b`)

var comment = lazyregexp.New(`^\s*(?://|#(?:[\s!#:-]|$)|\*|/\*|--\s|<!--|:param|@param)`)

// comments is 1 for a line that is a comment.
func comments(text string) int {
	return truth(comment.MatchString(text) && !directive.MatchString(text))
}

// readMessages reads the functions around the best lines.
func (s messages) readMessages() []rulemodel.Call {
	var calls []rulemodel.Call
	for _, m := range s.shown() {
		calls = append(calls, functionCall(m.path, m.line))
	}
	return calls
}

// shown returns the mentions to show: the best, and others that are as good.
func (s messages) shown() []mention {
	all := s.mentions()
	for i := range all {
		if i == maxShown || all[i].share < all[0].share-.25 {
			return all[:i]
		}
	}
	return all
}

func functionCall(path string, at int) rulemodel.Call {
	return rulemodel.Ask("read_file", map[string]any{"path": path, "around": at}, "the function around the line")
}

// around returns the function around a line, or the lines near one outside of all functions.
func (s messages) around(path string, at int) (f codebase.FileText) {
	r, ok := decoded[codebase.FileResult](s.Search, functionCall(path, at))
	if ok && len(r.Items) > 0 && r.Items[0].StartLine <= at && at < r.Items[0].StartLine+len(r.Items[0].Lines) {
		return r.Items[0]
	}
	return codebase.FileText{Path: path}
}

// functionAround returns the lines of the function around a line, or those near it if the function is long.
func (s messages) functionAround(path string, at int) (symbol string, start, end int) {
	f := s.around(path, at)
	if f.Symbol == "" || f.EndLine-f.StartLine > longFunction {
		return f.Symbol, max(1, at-nearMessage), min(at+nearMessage, max(at, f.TotalLines))
	}
	return f.Symbol, f.StartLine, f.EndLine
}

// messageReport says where a message comes from.
func (s messages) messageReport() *report.Report {
	all := s.shown()
	if len(all) == 0 {
		return s.noMessage()
	}
	message := line.Truncate(cmp.Or(all[0].said, s.message()), maxLineText)
	rep := &report.Report{Found: true, NotCovered: []string{}}
	origins := s.origins()
	for i, m := range all {
		symbol, start, end := s.functionAround(m.path, m.line)
		where := fmt.Sprintf("%s, line %d", m.path, m.line)
		if symbol = cmp.Or(symbol, m.symbol); symbol != "" {
			where = fmt.Sprintf("`%s` in %s", symbol, where)
		}
		said := "The message “" + message + "” comes from " + where
		if origins > 1 {
			said = fmt.Sprintf("The message “%s” comes from %d places; first from %s", message, origins, where)
		}
		switch {
		case i > 0:
			said = "Also " + where
		case m.reads && sideOf(m.path) == tests:
			said = "Only a test reads “" + message + "”, in " + where
		case !m.reads && slices.ContainsFunc(s.mentions(), func(o mention) bool { return o.reads }):
			said = "No text of the code reads “" + message + "”; the nearest is in " + where
		case !m.reads:
			said = "No text reads “" + message + "”; the nearest is in " + where
		}
		why := "holds the message"
		if !m.reads {
			why = "holds a similar text"
		}
		if !m.reads || sideOf(m.path) == tests {
			m.share = min(m.share, nearTrust)
		}
		rep.Summary = append(rep.Summary, quoting(said, m.path, m.line, m.text))
		rep.Places = append(rep.Places, report.Place{Path: m.path, Start: start, End: end, Symbol: symbol,
			Why: why, Confidence: max(.1, m.share-.1-.5*float64(min(i, 1)))})
	}
	m := all[0]
	first := max(rep.Places[0].Start, m.line-excerptLines+6)
	rep.Excerpts = []report.Excerpt{{Path: m.path, Start: first, End: min(rep.Places[0].End, first+excerptLines-1)}}
	return rep
}

// origins counts the functions of the code with a literal that reads like the message: any of them may have written it.
func (s messages) origins() int {
	of := make(map[string]bool)
	for _, m := range s.mentions() {
		if m.reads && sideOf(m.path) == source && comments(m.text) == 0 {
			of[m.path+" "+m.symbol] = true
		}
	}
	return len(of)
}

// noMessage says that no file holds the message; nil if the question may mean something else.
func (s messages) noMessage() *report.Report {
	r, ok := decoded[codebase.SearchResult](s.Search, s.pieceCall())
	if s.in.Weak || !ok || r.TimedOut {
		return nil
	}
	return &report.Report{NotCovered: []string{"messages that are put together from short parts"},
		Summary: []report.Statement{{Text: fmt.Sprintf("No text in %s reads “%s”.",
			line.Count(r.FilesSearched, "searched file"), line.Truncate(s.in.Name, maxLineText))}}}
}
