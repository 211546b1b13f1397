package canaries

import (
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/planted"
)

// headBytes of a message tell whether it is still in the view.
const headBytes = 24

// A checker looks for the items of a session in its views.
type checker struct {
	*session
	heads map[string]bool // of the messages so far
	fed   int
}

// read splits a view into lines.
func (c *checker) read(view []transcript.Message, fed int) []planted.Line {
	for ; c.fed < fed; c.fed++ {
		c.heads[head(c.units[c.fed][0].Text)] = true
	}
	return planted.Lines(view, func(m *transcript.Message) bool {
		return m.Role == transcript.Tool || m.Origin != transcript.Runtime && c.heads[head(m.Text)]
	})
}

func head(text string) string { return text[:min(len(text), headBytes)] }

// judge looks for an item.
func (i *item) judge(lines []planted.Line) planted.Verdict { return i.Judge(i.old, lines) }
