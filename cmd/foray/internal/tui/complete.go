package tui

import (
	"context"
	"fmt"
	"path"
	"sort"
	"strings"
)

// A completion offers words for the one before the cursor.
type completion struct {
	rows   []Choice
	at     int
	prefix string // of the editor's text before the word
}

// maxOffered is how many rows a completion shows.
const maxOffered = 8

// complete returns what the text before the cursor can become; nil: nothing.
func (h *Host) complete(ctx context.Context, before string, files *[]string) *completion {
	word := before[strings.LastIndexAny(before, " \n\t")+1:]
	head := strings.TrimSuffix(before, word)
	switch {
	case head == "" && strings.HasPrefix(word, "/"):
		return offer(head, h.commandRows(word))
	case strings.HasPrefix(word, "@") && h.Files != nil:
		if *files == nil {
			*files = h.Files(ctx)
		}
		return offer(head, fileRows(*files, word[1:]))
	}
	return nil
}

func offer(head string, rows []Choice) *completion {
	if len(rows) == 0 {
		return nil
	}
	return &completion{rows: rows, prefix: head}
}

// commandRows returns the commands that begin with a word.
func (h *Host) commandRows(word string) []Choice {
	var rows []Choice
	for _, c := range h.Commands {
		if name := "/" + c.Name; strings.HasPrefix(name, word) && name != word {
			rows = append(rows, Choice{ID: name + " ", Title: strings.TrimSpace(name + " " + c.Args), Detail: c.Help})
		}
	}
	return rows
}

// fileRows returns the paths that contain a word, those whose name begins with it first, then the shorter ones.
func fileRows(files []string, word string) []Choice {
	word = strings.ToLower(word)
	type found struct {
		path string
		rank int
	}
	var all []found
	for _, f := range files {
		lower := strings.ToLower(f)
		if lower == word {
			return nil // it is complete
		}
		if strings.Contains(lower, word) && clean(f) == f { // others would not be seen as they are
			rank := len(f)
			if !strings.HasPrefix(path.Base(lower), word) {
				rank += 1 << 16
			}
			all = append(all, found{f, rank})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].rank < all[j].rank })
	var rows []Choice
	for _, f := range all[:min(len(all), 50)] {
		rows = append(rows, Choice{ID: "@" + f.path + " ", Title: clean(f.path)})
	}
	return rows
}

// move chooses another row.
func (c *completion) move(n int) { c.at = (c.at + n + len(c.rows)) % len(c.rows) }

// view draws the rows around the chosen one.
func (c *completion) view(t *theme, width int) []string {
	lines := rowsOf(t, c.rows, c.at, maxOffered, width)
	if len(c.rows) > maxOffered {
		count := fmt.Sprintf(" %d of %d · ↑ ↓ choose · Tab takes", c.at+1, len(c.rows))
		lines = append(lines, t.faint.Render(fit(count, width)))
	}
	return lines
}

// rowsOf draws at most size rows of a list around the chosen one.
func rowsOf(t *theme, rows []Choice, at, size, width int) []string {
	from := max(0, min(at-size/2, len(rows)-size))
	shown := rows[from:min(len(rows), from+size)]
	widest := 0
	for _, r := range shown {
		widest = max(widest, columns(r.Title))
	}
	widest = min(widest, width*2/3)
	var lines []string
	for i, r := range shown {
		title := fit(clean(r.Title), widest)
		detail := fit(clean(r.Detail), width-widest-4)
		pad := strings.Repeat(" ", max(widest-columns(title), 0)+2)
		if from+i == at {
			lines = append(lines, t.mark.Render(fit(" "+title+pad+detail+" ", width)))
			continue
		}
		lines = append(lines, " "+title+pad+t.faint.Render(detail))
	}
	return lines
}

// maxMentioned is how many files a message can bring in.
const maxMentioned = 10

// mentioned returns the files that a message names with @, and what else may be meant as a path.
func mentioned(text string, files []string) (out, others []string) {
	known := make(map[string]bool, len(files))
	var spaced []string // the names of several words
	for _, f := range files {
		if known[f] = true; strings.ContainsAny(f, blanks) {
			spaced = append(spaced, f)
		}
	}
	for i := 0; i < len(text) && len(out) < maxMentioned; i++ {
		if text[i] != '@' || i > 0 && !strings.ContainsRune(blanks, rune(text[i-1])) {
			continue
		}
		name := begins(text[i+1:], spaced)
		if name == "" {
			name = text[i+1 : min(len(text), i+1+maxPath)]
			if end := strings.IndexAny(name, blanks); end >= 0 {
				name = name[:end]
			}
			name = strings.TrimRight(name, ",;:.?!)")
		}
		switch join, seen := known[name]; {
		case join:
			out = append(out, name)
		case !seen && strings.ContainsAny(name, "./") && len(others) < maxMentioned:
			others = append(others, name)
		}
		known[name] = false
	}
	return out, others
}

// blanks part words.
const blanks = " \t\r\n"

// maxPath is how long a path in a message is at most.
const maxPath = 4096

// begins returns the longest of some names that a text begins with; "" for none.
func begins(text string, names []string) (longest string) {
	for _, n := range names {
		if rest, ok := strings.CutPrefix(text, n); ok && len(n) > len(longest) &&
			(rest == "" || strings.ContainsRune(blanks+",;:.?!)", rune(rest[0]))) {
			longest = n
		}
	}
	return longest
}
