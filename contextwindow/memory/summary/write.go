package summary

import (
	"cmp"
	"context"
	_ "embed" // the instruction
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/forayhq/foray/contextwindow/memory/internal/speech"
	"github.com/forayhq/foray/contextwindow/memory/internal/stated"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/identifier"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/toollimit"
)

// The limits of one step of an update. The messages left over are the next step's.
const (
	pageMessages = 200 // read at once
	spokenTokens = 600 // of one message of the user or the assistant
	resultTokens = 120 // of one result or the arguments of a call
)

// A model's summary must keep keptShare of the names and numbers that [mustKeep] returns. At most maxNames are checked.
const (
	keptShare = .90
	maxNames  = 24
)

//go:embed prompts/summary.md
var systemPrompt string

// update updates a summary step by step until too few messages are new; if forced, until none are. It returns a panic
// of a model, a log or a store as an error.
func (s *Updater) update(ctx context.Context, thread string, forced bool) (got Thread, err error) {
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

// step merges the next messages of a thread into its summary, and reports whether there may be more.
func (s *Updater) step(ctx context.Context, thread string, forced bool) (Thread, bool, error) {
	old, err := s.Get(ctx, thread)
	if err != nil {
		return Thread{}, false, err
	}
	fresh, err := s.config.Log(ctx, thread, old.Last, pageMessages)
	if err != nil {
		return Thread{}, false, fmt.Errorf("reading thread %q: %w", thread, err)
	}
	if len(fresh) == 0 || !forced && !s.due(fresh) {
		return old, false, nil
	}
	taken := nextStep(fresh, s.config.Prompt)
	next, err := s.write(ctx, thread, old, taken, forced)
	if err != nil {
		return Thread{}, false, err
	}
	next.Last, next.Messages, next.Updated = taken[len(taken)-1].Seq, old.Messages+len(taken), time.Now()
	if next.Last <= old.Last {
		return Thread{}, false, fmt.Errorf("reading thread %q: message %d came after message %d", thread, next.Last, old.Last)
	}
	if err := ctx.Err(); err != nil {
		return Thread{}, false, err
	}
	if err := s.config.Store.SaveSummary(ctx, thread, old.Last, next); err != nil {
		return Thread{}, false, fmt.Errorf("saving the summary of thread %q: %w", thread, err)
	}
	s.updates.Add(1)
	s.config.Logger.Debug("summary updated", "thread", thread, "through", next.Last, "messages", next.Messages,
		"extractive", next.Extractive)
	return next, true, nil
}

// due reports whether new messages trigger an update, by their number or their tokens.
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

// nextStep returns the messages that fit into limit tokens of the prompt of the next step, at least one.
func nextStep(fresh []Message, limit int) []Message {
	tokens := 0
	for i, m := range fresh {
		if tokens += toollimit.Tokens(lineOf(m)); tokens > limit && i > 0 {
			return fresh[:i]
		}
	}
	return fresh
}

// write makes the next summary by the model, or by rules without a model, while it is paused after a failure, or if it
// fails now. A forced update ignores the pause.
func (s *Updater) write(ctx context.Context, thread string, old Thread, fresh []Message, forced bool) (Thread, error) {
	rules := func() Thread { return Thread{Text: extract(old, fresh, s.config.MaxTokens), Extractive: true} }
	if s.config.Ask == nil || !forced && s.paused(thread) {
		return rules(), nil
	}
	text, err := s.ask(ctx, old, fresh)
	switch {
	case ctx.Err() != nil:
		return Thread{}, ctx.Err()
	case err != nil:
		s.fail(thread, err)
		return rules(), nil
	}
	s.succeed(thread)
	return Thread{Text: withPreferences(text, old, fresh, s.config.MaxTokens)}, nil
}

// ask returns the summary that the model makes. It returns a panic of the model as an error.
func (s *Updater) ask(ctx context.Context, old Thread, fresh []Message) (text string, err error) {
	defer func() {
		if p := recover(); p != nil {
			text, err = "", fmt.Errorf("panic: %v", p)
		}
	}()
	keep := mustKeep(old.Text, fresh)
	ctx, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	text, err = s.config.Ask(ctx, systemPrompt, s.prompt(old.Text, fresh, keep))
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return "", fmt.Errorf("asking for a summary: %w", err)
	}
	text = strings.TrimSpace(text)
	return text, accept(text, keep, s.config.MaxTokens)
}

// prompt shows a model the old summary and the new messages, in fences that their texts cannot close.
func (s *Updater) prompt(old string, fresh []Message, keep []string) string {
	var b strings.Builder
	b.WriteString("<summary>\n" + speech.Fenced(old) + "\n</summary>\n\n<messages>\n")
	for _, m := range fresh {
		if line := lineOf(m); line != "" {
			b.WriteString(speech.Fenced(line) + "\n")
		}
	}
	fmt.Fprintf(&b, "</messages>\n\nAt most %d words.", s.config.MaxTokens/2)
	if len(keep) > 0 {
		b.WriteString(" Name each of these: " + strings.Join(keep, " "))
	}
	return b.String()
}

// lineOf shows one message to a model; it is empty if the message has no text and no call.
func lineOf(m Message) string {
	most := spokenTokens
	if m.Role == transcript.Tool {
		most = resultTokens
	}
	text, _ := toollimit.Truncate(m.Kind, speech.Ends(m.Described()), toollimit.Quota{MaxTokens: most})
	for _, c := range m.Calls {
		args, _ := toollimit.Truncate(toollimit.JSON, speech.Ends(string(c.Args)), toollimit.Quota{MaxTokens: resultTokens})
		text += "\n  calls " + c.Name + " " + args
	}
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return fmt.Sprintf("[%d] %s: %s", m.Seq, m.Role, text)
}

// accept returns why a summary is not accepted.
func accept(text string, keep []string, most int) error {
	if text == "" {
		return fmt.Errorf("%w: it is empty", errRejected)
	}
	if !utf8.ValidString(text) {
		return fmt.Errorf("%w: it is not UTF-8", errRejected)
	}
	if n := toollimit.Tokens(speech.Ends(text)); n > most {
		return fmt.Errorf("%w: %d tokens, at most %d", errRejected, n, most)
	}
	sections := sectionsOf(text)
	for _, h := range headings {
		if _, ok := sections[h]; !ok {
			return fmt.Errorf("%w: the heading %q is missing", errRejected, h)
		}
	}
	kept, lower := 0, strings.ToLower(text)
	for _, name := range keep {
		if strings.Contains(lower, strings.ToLower(name)) {
			kept++
		}
	}
	if float64(kept) < keptShare*float64(len(keep)) {
		return fmt.Errorf("%w: it keeps %d of %d names", errRejected, kept, len(keep))
	}
	return nil
}

// mustKeep returns the names and numbers that a summary must keep: those in what the user stated, latest first, then
// those in the decisions and preferences of the old summary. It leaves out values that the user took back.
func mustKeep(old string, fresh []Message) []string {
	var names []string
	gone := make(map[string]bool)
	add := func(text string) {
		for _, name := range slices.Concat(slices.Collect(identifier.All(text)), number.FindAllString(text, -1)) {
			if len(names) < maxNames && !gone[name] && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, m := range slices.Backward(fresh) {
		if m.Role != transcript.User {
			continue
		}
		for _, c := range stated.Corrections(m.Text) {
			for _, n := range number.FindAllString(c.Was, -1) {
				gone[n] = true
			}
		}
		said := make(map[string][]string)
		extractUser(said, m.Text)
		for _, sentence := range slices.Concat(said[headDecisions], said[headPreferences], said[headDetails]) {
			add(sentence)
		}
	}
	sections := sectionsOf(old)
	for _, h := range []string{headDecisions, headPreferences} {
		for _, line := range sections[h] {
			add(line)
		}
	}
	return names
}

// number matches a number of at least two digits: models write smaller ones as words.
var number = lazyregexp.New(`\b\d[\d.,:]*\d\b`)
