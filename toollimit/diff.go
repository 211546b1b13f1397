package toollimit

import "strings"

// headerStarts begin the lines of a unified diff that say which file and which lines it is about.
var headerStarts = []string{
	"diff ", "--- ", "+++ ", "@@ ", "rename ", "new file", "deleted file", "similarity ", "Binary files", "index ",
}

func isHeader(s string) bool {
	for _, p := range headerStarts {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// diff keeps all headers, and bodies in their order until the room is full.
func (c *cutter) diff(room size) string {
	ls := linesOf(c.text)
	mark := gap{what: plural(len(ls), "line"), tokens: c.all.tokens()}.line(room, c.quota.Pointer)
	if mark == "" {
		return ""
	}
	free := room.minus(sizeOf(mark))
	keep, used, kept := make([]bool, len(ls)), size{}, 0
	for _, headers := range []bool{true, false} {
		for i, l := range ls {
			if isHeader(l.of(c.text)) != headers {
				continue
			}
			z := used.plus(sizeWithin(l.of(c.text), room))
			if !z.within(free) {
				break
			}
			keep[i], used, kept = true, z, kept+1
		}
	}
	var b strings.Builder
	for i, l := range ls {
		if keep[i] {
			b.WriteString(l.of(c.text))
		}
	}
	if b.Len() > 0 && keep[len(ls)-1] && !strings.HasSuffix(c.text, "\n") {
		b.WriteByte('\n')
	}
	missing := gap{what: plural(len(ls)-kept, "line"), tokens: c.all.minus(used).tokens()}
	b.WriteString(missing.line(room, c.quota.Pointer))
	return b.String()
}
