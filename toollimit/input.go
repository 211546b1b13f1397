package toollimit

import (
	"iter"

	"github.com/forayhq/foray/toollimit/internal/jsontext"
)

// An input is the text that one call truncates. It keeps what was parsed, since several sizes are tried.
type input struct {
	kind  Kind
	quota Quota
	text  string
	all   size // of text
	room  size // the smaller of quota and text
	part  bool // the text is a part of a batch

	hits   *hits              // the text as a search result
	tree   *tree              // the text as a listing
	patch  *patch             // the text as a diff
	doc    *jsontext.Document // the text as JSON
	parsed bool               // doc is set, if the text is JSON
}

// withNames writes a form and inserts a list of missing identifiers at the position that the form returns. If the list
// is short, it writes the form again with the unused room.
func (in *input) withNames(room size, form func(size) (string, int)) string {
	if in.quota.Seen == nil {
		s, _ := form(room)
		return s
	}
	names := room.share(namesShare)
	s, at := form(room.minus(names))
	list := in.missingNames(s, names)
	if sizeOf(list).within(names.share(50)) {
		s, at = form(room.minus(sizeOf(list)))
		list = in.missingNames(s, sizeOf(list))
	}
	return s[:at] + list + s[at:]
}

// missingNames lists, within room, identifiers of the text that are neither shown nor seen elsewhere.
func (in *input) missingNames(shown string, room size) string {
	text := in.text
	if in.hits != nil && len(in.hits.files) > 0 {
		text = in.hits.ranked()
	}
	return nameLine(Identifiers(text[:min(len(text), maxNamesInput)]), room, false, in.shownOrSeen(Identifiers(shown)))
}

// shownOrSeen returns a function that reports whether an identifier is shown or seen elsewhere.
func (in *input) shownOrSeen(shown iter.Seq[string]) func(string) bool {
	visible := make(map[string]bool)
	for name := range shown {
		visible[name] = true
	}
	return func(name string) bool { return visible[name] || in.quota.Seen(name) }
}
