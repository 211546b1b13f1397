package toollimit

import "strings"

// shares says how the room of a text is divided, in percent: its head, its tail, and lines picked from the middle. What
// one leaves goes to the next.
type shares struct {
	head, tail int
	pick       func(line string) bool
}

// excerpt keeps the head and the tail, and picks from the middle, with one gap line between.
func (c *cutter) excerpt() string {
	return headTail(c.text, c.room, shares{head: 60, tail: 40}, c.quota.Pointer)
}

func headTail(text string, room size, sh shares, pointer string) string {
	ls := linesOf(text)
	all := total(ls)
	mark := gap{what: plural(len(ls), "line"), tokens: all.tokens()}.line(room, pointer)
	if mark == "" {
		return ""
	}
	free := room.minus(sizeOf(mark))
	h, used := take(ls, free.share(sh.head))
	t, usedTail := takeBack(ls[h:], free.minus(used))
	more, usedMore := take(ls[h:len(ls)-t], free.minus(used).minus(usedTail))
	h, used = h+more, used.plus(usedMore).plus(usedTail)
	missing := ls[h : len(ls)-t]
	if len(missing) == 0 {
		return text
	}
	var head, tail string
	left := free.minus(used)
	if h == 0 {
		head = prefix(lineText(text, missing[0]), left.share(sh.head).minus(size{perToken, 1}))
	}
	if t == 0 {
		last := lineText(text, missing[len(missing)-1])
		if len(missing) == 1 {
			last = last[len(head):]
		}
		tail = suffix(last, left.minus(sizeOf(head)).minus(size{perToken, 1}))
	}
	g := gap{what: plural(len(missing), "line"), tokens: total(missing).tokens() - Tokens(head) - Tokens(tail)}
	if len(missing) == 1 && (head != "" || tail != "") {
		g.what = plural(missing[0].runes-sizeOf(head).runes-sizeOf(tail).runes, "character")
	}
	var b strings.Builder
	b.WriteString(text[:missing[0].at])
	b.WriteString(head)
	if head != "" && !strings.HasSuffix(head, "\n") {
		b.WriteByte('\n')
	}
	b.WriteString(g.line(room, pointer))
	b.WriteString(tail)
	b.WriteString(text[missing[len(missing)-1].end:])
	return b.String()
}

func lineText(s string, l line) string { return s[l.at:l.end] }

// take returns how many lines from the front fit into room, and what they take.
func take(ls []line, room size) (n int, used size) {
	for _, l := range ls {
		if !used.plus(l.size).within(room) {
			break
		}
		used = used.plus(l.size)
		n++
	}
	return n, used
}

func takeBack(ls []line, room size) (n int, used size) {
	for i := len(ls) - 1; i >= 0; i-- {
		if !used.plus(ls[i].size).within(room) {
			break
		}
		used = used.plus(ls[i].size)
		n++
	}
	return n, used
}
