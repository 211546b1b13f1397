package toollimit

import (
	"strconv"
	"strings"

	"github.com/forayhq/foray/internal/line"
)

// diff keeps all headers, and bodies in order until the room is full. If not even the headers fit, it drops the least
// informative ones first, and finally writes one line per file. The gap line follows the last body; at is the position
// after it.
func (in *input) diff(room size) (s string, at int) {
	if in.patch == nil {
		in.patch = parsePatch(in.text)
	}
	p := in.patch
	all := gap{what: line.Count(len(p.lines), "line") + " from here on", tokens: in.all.tokens()}
	mark := all.line(room, in.quota.Pointer)
	if mark == "" {
		return "", 0
	}
	free := room.minus(sizeOf(mark))
	keep, used, files := p.choose(free)
	if files < p.files {
		return in.summary(free, room)
	}
	return in.renderPatch(keep, used, room)
}

// summary names the files of a diff whose headers do not fit, with the lines added and removed.
func (in *input) summary(free, room size) (s string, at int) {
	var b strings.Builder
	var used size
	lines, n := in.patch.summary(), 0
	if !sizeOf(strings.Join(lines, "")).within(free) {
		free = free.minus(sizeOf(moreDiffs(len(lines))))
	}
	for ; n < len(lines) && used.plus(sizeOf(lines[n])).within(free); n++ {
		b.WriteString(lines[n])
		used = used.plus(sizeOf(lines[n]))
	}
	if n < len(lines) {
		b.WriteString(moreDiffs(len(lines) - n))
	}
	g := gap{what: line.Count(len(in.patch.lines), "line"), tokens: in.all.minus(used).tokens()}
	b.WriteString(g.line(room, in.quota.Pointer))
	return b.String(), b.Len()
}

func (in *input) renderPatch(keep []bool, used, room size) (s string, at int) {
	p := in.patch
	missing, bodies := 0, false
	for i := range keep {
		if !keep[i] {
			missing++
		} else if p.parts[i] == diffBody {
			bodies = true
		}
	}
	g := gap{what: line.Count(missing, "line"), tokens: in.all.minus(used).tokens()}
	if bodies {
		g.what += " from here on"
	}
	var b strings.Builder
	write := func() {
		b.WriteString(g.line(room, in.quota.Pointer))
		at = b.Len()
	}
	for i, l := range p.lines {
		switch {
		case keep[i]:
			b.WriteString(l.of(in.text))
			if l.end == len(in.text) && in.text[l.end-1] != '\n' {
				b.WriteByte('\n')
			}
		case at == 0 && bodies:
			write()
		}
	}
	if at == 0 {
		write()
	}
	return b.String(), at
}

// summary returns one line per file, such as "agent/run.go +3 -1".
func (p *patch) summary() (lines []string) {
	name, plus, minus := "", 0, 0
	flush := func() {
		if name != "" {
			lines = append(lines, name+" +"+strconv.Itoa(plus)+" -"+strconv.Itoa(minus)+"\n")
		}
		plus, minus = 0, 0
	}
	for i, l := range p.lines {
		s := l.of(p.text)
		switch {
		case isFile(p.parts[i], s):
			flush()
			name = diffName(s)
		case p.parts[i] == diffBody && s[0] == '+':
			plus++
		case p.parts[i] == diffBody && s[0] == '-':
			minus++
		}
	}
	flush()
	return lines
}

// diffName returns the new name of a file, from the line that starts its part of a diff.
func diffName(s string) string {
	s = strings.TrimRight(s, "\r\n")
	s, _, _ = strings.Cut(s, "\t") // a timestamp
	for _, start := range []string{"diff --git ", "--- ", "Index: ", "diff "} {
		if rest, ok := strings.CutPrefix(s, start); ok {
			s = rest
			break
		}
	}
	if i := strings.LastIndex(s, " b/"); i >= 0 {
		s = s[i+1:]
	}
	return strings.TrimPrefix(strings.TrimPrefix(s, "b/"), "a/")
}

// choose takes lines part by part until one does not fit, and counts the files that it names.
func (p *patch) choose(free size) (keep []bool, used size, files int) {
	keep = make([]bool, len(p.lines))
	for part := diffFile; part <= diffBody; part++ {
		for i, l := range p.lines {
			if p.parts[i] != part {
				continue
			}
			z := used.plus(l.size)
			if !z.within(free) {
				return keep, used, files
			}
			keep[i], used = true, z
			if isFile(part, l.of(p.text)) {
				files++
			}
		}
	}
	return keep, used, files
}

func moreDiffs(n int) string { return "… and " + line.Count(n, "more file") + "\n" }
