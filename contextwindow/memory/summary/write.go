package summary

import (
	"context"
	_ "embed" // the instruction
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/forayhq/foray/contextwindow/memory/internal/speech"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// The bounds of one step of an update: messages are read in pages, and a prompt holds so many tokens of them. What is left
// is the next step's.
const (
	summaryPage  = 200
	summaryInput = 12_000
)

// How much of a message a prompt shows, in tokens.
const (
	saidTokens   = 600
	resultTokens = 120
)

// The acceptance of a model's summary: it keeps nine tenths of the names that it must keep, which are at most so many.
const (
	summaryKeep      = .90
	summaryMostNames = 24
)

//go:embed prompts/summary.md
var threadSummaryPrompt string

// summaryHeadings are the sections of a summary, in this order.
var summaryHeadings = []string{headTopics, headDecisions, headPreferences, headDetails, headOpen}

const (
	headTopics      = "Main topics"
	headDecisions   = "Decisions"
	headPreferences = "Preferences"
	headDetails     = "Technical details"
	headOpen        = "Open points"
)

// bring brings a summary up to date, step by step: until too little is new, or nothing, if it is forced. A panic of a
// model, a log or a store is an error.
func (s *Updater) bring(ctx context.Context, thread string, forced bool) (got Thread, err error) {
	defer func() {
		if p := recover(); p != nil {
			got, err = Thread{}, fmt.Errorf("panic: %v", p)
		}
	}()
	for more := true; more && err == nil; {
		got, more, err = s.step(ctx, thread, forced)
	}
	return got, err
}

// step takes the next messages of a thread into its summary, and reports whether there may be more.
func (s *Updater) step(ctx context.Context, thread string, forced bool) (Thread, bool, error) {
	old, err := s.Get(ctx, thread)
	if err != nil {
		return Thread{}, false, err
	}
	fresh, err := s.config.Log(ctx, thread, old.Last, summaryPage)
	if err != nil {
		return Thread{}, false, fmt.Errorf("reading thread %q: %w", thread, err)
	}
	if len(fresh) == 0 || !forced && !s.due(fresh) {
		return old, false, nil
	}
	taken := summaryStep(fresh)
	next, err := s.write(ctx, old, taken)
	if err != nil {
		return Thread{}, false, err
	}
	next.Last, next.Messages, next.Updated = taken[len(taken)-1].Seq, old.Messages+len(taken), time.Now()
	if next.Last <= old.Last {
		return Thread{}, false, fmt.Errorf("reading thread %q: message %d came behind message %d", thread, next.Last, old.Last)
	}
	if err := ctx.Err(); err != nil {
		return Thread{}, false, err
	}
	if err := s.config.Store.SaveSummary(ctx, thread, old.Last, next); err != nil {
		return Thread{}, false, fmt.Errorf("saving the summary of thread %q: %w", thread, err)
	}
	s.updates.Add(1)
	s.config.Logger.Debug("thread summed up", "thread", thread, "through", next.Last, "messages", next.Messages, "extractive", next.Extractive)
	return next, true, nil
}

// due reports whether new messages trigger an update: by their number, or by what they take.
func (s *Updater) due(fresh []Message) bool {
	if len(fresh) >= s.config.Messages {
		return true
	}
	if s.config.Tokens < 0 {
		return false
	}
	tokens := 0
	for i := range fresh {
		if tokens += fresh[i].Message.Tokens(); tokens >= s.config.Tokens {
			return true
		}
	}
	return false
}

// summaryStep returns the messages of the next step, at least one.
func summaryStep(fresh []Message) []Message {
	tokens := 0
	for i, m := range fresh {
		if tokens += toollimit.Tokens(summaryLine(m)); tokens > summaryInput && i > 0 {
			return fresh[:i]
		}
	}
	return fresh
}

// write makes the next summary, by the model or without one.
func (s *Updater) write(ctx context.Context, old Thread, fresh []Message) (Thread, error) {
	if s.config.Ask == nil {
		return Thread{Text: extractSummary(old, fresh, s.config.MaxTokens), Extractive: true}, nil
	}
	keep := mustKeep(old.Text, fresh)
	ctx, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	text, err := s.config.Ask(ctx, threadSummaryPrompt, s.prompt(old.Text, fresh, keep))
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return Thread{}, fmt.Errorf("asking for a summary: %w", err)
	}
	text = strings.TrimSpace(text)
	if err := acceptSummary(text, keep, s.config.MaxTokens); err != nil {
		return Thread{}, err
	}
	return Thread{Text: text}, nil
}

// prompt shows a model the old summary and what came since. What stands there cannot close its fences.
func (s *Updater) prompt(old string, fresh []Message, keep []string) string {
	var b strings.Builder
	b.WriteString("<summary>\n" + inFence(old) + "\n</summary>\n\n<messages>\n")
	for _, m := range fresh {
		if line := summaryLine(m); line != "" {
			b.WriteString(inFence(line) + "\n")
		}
	}
	fmt.Fprintf(&b, "</messages>\n\nAt most %d words.", s.config.MaxTokens/2)
	if len(keep) > 0 {
		b.WriteString(" Name each of these: " + strings.Join(keep, " "))
	}
	return b.String()
}

// inFence disarms what could close a fence, and replaces what is not UTF-8.
func inFence(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "</", `<\/`)
}

// summaryLine shows one message to a model.
func summaryLine(m Message) string {
	most := saidTokens
	if m.Role == transcript.Tool {
		most = resultTokens
	}
	text, _ := toollimit.Truncate(m.Kind, speech.Ends(m.Text), toollimit.Quota{MaxTokens: most})
	for _, c := range m.Calls {
		args, _ := toollimit.Truncate(toollimit.JSON, speech.Ends(string(c.Args)), toollimit.Quota{MaxTokens: resultTokens})
		text += "\n  calls " + c.Name + " " + args
	}
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return fmt.Sprintf("[%d] %s: %s", m.Seq, m.Role, text)
}

// acceptSummary returns why a summary is not accepted.
func acceptSummary(text string, keep []string, most int) error {
	if text == "" {
		return fmt.Errorf("%w: it is empty", ErrRejected)
	}
	if !utf8.ValidString(text) {
		return fmt.Errorf("%w: it is no UTF-8", ErrRejected)
	}
	if n := toollimit.Tokens(speech.Ends(text)); n > most {
		return fmt.Errorf("%w: %d tokens, at most %d", ErrRejected, n, most)
	}
	sections := summarySections(text)
	for _, h := range summaryHeadings {
		if _, ok := sections[h]; !ok {
			return fmt.Errorf("%w: it has no heading %q", ErrRejected, h)
		}
	}
	kept, lower := 0, strings.ToLower(text)
	for _, name := range keep {
		if strings.Contains(lower, strings.ToLower(name)) {
			kept++
		}
	}
	if float64(kept) < summaryKeep*float64(len(keep)) {
		return fmt.Errorf("%w: it keeps %d of %d names", ErrRejected, kept, len(keep))
	}
	return nil
}

// mustKeep returns the names that a summary must keep: those in what the user decided or prefers, of late first, then
// those that the old summary has under decisions and preferences.
func mustKeep(old string, fresh []Message) []string {
	var names []string
	add := func(text string) {
		for name := range toollimit.Identifiers(text) {
			if len(names) < summaryMostNames && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, m := range slices.Backward(fresh) {
		if m.Role != transcript.User {
			continue
		}
		for _, sentence := range speech.Sentences(m.Text) {
			if isDecision(sentence) || isPreference(sentence) {
				add(sentence)
			}
		}
	}
	sections := summarySections(old)
	for _, h := range []string{headDecisions, headPreferences} {
		for _, line := range sections[h] {
			add(line)
		}
	}
	return names
}

// summarySections parts a summary by its headings. A heading may be marked as one, as in "## Decisions:".
func summarySections(text string) map[string][]string {
	sections := make(map[string][]string)
	at := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if h := headingOf(line); h != "" {
			at = h
			if sections[at] == nil {
				sections[at] = []string{}
			}
			continue
		}
		item := strings.TrimSpace(strings.TrimLeft(line, "-*• "))
		if item != "" && at != "" && !strings.EqualFold(item, "none") {
			sections[at] = append(sections[at], item)
		}
	}
	return sections
}

func headingOf(line string) string {
	bare := strings.Trim(line, "#*: ")
	for _, h := range summaryHeadings {
		if strings.EqualFold(bare, h) {
			return h
		}
	}
	return ""
}
