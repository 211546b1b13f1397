package contextwindow

import (
	"cmp"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// unpinnedImages picks the slots of earlier turns whose pictures are evicted first: those of all but the prompt and of
// pinned units.
func unpinnedImages(s *state, i int) bool {
	sl := s.view.slots[i]
	return sl.step != s.prompt && !s.pinned[sl.step] && i < s.view.turnStart(1)
}

// allImages picks all slots but the prompt.
func allImages(s *state, i int) bool { return s.view.slots[i].step != s.prompt }

// evictImages shows the pictures of the picked slots in words.
func evictImages(picks func(s *state, slot int) bool) planner {
	return func(s *state, _ int) *Edit {
		var e cutEdit
		e.addImages(s, picks)
		return e.edit(s)
	}
}

// addImages adds the pictures of the picked slots, except in parts that the edit has already.
func (e *cutEdit) addImages(s *state, picks func(s *state, slot int) bool) {
	for i, sl := range s.view.slots {
		if sl.step == 0 || !picks(s, i) {
			continue
		}
		for n := range sl.messages {
			m, id := &sl.messages[n], partID{step: sl.step, part: n}
			has := func(c Truncation) bool { return c.id() == id }
			if len(m.Images) == 0 || slices.ContainsFunc(e.cuts, has) {
				continue
			}
			text := strings.TrimPrefix(m.Text+s.imageWords(id), "\n")
			e.addBare(id, text, sl.textTokens(n)+m.ImageTokens())
		}
	}
	slices.SortStableFunc(e.cuts, func(a, b Truncation) int {
		return cmp.Or(a.id().step-b.id().step, a.id().part-b.id().part)
	})
}

// imageWords says which pictures a part had, one a line, and how to see them again.
func (s *state) imageWords(id partID) string {
	var b strings.Builder
	images := s.units.at(id.step).Messages[id.part].Images
	again := ""
	if tool := readTool(s); tool != "" {
		again = "; see it again: " + tool + " id=" + s.units.pointer(id)
	}
	for i := range images {
		b.WriteString("\n[picture, no longer shown: " + images[i].String() + again + "]")
	}
	return b.String()
}

// withoutImages returns the text of a part as it is shown without its pictures.
func (s *state) withoutImages(id partID) string {
	return strings.TrimPrefix(s.units.at(id.step).Messages[id.part].Text+s.imageWords(id), "\n")
}

// countImages sets the size of pictures that were not counted.
func (o *Options) countImages(messages []transcript.Message) {
	if o.ImageTokens == nil {
		return
	}
	for i := range messages {
		for j := range messages[i].Images {
			im := &messages[i].Images[j]
			im.Tokens = max(o.ImageTokens(*im), 0)
		}
	}
}

// Images returns the pictures of the message or result with an id, as it was received. Ids are those of
// [Reader.Read].
func (r *Reader) Images(id string) []toollimit.Image {
	p, ok := parsePartID(cleanID(id))
	if !ok || p.args || len(r.units) == 0 || p.step < r.units[0].Step || p.step-r.units[0].Step >= len(r.units) {
		return nil
	}
	if u := r.units[p.step-r.units[0].Step]; p.part < len(u.Messages) {
		return u.Messages[p.part].Images
	}
	return nil
}
