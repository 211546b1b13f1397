package explore

import (
	"strconv"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/tools/report"
)

// A mention is a citation as a model wrote it. Its lines may be reversed, and its path of another revision.
type mention struct {
	path       string
	start, end int
}

func (m mention) String() string {
	if m.end == m.start {
		return m.path + ":" + strconv.Itoa(m.start)
	}
	return m.path + ":" + strconv.Itoa(m.start) + "-" + strconv.Itoa(m.end)
}

// usualMarks are the marks of a citation, and what models write in their place.
var usualMarks = strings.NewReplacer("【", "[", "】", "]", "［", "[", "］", "]", "〔", "[", "〕", "]", "（", "(", "）", ")",
	"：", ":", "，", ",", "、", ",", "；", ";", "–", "-", "—", "-", "‐", "-", "‑", "-", "～", "-", "至", "-", "到", "-")

var (
	// group matches what brackets of any kind enclose, and links, after what makes no index of them.
	group = lazyregexp.New("(^|[^\\w\\])】])(?:\\[([^\\[\\]\\n【】]{1,300})\\]\\(([^()\\s]{1,300})\\)|" +
		"\\[([^\\[\\]\\n]{1,300})\\]|[【［〔]([^【】［］〔〕\\n]{1,300})[】］〕]|[(（]([^()（）\\n]{1,300})[)）])")
	// inWord is lines that are named in words after a path.
	inWord = lazyregexp.New(`(?i),?\s+(?:at\s+)?lines?\s+(\d)`)
	// pathLines is a path and lines.
	pathLines = lazyregexp.New("(?i)^`?([^\\s`,;](?:[^`,;]*?[^\\s`,;:#])?)`?\\s*(?:[:#]\\s*L?|\\s+L|\\s*第\\s*)" +
		"(\\d{1,18})(?:\\s*-\\s*L?(\\d{1,18}))?(?::\\d{1,5})?\\s*行?`?$")
	// linesOnly are lines of the path before.
	linesOnly = lazyregexp.New(`(?i)^(?:and\s+)?(?:lines?\s+|L)?(\d{1,18})(?:\s*-\s*L?(\d{1,18}))?$`)
	// pathForm matches what can be the path of a file: it has a directory or an ending, and no blank before its end.
	pathForm = lazyregexp.New(`[/\\]|\.\w{1,12}$|^[A-Z]\w*file$|^[A-Z]{4,}$`)
)

// parseGroup reads what brackets enclose as citations. It returns nil if that is something else.
func parseGroup(inside string) (all []mention) {
	usual := inWord.ReplaceAllString(usualMarks.Replace(inside), ":$1")
	for piece := range strings.FieldsFuncSeq(usual, func(r rune) bool { return r == ',' || r == ';' }) {
		piece = strings.TrimSpace(piece)
		if m := linesOnly.FindStringSubmatch(piece); m != nil && len(all) > 0 {
			all = append(all, mentionOf(all[len(all)-1].path, m[1], m[2]))
			continue
		}
		m := pathLines.FindStringSubmatch(piece)
		if m == nil {
			return nil
		}
		all = append(all, mentionOf(m[1], m[2], m[3]))
	}
	return all
}

func mentionOf(name, first, last string) mention {
	m := mention{path: strings.TrimSpace(name)}
	m.start, _ = strconv.Atoi(first) // 18 digits at most, by the patterns
	m.end = m.start
	if last != "" {
		m.end, _ = strconv.Atoi(last)
	}
	return m
}

// looksLikePath reports whether a mention has the path of a file rather than the slice of a program.
func (m mention) looksLikePath() bool { return pathForm.MatchString(m.path) }

// ordered returns the citation of a mention with its first line first.
func (m mention) ordered(file string) report.Citation {
	return report.Citation{Path: file, Start: min(m.start, m.end), End: max(m.start, m.end)}
}
