package contextwindow

import (
	"slices"

	"github.com/forayhq/foray/contextwindow/internal/said"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// ledgerCap is how many references of a kind the ledger keeps; it only counts the others. The digest shows fewer
// still.
const ledgerCap = 256

// A ledger is what must outlive the evicted units: counts, what was said, and facts.
type ledger struct {
	compactions int
	turns       int // evicted assistant messages, with or without calls
	answers     int // of these, without calls
	results     int
	last        int       // step of the newest evicted unit
	users       int       // evicted user messages
	said        said.Pool // what users said
	replied     said.Pool // what the assistant said
	refs        [len(ledgerKinds)]refs
}

// A ledgerKind is a kind of fact under its title in the digest.
type ledgerKind struct {
	kind  FactKind
	title string
}

// ledgerKinds are in the order of the digest.
var ledgerKinds = [...]ledgerKind{
	{FactSubmitted, "Submitted and accepted"},
	{FactPlan, "Plan"},
	{FactModified, "Files changed"},
	{FactFailed, "Failed"},
	{FactRead, "Files read"},
}

// refs is a capped list of distinct references: it keeps the newest and counts all.
type refs struct {
	items []string
	total int
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
		for i, call := range u.Messages[0].Calls {
			for _, f := range w.units.facts(call, u.Messages[i+1]) {
				if f.Kind == FactSubmitted && !known[f.Ref] {
					known[f.Ref] = true
					all = append(all, Submission{f.Ref, u.Step, partID{step: u.Step, part: i + 1}.String()})
				}
			}
		}
	}
	return all
}

// add takes the facts of a unit that leaves the view.
func (l *ledger) add(u *Unit, facts func(part int) []Fact) {
	l.last = max(l.last, u.Step)
	head := u.Messages[0]
	if head.Role == transcript.User {
		l.users++
		return
	}
	if l.turns++; len(head.Calls) == 0 {
		l.answers++
	}
	l.results += len(u.Messages) - 1
	for i := range head.Calls {
		for _, f := range facts(i + 1) {
			l.addFact(f)
		}
	}
}

func (l *ledger) addFact(f Fact) {
	k := slices.IndexFunc(ledgerKinds[:], func(k ledgerKind) bool { return k.kind == f.Kind })
	switch {
	case k < 0:
	case f.Kind == FactPlan:
		l.refs[k] = refs{[]string{f.Ref}, 1}
	case !slices.Contains(l.refs[k].items, f.Ref):
		items := l.refs[k].items
		l.refs[k] = refs{append(items[max(0, len(items)+1-ledgerCap):], f.Ref), l.refs[k].total + 1}
	}
}

// endStage drops what the assistant said: a stage hands on facts and what the user asked, not its own answers.
func (l *ledger) endStage() { l.replied = said.Pool{} }

// clone returns a ledger to which add can be applied without changing l.
func (l ledger) clone() ledger {
	l.said, l.replied = l.said.Clone(), l.replied.Clone()
	for k := range l.refs {
		l.refs[k].items = slices.Clip(l.refs[k].items)
	}
	return l
}

// bare reports whether the ledger holds no fact, and no more user messages than those that do not count.
func (l *ledger) bare(users int) bool {
	return l.users <= users && !slices.ContainsFunc(l.refs[:], func(r refs) bool { return r.total > 0 })
}
