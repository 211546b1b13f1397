package compaction

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/evals/internal/words"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/evals/internal/policy"
)

// A pieceKey is the text of a message or, with args, the JSON of a call's arguments.
type pieceKey struct {
	text string
	args bool
}

// A piece is one text with the identifiers, lines, pins and pointers that occur in it. Successive views share nearly
// all their texts, so each text is analysed once.
type piece struct {
	text     string
	quarters int
	ids      set
	unlisted set // identifiers outside the lists that the runtime wrote
	lines    set
	pins     set
	// fragments are the lines of results that the text shows.
	fragments set
	pointers  []pointerAt
	upTo      int // the text offers all steps up to this one for reading back; 0: none
}

// A pointerAt is the id of a stored text with the line that names it.
type pointerAt struct{ id, line string }

var (
	// replacesMark is what a digest adds to a sentence that replaces another.
	replacesMark = regexp.MustCompile(` \[replaces [^\]\n]*\]`)

	pointerForm = regexp.MustCompile(`\bs\d+\.\d+a?\b`)
	rangeForm   = regexp.MustCompile(`up to step (\d+)\b.*id=s<step>\.<call>`)
)

func (s *script) newPiece(key pieceKey) *piece {
	p := &piece{text: key.text, quarters: s.counter.Quarters(key.text)}
	text := key.text
	if key.args {
		text = s.argumentText(key.text)
	}
	p.ids = s.identifiersIn(text)
	p.unlisted = p.ids
	if masked := maskLists(text); masked != text {
		p.unlisted = s.identifiersIn(masked)
	}
	p.lines = newSet(len(s.lines))
	for l := range words.Lines(text) {
		if n, ok := s.lines[l]; ok {
			p.lines.add(n)
		}
	}
	p.fragments = s.fragmentsIn(text)
	p.pins = newSet(len(s.pins))
	flatText := flat(replacesMark.ReplaceAllString(text, ""))
	for pinned, n := range s.pins {
		if strings.Contains(text, pinned) || strings.Contains(flatText, pinned) {
			p.pins.add(n)
		}
	}
	p.point()
	return p
}

func (s *script) identifiersIn(text string) set {
	found := newSet(len(s.ids))
	for w := range words.All(text) {
		if n, ok := s.ids[w]; ok {
			found.add(n)
		}
	}
	return found
}

// point finds the ids of stored texts and the lines that name them.
func (p *piece) point() {
	if m := rangeForm.FindStringSubmatch(p.text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			p.upTo = n
		}
	}
	for _, at := range pointerForm.FindAllStringIndex(p.text, -1) {
		from := strings.LastIndexByte(p.text[:at[0]], '\n') + 1
		end := strings.IndexByte(p.text[at[1]:], '\n')
		if end < 0 {
			end = len(p.text) - at[1]
		}
		p.pointers = append(p.pointers, pointerAt{p.text[at[0]:at[1]], p.text[from : at[1]+end]})
	}
}

// argumentText returns the strings in the arguments of a call, without JSON's escapes.
func (s *script) argumentText(args string) string {
	texts, ok := s.texts[args]
	if !ok {
		texts, _ = words.Leaves([]byte(args))
	}
	var b strings.Builder
	for _, l := range texts {
		b.WriteString(l.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

// listTitles begin the lines of summaries that list paths.
var listTitles = []string{policy.PathsTitle, policy.FilesRead, policy.FilesModified}

// maskLists removes the lists of identifiers and paths that the runtime or a summary added.
func maskLists(text string) string {
	text = contextwindow.MaskLists(text)
	if !strings.HasPrefix(text, policy.SummaryTitle) {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !slices.ContainsFunc(listTitles, func(title string) bool { return strings.HasPrefix(line, title) }) {
			b.WriteString(line)
		}
	}
	return b.String()
}
