package contextwindow

import (
	_ "embed" // the instruction
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// The rules of a summary that a model writes (compaction: optional model-written summary).
const (
	draftMark    = .75 // of the budget: from here on a summary is prepared
	summaryShare = .40 // of what it replaces, at most
	summaryKeeps = .90 // of the names that it must keep, at least
	summaryNames = 40  // names that it must keep, at most
	summaryRoom  = .60 // of the record, at most
)

//go:embed prompts/summary.md
var summaryInstruction string

// summaryHeadings are what a summary is made of, in this order.
var summaryHeadings = []string{"Goal", "Constraints", "Established", "Done", "Failed", "Files and symbols", "Open questions", "Next step"}

// A Draft is what a model may be asked to sum up: what the next compaction would fold. The caller asks, with the frame of
// the window and Messages, and gives the answer to Adopt.
type Draft struct {
	Steps    []int                // units that would be folded, ascending
	Messages []transcript.Message // the view, so that a provider's cache holds it, and the instruction behind it; must not be modified
	Tokens   int                  // raw estimate of what the units take; the summary may take two fifths of that
	Names    []string             // identifiers of which the summary must hold nine tenths
}

// A Summary is the answer to a Draft.
type Summary struct {
	Draft Draft
	Text  string
}

// A summary is what a model wrote of units.
type summary struct {
	steps []int
	text  string
}

// ErrStale says that units of a draft have left the view since, so that its summary is of no use.
var ErrStale = errors.New("the units of the draft have changed")

// Draft returns what a model may be asked to sum up: from three quarters of the budget on, under a profile with two
// marks, unless a summary of the same units was adopted. Whether a draft is under way is for the caller to know.
func (w *Window) Draft() (Draft, bool) {
	m := w.policy.marks
	if m == nil || float64(w.tokens()) < draftMark*float64(w.limit) {
		return Draft{}, false
	}
	e := m.foldToRecord(w, w.frameTokens+w.promptSize+w.share(m.lowShare(w)))
	if e == nil || slices.ContainsFunc(w.summary.steps, w.waits) {
		return Draft{}, false
	}
	d := Draft{Steps: e.Steps, Names: w.mustKeep(e.Steps)}
	for _, step := range e.Steps {
		d.Tokens += w.slots[w.slotOf(step)].tokens
	}
	text := fmt.Sprintf("%s\nAt most %d words. Name each of these, as far as it still matters: %s\n",
		summaryInstruction, roomOf(d.Tokens, summaryShare)/2, strings.Join(d.Names, " "))
	d.Messages = append(slices.Clone(w.View()), transcript.Message{Role: transcript.User, Text: text, Origin: transcript.Runtime})
	return d, true
}

// waits reports whether a unit stands in the view and may be folded.
func (w *Window) waits(step int) bool { return w.slotOf(step) >= 0 && !w.pin[step] }

// mustKeep returns the names that the calls of units are made with most often, those that come first before others.
func (w *Window) mustKeep(steps []int) []string {
	count := make(map[string]int)
	var names []string
	for _, step := range steps {
		for _, call := range w.units[step-1].Messages[0].Calls {
			for name := range toollimit.Identifiers(string(call.Args)) {
				if count[name]++; count[name] == 1 {
					names = append(names, name)
				}
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return count[b] - count[a] })
	return names[:min(len(names), summaryNames)]
}

// Adopt takes a summary that a model wrote. It stands in the record from the compaction on that folds its units, before
// the lines that the record has in any case, until another one replaces it or the stage ends. Adopt returns ErrStale if
// units of its draft have left the view, and an error that says what is wrong if it is not complete, too long, or lacks
// names that it must keep; the record then stands without it.
func (w *Window) Adopt(s Summary) error {
	if err := w.checkShown(s.Draft.Steps); err != nil {
		return fmt.Errorf("%w: %w", ErrStale, err)
	}
	text := strings.TrimSpace(valid(s.Text))
	if err := s.Draft.check(text); err != nil {
		return fmt.Errorf("summary refused: %w", err)
	}
	w.control(&Edit{Op: OpSummary, Cause: "summary", Steps: slices.Clone(s.Draft.Steps), Text: text, Before: w.used})
	return nil
}

// check holds a summary to its rules.
func (d *Draft) check(text string) error {
	if len(d.Steps) == 0 {
		return errors.New("it is of nothing")
	}
	rest := text
	for _, heading := range summaryHeadings {
		_, after, found := strings.Cut(rest, "## "+heading)
		if !found {
			return fmt.Errorf("no heading %q where it belongs", heading)
		}
		rest = after
	}
	if strings.TrimSpace(rest) == "" {
		return fmt.Errorf("nothing under %q", summaryHeadings[len(summaryHeadings)-1])
	}
	if tokens, most := toollimit.Tokens(text), roomOf(d.Tokens, summaryShare); tokens > most {
		return fmt.Errorf("%d tokens, at most %d", tokens, most)
	}
	var missing []string
	for _, name := range d.Names {
		if !strings.Contains(text, name) {
			missing = append(missing, name)
		}
	}
	if float64(len(missing)) > (1-summaryKeeps)*float64(len(d.Names))+1e-9 {
		return fmt.Errorf("%d of %d names are missing: %s", len(missing), len(d.Names), strings.Join(missing, " "))
	}
	return nil
}

// recordSummary is the summary as a part of the record, in at most room tokens, if all its units but pinned ones have left
// the view or are about to.
func (w *Window) recordSummary(gone []int, room int) (string, int) {
	if w.summary.text == "" {
		return "", 0
	}
	for _, step := range w.summary.steps {
		if w.waits(step) && !slices.Contains(gone, step) {
			return "", 0
		}
	}
	title := "A model's summary, up to step " + fmt.Sprint(w.summary.steps[len(w.summary.steps)-1]) + ":\n"
	most := roomOf(room, summaryRoom) - toollimit.Tokens(title) - 1
	if most <= minResult {
		return "", 0
	}
	text, _ := toollimit.Truncate(toollimit.Text, w.summary.text, toollimit.Quota{MaxTokens: most})
	text = title + disarm(text) + "\n"
	return text, toollimit.Tokens(text)
}
