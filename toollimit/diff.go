package toollimit

import (
	"math"
	"strconv"
	"strings"
)

// The parts of a diff, in the order in which they are given room.
const (
	diffFile   = iota // names a file, or a commit
	diffChange        // what happened to the file as a whole: renamed, new, binary
	diffHunk          // which lines, and what stands outside of the files
	diffDetail        // what the first line says as well
	diffBody
)

// diffStarts tell the lines outside of hunks apart; what begins with none of them counts as diffHunk.
var diffStarts = []struct {
	part   int
	starts []string
}{
	{diffFile, []string{"diff ", "commit ", "Index: "}},
	{diffChange, []string{
		"rename ", "copy ", "new file", "deleted file", "old mode", "new mode", "Binary files", "GIT binary patch", "Only in ", "Subject: ",
	}},
	{diffDetail, []string{"--- ", "+++ ", "index ", "similarity ", "dissimilarity "}},
}

// A diffReader tells the parts of a diff apart, line by line. Within a hunk it counts lines, so that "--- x" of a body
// is not taken for a header.
type diffReader struct {
	old, new int  // lines of the hunk that are to come
	hunk     bool // there was a hunk in the file
	named    bool // the file has a line "diff" already
	body     bool // until the next file all is body: a patch of binary data, or a hunk of a merge
}

func (d *diffReader) part(s string) int {
	if d.inBody(s) {
		return diffBody
	}
	switch {
	case strings.HasPrefix(s, "@@@"):
		d.body = true
		return diffHunk
	case strings.HasPrefix(s, "@@ "):
		d.old, d.new = hunkLines(s)
		d.hunk = true
		return diffHunk
	case strings.HasPrefix(s, "\\ "):
		return diffBody
	}
	for _, row := range diffStarts {
		for _, start := range row.starts {
			if strings.HasPrefix(s, start) {
				return d.header(row.part, start)
			}
		}
	}
	return diffHunk
}

func (d *diffReader) header(part int, start string) int {
	switch start {
	case "diff ", "Index: ", "commit ":
		d.named, d.body, d.hunk = start != "commit ", false, false
	case "GIT binary patch":
		d.body = true
	case "--- ":
		if !d.named {
			return diffFile
		}
	}
	return part
}

// inBody takes a line of a hunk. A line that cannot be one ends it.
func (d *diffReader) inBody(s string) bool {
	if d.body {
		return !strings.HasPrefix(s, "diff ") && !strings.HasPrefix(s, "commit ") && !strings.HasPrefix(s, "@@@")
	}
	if d.old <= 0 && d.new <= 0 { // the numbers of a diff that was written by hand may be wrong
		return d.hunk && strings.IndexByte(" +-", s[0]) >= 0 && !strings.HasPrefix(s, "--- ") && !strings.HasPrefix(s, "+++ ")
	}
	switch s[0] {
	case '+':
		d.new--
	case '-':
		d.old--
	case ' ', '\n', '\r', '\t':
		d.old, d.new = d.old-1, d.new-1
	case '\\':
	default:
		d.old, d.new = 0, 0
		return false
	}
	return true
}

// hunkLines reads the numbers of lines in "@@ -10,6 +10,7 @@"; one that is not there is 1.
func hunkLines(s string) (old, new int) {
	ranges := strings.Fields(s[:min(len(s), 80)])
	if len(ranges) < 3 {
		return 0, 0
	}
	return rangeLines(ranges[1]), rangeLines(ranges[2])
}

func rangeLines(s string) int {
	_, lines, ok := strings.Cut(s, ",")
	if !ok {
		return 1
	}
	n, err := strconv.Atoi(lines)
	if err != nil || n < 0 || n > math.MaxInt32 {
		return 0
	}
	return n
}

// A patch is a diff taken apart: the part that each line is.
type patch struct {
	text  string
	lines []sized
	parts []int
	files int
}

func takePatch(text string) *patch {
	var d diffReader
	p := &patch{text: text}
	for _, l := range linesOf(text) {
		part := d.part(l.of(text))
		if isFile(part, l.of(text)) {
			p.files++
		}
		p.lines, p.parts = append(p.lines, sized{l, sizeOf(l.of(text))}), append(p.parts, part)
	}
	return p
}

func isFile(part int, s string) bool { return part == diffFile && !strings.HasPrefix(s, "commit ") }

// diff keeps all headers, and bodies in their order until the room is full. When not even the headers fit, those go
// first that say least, and in the end there is only a line for each file. The position is behind the gap line, which
// stands where bodies end.
func (c *cutter) diff(room size) (s string, at int) {
	if c.patch == nil {
		c.patch = takePatch(c.text)
	}
	p := c.patch
	mark := gap{what: plural(len(p.lines), "line") + " from here on", tokens: c.all.tokens()}.line(room, c.quota.Pointer)
	if mark == "" {
		return "", 0
	}
	free := room.minus(sizeOf(mark))
	keep, used, files := p.choose(free)
	if files < p.files {
		return c.summary(free, room)
	}
	return c.renderPatch(keep, used, room)
}

// summary names the files of a diff whose headers have no room, with the number of lines that each gets and loses.
func (c *cutter) summary(free, room size) (s string, at int) {
	var b strings.Builder
	var used size
	lines, n := c.patch.summary(), 0
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
	b.WriteString(gap{what: plural(len(c.patch.lines), "line"), tokens: c.all.minus(used).tokens()}.line(room, c.quota.Pointer))
	return b.String(), b.Len()
}

// summary returns a line for each file, as "agent/run.go +3 -1".
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

// diffName is the name of a file in the line that begins its part of a diff: the new one, without what stands before.
func diffName(s string) string {
	s = strings.TrimRight(s, "\r\n")
	s, _, _ = strings.Cut(s, "\t") // a time
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

// choose takes lines part by part, until one does not fit, and counts the files that are named.
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

func moreDiffs(n int) string { return "… and " + plural(n, "more file") + "\n" }

func (c *cutter) renderPatch(keep []bool, used, room size) (s string, at int) {
	p := c.patch
	missing, bodies := 0, false
	for i := range keep {
		if !keep[i] {
			missing++
		} else if p.parts[i] == diffBody {
			bodies = true
		}
	}
	g := gap{what: plural(missing, "line"), tokens: c.all.minus(used).tokens()}
	if bodies {
		g.what += " from here on"
	}
	var b strings.Builder
	write := func() {
		b.WriteString(g.line(room, c.quota.Pointer))
		at = b.Len()
	}
	for i, l := range p.lines {
		switch {
		case keep[i]:
			b.WriteString(l.of(c.text))
			if l.end == len(c.text) && c.text[l.end-1] != '\n' {
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
