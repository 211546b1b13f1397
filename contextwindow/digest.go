package contextwindow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/internal/said"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
)

// The room of the digest and its parts, as shares of what the fixed parts leave of the budget.
const (
	digestShare    = .50
	repliesShare   = .06 // of answers if every turn is one, less if turns have calls
	submittedShare = .15 // of what was submitted, which finds room first
	listShare      = .05 // of the other lists
	planShare      = .12 // of the plan
	summaryRoom    = .60 // of the room that these leave in the digest, for a summary by a model
)

// A digest writes the message that replaces everything evicted.
type digest struct {
	*state
	ledger ledger // with the units that are about to be evicted
	going  []int  // their steps
	room   int    // tokens left
}

// digestOf writes the digest in at most room tokens: counts, the user's words, the lists of facts, and under two
// marks details of the calls, each with a share of its own. It is "" if not even the counts fit. The steps in going
// are about to be evicted.
func (s *state) digestOf(l ledger, going []int, room int) (string, []KeptLines) {
	d := &digest{s, l, going, room}
	head := digestOpen + fmt.Sprintf("The runtime wrote this digest, not the user: it replaces %s with %s, up to step %d, "+
		"that left this conversation.", plural(l.turns, "turn"), plural(l.results, "result"), l.last)
	if tool := readTool(s); tool != "" {
		head += " Read one whole: " + tool + " id=s<step>.<call>, with call 0 for the text of a step."
	}
	head += "\n"
	d.room -= transcript.Message{}.Framing() + toollimit.Tokens(head) + toollimit.Tokens(digestClose) + 2
	if d.room < 0 {
		return "", nil
	}
	submitted := submittedLine(&d.ledger, min(d.room, s.shareOf(submittedShare)))
	d.room -= toollimit.Tokens(submitted)
	lists, listed := d.writeLists(min(d.room/2, s.shareOf(listShare)))
	plan, planned := d.writePlan(min((d.room-listed)/2, s.shareOf(planShare)))
	lists, d.room = submitted+plan+lists, d.room-listed-planned
	users := d.quoteUsers(min(d.room, s.shareOf(usersShare)))
	if s.policy.marks == nil {
		return head + users + lists + digestClose, nil
	}
	d.room -= toollimit.Tokens(users)
	replies := d.quoteReplies(min(d.room, s.shareOf(repliesShare*float64(l.answers)/float64(max(l.turns, 1)))))
	d.room -= toollimit.Tokens(replies)
	users += replies
	summary, taken := d.writeSummary()
	d.room -= taken
	details, kept := d.details(users + lists + summary)
	if d.room < toollimit.Tokens(details) {
		details, kept = "", nil
	}
	return head + users + lists + summary + details + digestClose, kept
}

// ledgerWith returns a ledger that also holds the units of some steps.
func (s *state) ledgerWith(steps []int) ledger {
	if len(steps) > 0 && steps[0] < s.evicted.ledger.last {
		return s.units.ledgerOf(slices.Concat(s.evicted.steps, steps), s.evicted.ledger.compactions, s.stage)
	}
	l := s.evicted.ledger.clone()
	s.units.evict(&l, steps)
	return l
}

// details returns the details of evicted units, given the texts of the digest before them. While they are chosen, the
// identifiers that leave the view do not count as visible, and those of the texts do.
func (d *digest) details(texts string) (string, []KeptLines) {
	d.indexNames()
	own := [][]int32{d.units.names.Names(texts)}
	count := func(n int32) {
		for _, sl := range d.view.slots {
			if sl.step == 0 || slices.Contains(d.going, sl.step) {
				d.view.showNames(sl.names, -n)
			}
		}
		d.view.showNames(own, n)
	}
	count(1)
	defer count(-1)
	return d.detailsOf(d.going, d.room)
}

// quoteUsers quotes what is worth most of the evicted user messages. What the view still shows is not said again.
func (d *digest) quoteUsers(room int) string {
	l := &d.ledger
	return quote(&l.said, d.liveSentences(transcript.User), room, func(q said.Quote) string {
		return saidTitle("The user said", q, l.users-q.Messages)
	})
}

// quoteReplies quotes what is worth most of the evicted answers: messages of the assistant without calls.
func (d *digest) quoteReplies(room int) string {
	return quote(&d.ledger.replied, d.liveSentences(transcript.Assistant), room, func(q said.Quote) string {
		return saidTitle("You said", q, 0)
	})
}

// quote quotes what fits in the room, under a title.
func quote(p *said.Pool, live *said.Live, room int, title func(said.Quote) string) string {
	room -= toollimit.Tokens(title(said.Quote{Short: true}))
	for left := room; left > 0; {
		q := p.Choose(left, live, pointerTo)
		text := escape(q.Text)
		over := toollimit.Tokens(text) - room
		if text == "" {
			break
		}
		if over <= 0 {
			return title(q) + text
		}
		left -= over
	}
	return ""
}

// liveSentences are those of the messages of a role that the view will still show.
func (d *digest) liveSentences(role transcript.Role) *said.Live {
	var live said.Live
	for _, sl := range d.view.slots {
		if sl.step > 0 && sl.messages[0].Role == role && !slices.Contains(d.going, sl.step) &&
			sl.messages[0].Text == d.units.at(sl.step).Messages[0].Text {
			live.Add(sl.step, d.units.saidIn(sl.step))
		}
	}
	return &live
}

// saidTitle introduces a quote; missing is how many messages it leaves out.
func saidTitle(title string, q said.Quote, missing int) string {
	switch {
	case missing > 0:
		title += fmt.Sprintf(" (an id gives the rest of a message; %s not quoted)", plural(missing, "message"))
	case q.Short:
		title += " (an id gives the rest of a message)"
	}
	return title + ":\n"
}

// pointerTo is the id of the text of a step.
func pointerTo(step int) string { return partID{step: step}.String() }

// writePlan writes the last plan, as much of it as there is room for, and returns its size.
func (d *digest) writePlan(room int) (string, int) {
	for k, row := range ledgerKinds {
		r := d.ledger.refs[k]
		if row.kind != FactPlan || r.total == 0 {
			continue
		}
		title := row.title + ":\n"
		quota := toollimit.Quota{MaxTokens: max(room-toollimit.Tokens(title)-1, 1)}
		text, _ := toollimit.Truncate(toollimit.Text, r.items[0], quota)
		text = title + escape(strings.TrimSpace(text)) + "\n"
		if tokens := toollimit.Tokens(text); tokens <= room {
			return text, tokens
		}
	}
	return "", 0
}

// titleRunes are the lengths to which submitted titles are truncated until they all fit.
var titleRunes = []int{factRunes, 80, 40}

// submittedLine lists what was submitted: all of it if there is any way to fit it in the room, else the newest.
func submittedLine(l *ledger, room int) string {
	const k = 0 // of FactSubmitted
	r := l.refs[k]
	if r.total == 0 {
		return ""
	}
	for i, runes := range titleRunes {
		short := refs{total: r.total}
		for _, title := range r.items {
			short.items = append(short.items, line.Truncate(title, runes))
		}
		text, whole := listLine(ledgerKinds[k].title, short, room)
		if (whole || i == len(titleRunes)-1) && toollimit.Tokens(text) <= room {
			return text
		}
	}
	return ""
}

// submittedTokens is what the digest needs to list what was submitted, once units are evicted.
func submittedTokens(s *state, steps []int) int {
	l := s.ledgerWith(steps)
	return toollimit.Tokens(submittedLine(&l, s.shareOf(submittedShare)))
}

// writeLists writes a line for each kind of fact but submissions and the plan, and returns their size. The newest
// references find room first.
func (d *digest) writeLists(room int) (string, int) {
	var b strings.Builder
	used := 0
	for k, row := range ledgerKinds {
		r := d.ledger.refs[k]
		if r.total == 0 || row.kind == FactPlan || row.kind == FactSubmitted {
			continue
		}
		part := (room - used) / 2
		if k == len(ledgerKinds)-1 {
			part = room - used
		}
		text, _ := listLine(row.title, r, part)
		if tokens := toollimit.Tokens(text); used+tokens <= room {
			used += tokens
			b.WriteString(text)
		}
	}
	return b.String(), used
}

// listLine lists the newest references that fit in the room, and reports whether it lists all.
func listLine(title string, r refs, room int) (text string, whole bool) {
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
	text = escape(strings.Join(r.items[first:], "; "))
	missing := r.total - (len(r.items) - first)
	if missing > 0 {
		text += fmt.Sprintf(" … and %d more", missing)
	}
	return head + text + "\n", missing == 0
}

// writeSummary writes the model's summary and returns its size. It writes nothing while units that the summary covers
// stay in the view, unless they are pinned.
func (d *digest) writeSummary() (string, int) {
	sum := d.evicted.summary
	stays := func(step int) bool { return d.evictable(step) && !slices.Contains(d.going, step) }
	if sum.text == "" || slices.ContainsFunc(sum.steps, stays) {
		return "", 0
	}
	title := fmt.Sprintf("A model's summary, up to step %d:\n", sum.steps[len(sum.steps)-1])
	most := roomOf(d.room, summaryRoom) - toollimit.Tokens(title) - 1
	if most <= minResult {
		return "", 0
	}
	text, _ := toollimit.Truncate(toollimit.Text, sum.text, toollimit.Quota{MaxTokens: most})
	text = title + escape(text) + "\n"
	return text, toollimit.Tokens(text)
}

// evictable reports whether the view shows a unit that may be evicted.
func (s *state) evictable(step int) bool { return s.view.find(step) >= 0 && !s.pinned[step] }

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// A Submission is an item that a call submitted and that was accepted.
type Submission struct {
	Title string // in one line of at most 160 characters
	Step  int    // of the call
	ID    string // of the call's result, as pointers name it
}

// Submitted returns what was submitted and accepted so far, in order, whether the view still shows it or not: failed
// calls, refused items and titles that were submitted before are left out. Its time grows with the log.
func (w *Window) Submitted() []Submission {
	var all []Submission
	known := make(map[string]bool)
	for _, u := range w.units.list {
		if w.options.Facts != nil {
			u = w.units.whole(u.Step)
		}
		for i, call := range u.Messages[0].Calls {
			for _, f := range w.units.factsOf(call, &u.Messages[i+1], fieldsOf(call.Args)) {
				if f.Kind == FactSubmitted && !known[f.Ref] {
					known[f.Ref] = true
					all = append(all, Submission{f.Ref, u.Step, partID{step: u.Step, part: i + 1}.String()})
				}
			}
		}
	}
	return all
}
