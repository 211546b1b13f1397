package contextbuilder

import (
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// SlidingWindow returns the newest turns of a thread that fit tokens, at most turns of them, as a [Builder] shows them
// without a previous build: whole turns, calls with their results. It leaves out messages numbered below from, such as
// those of a summary. The newest turn is shown whenever there is room at all. Where turns do not fit, results of tools
// and long messages of older turns are shortened first, and last the newest turn.
//
// The messages ascend. In the stats, Excluded is exact: the number of messages from number from up to, not including,
// [WindowStats].From, which have no room or are older than the newest turns. Without a message or without room, nothing
// is shown.
func SlidingWindow(ms []Message, from int64, tokens, turns int) ([]transcript.Message, WindowStats) {
	i := slices.IndexFunc(ms, func(m Message) bool { return m.Seq >= from })
	if i < 0 || tokens < 1 || turns < 1 {
		return nil, WindowStats{Excluded: int64(len(ms[max(i, 0):]) * min(i+1, 1))}
	}
	ms = ms[i:]
	c := Config{Turns: turns, MessageShare: defaultMessageShare}
	stats := new(Stats)
	p := &plan{b: &Builder{config: c}, room: room{total: tokens}, stats: stats, shorten: shortener{stats: stats}}
	p.past = past{turns: split([][]Message{ms}, turns), whole: true}
	p.window.turns, _ = p.fitTurns(tokens, 0)
	p.window.measure()
	w := WindowStats{Turns: len(p.window.turns), Tokens: p.window.tokens, From: p.firstShown()}
	for _, m := range ms {
		if m.Seq < w.From {
			w.Excluded++
		}
	}
	shown := p.history()
	w.Messages = len(shown)
	return shown, w
}
