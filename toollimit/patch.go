package toollimit

import (
	"math"
	"strconv"
	"strings"
)

// The parts of a diff, in the order in which they get room.
const (
	diffFile   = iota // names a file, or a commit
	diffChange        // a change of the whole file: renamed, new, binary
	diffHunk          // the lines of a hunk, and text outside of files
	diffDetail        // repeats the first line
	diffBody
)

// diffStarts classify the lines outside of hunks. Any other line counts as diffHunk.
var diffStarts = []struct {
	part   int
	starts []string
}{
	{diffFile, []string{"diff ", "commit ", "Index: "}},
	{diffChange, []string{
		"rename ", "copy ", "new file", "deleted file", "old mode", "new mode", "Binary files", "GIT binary patch",
		"Only in ", "Subject: ",
	}},
	{diffDetail, []string{"--- ", "+++ ", "index ", "similarity ", "dissimilarity "}},
}

// A patch is a parsed diff: the part to which each line belongs.
type patch struct {
	text  string
	lines []sizedLine
	parts []int
	files int
}

func parsePatch(text string) *patch {
	var d diffReader
	p := &patch{text: text}
	for _, l := range linesOf(text) {
		part := d.part(l.of(text))
		if isFile(part, l.of(text)) {
			p.files++
		}
		p.lines, p.parts = append(p.lines, sizedLine{l, sizeOf(l.of(text))}), append(p.parts, part)
	}
	return p
}

func isFile(part int, s string) bool { return part == diffFile && !strings.HasPrefix(s, "commit ") }

// A diffReader classifies the lines of a diff. Within a hunk it counts lines, so that "--- x" in a body is not a
// header.
type diffReader struct {
	old, new int  // lines of the hunk still to come
	hunk     bool // the file has had a hunk
	named    bool // the file has had a line "diff"
	body     bool // all is body until the next file: binary data, or a hunk of a merge
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

// inBody consumes a line of a hunk. A line that cannot be one ends the hunk.
func (d *diffReader) inBody(s string) bool {
	if d.body {
		return !strings.HasPrefix(s, "diff ") && !strings.HasPrefix(s, "commit ") && !strings.HasPrefix(s, "@@@")
	}
	if d.old <= 0 && d.new <= 0 { // the numbers of a handwritten diff may be wrong
		header := strings.HasPrefix(s, "--- ") || strings.HasPrefix(s, "+++ ")
		return d.hunk && strings.IndexByte(" +-", s[0]) >= 0 && !header
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

// hunkLines reads the line counts of "@@ -10,6 +10,7 @@". A missing count is 1.
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
