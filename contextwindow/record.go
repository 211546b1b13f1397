package contextwindow

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// The room of the record's parts, as shares of what the fixed parts leave of the budget.
const (
	recordShare = .50
	usersShare  = .20
	listShare   = .05
	planShare   = .12 // of the plan, beside the lists
)

// userTokens is how much of one folded message of the user stands in the record word for word, in tokens.
const userTokens = 2_000

const (
	recordOpen  = "<record>\nWritten by the runtime, not by the user: what happened before and no longer stands here.\n"
	recordClose = "</record>"
)

// record writes what stands for everything that was folded, in at most room tokens: counts, the words of the user, the
// lists of facts, and in profiles with two marks the details of the calls, each with a share of its own. It is "" if not
// even the counts fit. Gone are the steps that the fold takes out of the view.
func (w *Window) record(l *ledger, gone []int, room int) (string, []KeptLines) {
	var b strings.Builder
	b.WriteString(recordOpen)
	fmt.Fprintf(&b, "Folded: %s with %s, up to step %d. %s id=s<step>.<call> gives a result whole, call 0 the text of a step.\n",
		plural(l.rounds, "round"), plural(l.results, "result"), l.last, toollimit.ReadTool)
	room -= transcript.Message{}.Framing() + toollimit.Tokens(b.String()) + toollimit.Tokens(recordClose) + 2
	if room < 0 {
		return "", nil
	}
	lists, listed := w.recordLists(l, min(room/2, w.share(listShare)))
	plan, planned := recordPlan(l, min((room-listed)/2, w.share(planShare)))
	lists, listed = plan+lists, listed+planned
	users := w.recordUsers(l, min(room-listed, w.share(usersShare)))
	b.WriteString(users)
	b.WriteString(lists)
	details, kept := "", []KeptLines(nil)
	if w.policy.marks != nil {
		left := room - toollimit.Tokens(users) - listed
		text, taken := w.recordSummary(gone, left)
		b.WriteString(text)
		left -= taken
		details, kept = w.details(append(slices.Clone(w.folded), gone...), left, w.stays(gone, users+lists+text))
		if left < toollimit.Tokens(details) {
			details, kept = "", nil
		}
	}
	b.WriteString(details)
	b.WriteString(recordClose)
	return b.String(), kept
}

// stays tells which identifiers will stand in the view when steps have left it, with the record's own texts.
func (w *Window) stays(gone []int, texts string) func(string) bool {
	w.indexNames()
	leaving := make(nameIndex)
	for i := range w.slots {
		sl := &w.slots[i]
		if sl.step == 0 || slices.Contains(gone, sl.step) {
			leaving.add(sl.names, 1)
		}
	}
	own := make(nameIndex)
	own.add(namesOf(texts), 1)
	return func(name string) bool { return own[name] > 0 || w.names[name] > leaving[name] }
}

// olderRoom is what the line takes that counts the messages for which there is no room, in tokens.
const olderRoom = 20

// recordUsers quotes the folded messages of the user, the newest first to find room, in their own order. A message
// that does not fit stands with head and tail and a pointer.
func (w *Window) recordUsers(l *ledger, room int) string {
	var lines []string
	if len(l.users) > 1 {
		room -= olderRoom
	}
	for i := len(l.users) - 1; i >= 0 && room > 0; i-- {
		step := l.users[i]
		id := pointer(step, 0, false)
		prefix := "- [" + id + "] "
		quota := toollimit.Quota{MaxTokens: min(room, userTokens) - toollimit.Tokens(prefix) - 2, Pointer: id}
		if quota.MaxTokens < minResult/4 {
			break
		}
		text, _ := toollimit.Truncate(toollimit.Text, w.units[step-1].Messages[0].Text, quota)
		line := prefix + disarm(text) + "\n"
		if room -= toollimit.Tokens(line); room >= 0 {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("The user said:\n")
	if older := len(l.users) - len(lines); older > 0 {
		fmt.Fprintf(&b, "- … %s before, steps %d to %d\n", plural(older, "message"), l.users[0], l.users[older-1])
	}
	for i := len(lines) - 1; i >= 0; i-- {
		b.WriteString(lines[i])
	}
	return b.String()
}

// recordPlan writes the last plan, as much of it as there is room for.
func recordPlan(l *ledger, room int) (string, int) {
	k := slices.IndexFunc(ledgerKinds[:], func(row ledgerKind) bool { return row.kind == FactPlan })
	r := l.refs[k]
	if r.total == 0 {
		return "", 0
	}
	title := ledgerKinds[k].title + ":\n"
	text, _ := toollimit.Truncate(toollimit.Text, r.items[0], toollimit.Quota{MaxTokens: max(room-toollimit.Tokens(title)-1, 1)})
	text = title + disarm(strings.TrimSpace(text)) + "\n"
	tokens := toollimit.Tokens(text)
	if tokens > room {
		return "", 0
	}
	return text, tokens
}

// recordLists writes a line for each kind of fact but the plan, the newest references first to find room.
func (w *Window) recordLists(l *ledger, room int) (string, int) {
	var b strings.Builder
	used := 0
	for k, row := range ledgerKinds {
		r := l.refs[k]
		if r.total == 0 || row.kind == FactPlan {
			continue
		}
		part := (room - used) / 2
		if k == len(ledgerKinds)-1 {
			part = room - used
		}
		line := listLine(row.title, r, part)
		tokens := toollimit.Tokens(line)
		if used+tokens > room {
			continue
		}
		used += tokens
		b.WriteString(line)
	}
	return b.String(), used
}

func listLine(title string, r refs, room int) string {
	head := fmt.Sprintf("%s (%d): ", title, r.total)
	room -= toollimit.Tokens(head) + 8
	first := len(r.items)
	for first > 0 {
		tokens := toollimit.Tokens(r.items[first-1]) + 2
		if tokens > room {
			break
		}
		room -= tokens
		first--
	}
	text := disarm(strings.Join(r.items[first:], "; "))
	if missing := r.total - (len(r.items) - first); missing > 0 {
		text += fmt.Sprintf(" … and %d more", missing)
	}
	return head + text + "\n"
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// disarm keeps a quoted text from closing the record, and from bytes that are not UTF-8.
func disarm(text string) string { return recordTag.ReplaceAllString(valid(text), `<\$1`) }

// recordTag finds what could be taken for the end of a record.
var recordTag = regexp.MustCompile(`(?i)<(\s*/\s*record\b)`)

// pointer is the id under which a part of a unit is stored whole: step and call, as in "s12.1"; part 0 is the text of
// the unit's first message; "s12.1a" are the arguments of its first call.
func pointer(step, part int, args bool) string {
	id := fmt.Sprintf("s%d.%d", step, part)
	if args {
		id += "a"
	}
	return id
}

// MaskLists removes the lists of identifiers and references that the runtime wrote from a text of the view, for
// measures that a list alone must not buy.
func MaskLists(text string) string {
	if strings.Contains(text, recordOpen) {
		var b strings.Builder
		for line := range strings.Lines(text) {
			if !isList(line) {
				b.WriteString(line)
			}
		}
		text = b.String()
	}
	return toollimit.StripNames(text)
}

func isList(line string) bool {
	for _, kind := range ledgerKinds {
		if strings.HasPrefix(line, kind.title+" (") {
			return true
		}
	}
	return strings.HasPrefix(line, namesMark)
}
