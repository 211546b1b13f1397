package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/recording"
	"github.com/forayhq/foray/evals/internal/words"
	"github.com/forayhq/foray/toollimit"
)

// What a stand-in for a summary holds.
const (
	standInPaths  = 60
	standInErrors = 8
	standInTokens = 4_000 // of the assistant's texts, at most an eighth of the budget
	errorRunes    = 200   // of a line with an error
)

// Constants of the policies, in tokens. They are absolute, because proportional ones miss the published reference
// points.
const (
	resultTokens   = 10_000 // codex: of a result
	userTokens     = 20_000 // codex: of user messages that remain, at most a quarter of the budget
	opencodeTokens = 15_000 // opencode: of turns that remain, at most
	opencodeLeast  = 2_000  // and at least
)

// A summarizing policy replaces what it drops by a summary. Instead of a model, the same stand-in for all such policies
// makes the summary from what was dropped.
type summarizing struct {
	history
	read  int
	from  int                  // units before it are dropped
	front []transcript.Message // replaces them
	shown []recording.Unit     // units as they are shown
}

func newSummarizing(s Setting) summarizing { return summarizing{history: newHistory(s)} }

// Read returns how many tokens the summaries were made from.
func (p *summarizing) Read() int { return p.read }

// Feed appends a unit as it is sent.
func (p *summarizing) Feed(u recording.Unit) error {
	p.shown = append(p.shown, u)
	return p.history.Feed(u)
}

// size returns the tokens of the whole request.
func (p *summarizing) size() int {
	n := p.system + p.Counter.Unit(p.front)
	for _, size := range p.sizes[p.from:] {
		n += size
	}
	return n
}

func (p *summarizing) view() []transcript.Message {
	return append(slices.Clone(p.front), flatten(p.shown[p.from:]...)...)
}

// compact drops the units before from and puts in their place what front makes from the summary.
func (p *summarizing) compact(from int, front func(summary string) []transcript.Message) {
	p.read += p.size()
	p.front = front(p.standIn(from))
	p.from = from
}

// standIn summarises all units before an index.
func (p *summarizing) standIn(before int) string {
	var found, failed, texts []string
	room := min(standInTokens, p.Budget/8)
	for i := before - 1; i >= 0; i-- {
		u := p.units[i]
		if text := u[0].Text; u[0].Role == transcript.Assistant && text != "" && room > 0 {
			texts = append(texts, words.FirstRunes(text, room*4))
			room -= recording.Tokens(p.Counter.Quarters(text))
		}
		for j := len(u) - 1; j >= 0; j-- {
			found = addPaths(found, u[j])
			if line := errorLine(u[j]); line != "" && len(failed) < standInErrors {
				failed = append(failed, line)
			}
		}
	}
	slices.Reverse(texts)
	slices.Reverse(failed)
	return fmt.Sprintf("%s\n%s%s\nErrors:\n%s\n\n%s",
		SummaryTitle, PathsTitle, strings.Join(found, " "), strings.Join(failed, "\n"), strings.Join(texts, "\n\n"))
}

// Titles of a stand-in and of its lists. What follows them was written by the runtime.
const (
	SummaryTitle  = "Summary of the conversation so far."
	PathsTitle    = "Paths: "
	FilesRead     = "Files read: "
	FilesModified = "Files modified: "
)

func addPaths(found []string, m transcript.Message) []string {
	for _, call := range m.Calls {
		texts, _ := words.Leaves(call.Args)
		for _, l := range texts {
			found = addNew(found, words.Paths(l.Text))
		}
	}
	return addNew(found, words.Paths(m.Text))
}

func addNew(found, more []string) []string {
	for _, path := range more {
		if len(found) >= standInPaths {
			break
		}
		if !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	return found
}

// errorLine returns the first line of a result that reports an error.
func errorLine(m transcript.Message) string {
	if m.Role != transcript.Tool {
		return ""
	}
	for line := range strings.Lines(m.Text) {
		if lower := strings.ToLower(line); strings.Contains(lower, "error") || strings.Contains(lower, "traceback") {
			return words.FirstRunes(strings.TrimSpace(line), errorRunes)
		}
	}
	return ""
}

func summaryMessage(text string) transcript.Message {
	return transcript.Message{Role: transcript.User, Text: text}
}

// codex truncates the middle of results on arrival, and above nine tenths of the budget keeps the newest user
// messages with a summary.
type codex struct{ summarizing }

func newCodex(s Setting) Policy { return &codex{newSummarizing(s)} }

func (p *codex) Feed(u recording.Unit) error {
	u = slices.Clone(u)
	for i := 1; i < len(u); i++ {
		u[i].Text = truncateMiddle(u[i].Text, resultTokens)
	}
	return p.summarizing.Feed(u)
}

func (p *codex) View() ([]transcript.Message, error) {
	if p.size() > p.Budget*9/10 {
		p.compact(len(p.units), func(summary string) []transcript.Message {
			return append(p.newestUsers(min(20_000, p.Budget/4)), summaryMessage(summary))
		})
	}
	return p.view(), nil
}

// newestUsers returns the newest user messages that fit, the oldest of them truncated.
func (p *codex) newestUsers(room int) []transcript.Message {
	var kept []transcript.Message
	for i := len(p.units) - 1; i >= 0 && room > 0; i-- {
		m := p.units[i][0]
		if m.Role != transcript.User {
			continue
		}
		m.Text = truncateMiddle(m.Text, room)
		room -= p.sizes[i]
		kept = append(kept, m)
	}
	slices.Reverse(kept)
	return kept
}

// truncateMiddle keeps both ends of a text longer than so many tokens, at four characters a token.
func truncateMiddle(text string, tokens int) string {
	runes := []rune(text)
	if len(runes) <= tokens*4 {
		return text
	}
	half := tokens * 2
	head, left, tail := runes[:half], len(runes)-2*half, runes[len(runes)-half:]
	return fmt.Sprintf("%s\n…%d characters truncated…\n%s", string(head), left, string(tail))
}

// opencode clears results older than the newest fifth of the budget if that frees a tenth of it, and at nine tenths
// keeps the newest turns after a summary.
type opencode struct{ summarizing }

func newOpencode(s Setting) Policy { return &opencode{newSummarizing(s)} }

func (p *opencode) View() ([]transcript.Message, error) {
	p.prune(p.Budget/5, p.Budget/10)
	if p.size() > p.Budget*9/10 {
		room := min(opencodeTokens, max(opencodeLeast, p.Budget*225/1_000))
		p.compact(p.newest(room, true), func(summary string) []transcript.Message {
			return []transcript.Message{summaryMessage(summary)}
		})
	}
	return p.view(), nil
}

// prune clears all results but the newest keep tokens of them, if that frees more than least.
func (p *opencode) prune(keep, least int) {
	type place struct{ unit, part int }
	var old []place
	kept, freed := 0, 0
	for i := len(p.shown) - 1; i >= p.from; i-- {
		for j := len(p.shown[i]) - 1; j > 0; j-- {
			size := recording.Tokens(p.Counter.Quarters(p.shown[i][j].Text))
			if kept += size; kept > keep && p.shown[i][j].Text != clearedText {
				old = append(old, place{i, j})
				freed += size
			}
		}
	}
	if freed <= least {
		return
	}
	for _, at := range old {
		u := slices.Clone(p.shown[at.unit])
		u[at.part].Text = clearedText
		p.shown[at.unit] = u
		size := p.Counter.Unit(u)
		p.total += size - p.sizes[at.unit]
		p.sizes[at.unit] = size
	}
}

// pi keeps the newest turns after a summary with lists of files, when less than 8 % of the budget is left.
type pi struct{ summarizing }

func newPi(s Setting) Policy { return &pi{newSummarizing(s)} }

func (p *pi) View() ([]transcript.Message, error) {
	if p.size() > p.Budget-p.Budget*8/100 {
		from := p.newest(p.Budget/10, true)
		p.compact(from, func(summary string) []transcript.Message {
			return []transcript.Message{summaryMessage(summary + p.files(from))}
		})
	}
	return p.view(), nil
}

// files lists the files that the dropped units read and modified.
func (p *pi) files(before int) string {
	var read, modified []string
	for _, u := range p.units[:before] {
		for i, call := range u[0].Calls {
			result := transcript.Message{Role: transcript.Tool, Kind: toollimit.Text, Text: u[i+1].Text}
			for _, f := range contextwindow.FactsByArguments(call, result) {
				switch f.Kind {
				case contextwindow.FactRead:
					read = addOnce(read, f.Ref)
				case contextwindow.FactModified:
					modified = addOnce(modified, f.Ref)
				case contextwindow.FactSubmitted, contextwindow.FactPlan, contextwindow.FactFailed:
				}
			}
		}
	}
	return "\n\n" + FilesRead + strings.Join(read, " ") + "\n" + FilesModified + strings.Join(modified, " ")
}

func addOnce(all []string, one string) []string {
	if slices.Contains(all, one) {
		return all
	}
	return append(all, one)
}
