package agent

import (
	"fmt"

	"github.com/forayhq/foray/contextwindow"
)

// note writes for the model what came in, what the guide wants, or that it is to continue an answer. After an answer that did not end
// the run something is said in any case: no request ends with the model's own words.
func (r *run) note(m Move) {
	before := r.window.Usage().Entries
	if r.lengths == 0 {
		r.join()
	} else {
		r.write(noteContinue, fmt.Sprintf("Your answer was cut off by its length limit. Go on exactly where it ended (part %d).", r.lengths+1))
	}
	r.writeRepair()
	r.write(noteStatus, m.Status)
	r.write(noteNudge, m.Nudge)
	if r.step.Number > 0 && len(r.step.Calls) == 0 && r.window.Usage().Entries == before {
		r.write(noteContinue, fmt.Sprintf("Step %d of %d: go on.", r.at+1, r.step.Limit))
	}
}

func (r *run) write(kind, text string) {
	before := r.window.Usage().Entries
	r.window.Note(kind, text)
	if r.window.Usage().Entries > before {
		r.emit(NoteWritten{Agent: r.config.Name, Step: r.step.Number, Note: contextwindow.Note{Kind: kind, Text: text}})
	}
}

func (r *run) warn(text string) {
	r.result.Warnings = append(r.result.Warnings, text)
	r.emit(WarningRaised{Agent: r.config.Name, Step: r.step.Number, Warning: text})
}

// emit yields an event. When the caller breaks off, everything under way is cancelled.
func (r *run) emit(e Event) {
	if !r.broken && !r.yield(e, nil) {
		r.broken = true
		r.cancel()
	}
}

// log tells what was written to the window's log of which nobody was told yet.
func (r *run) log() {
	if entries := r.window.Entries(r.logged); len(entries) > 0 {
		r.emit(EntriesAppended{Agent: r.config.Name, Step: r.at, From: r.logged, Entries: entries})
		r.logged += len(entries)
	}
}
