package contextwindow

import (
	"slices"
	"strings"
)

// mostFileLine is the longest line of a file that is shown for the file's sake, in bytes.
const mostFileLine = 400

// fileLines gives the room that key lines leave to the other lines of files that the agent changed, the newest parts
// first, and returns what they take: who edits by quoting needs a file word for word, and most of its lines name
// nothing. Folded are the steps that do not stand in the view.
func (w *Window) fileLines(ds []detail, folded []int, room int) (used int) {
	edited := w.editedFiles()
	if len(edited) == 0 {
		return 0
	}
	shown := w.linesOutside(folded)
	for i := range ds {
		for _, k := range ds[i].kept {
			shown[strings.TrimSpace(ds[i].lines[k])] = true
		}
	}
	for i := len(ds) - 1; i >= 0; i-- {
		d := &ds[i]
		if d.part == 0 || !edited[w.briefOf(d.step, d.part).file] {
			continue
		}
		for k, line := range d.lines {
			text := strings.TrimSpace(line)
			tokens := d.idTokens() + lineTokens(line)
			if shown[text] || len(text) > mostFileLine || used+tokens > room {
				continue
			}
			used += tokens
			shown[text] = true
			d.kept = append(d.kept, k)
		}
		slices.Sort(d.kept)
	}
	return used
}

// editedFiles returns the files that calls changed.
func (w *Window) editedFiles() map[string]bool {
	edited := make(map[string]bool)
	for _, u := range w.units {
		for i := range u.Messages[0].Calls {
			if b := w.briefOf(u.Step, i+1); b.edited {
				edited[b.file] = true
			}
		}
	}
	return edited
}

// linesOutside returns the lines of the view but for units of some steps, without the blanks around them.
func (w *Window) linesOutside(steps []int) map[string]bool {
	shown := make(map[string]bool)
	for i := range w.slots {
		sl := &w.slots[i]
		if sl.step == 0 || slices.Contains(steps, sl.step) {
			continue
		}
		for _, m := range sl.messages {
			for line := range strings.Lines(m.Text) {
				shown[strings.TrimSpace(line)] = true
			}
		}
	}
	return shown
}
