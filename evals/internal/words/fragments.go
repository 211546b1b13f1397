package words

import (
	"iter"
	"regexp"
	"strings"
)

// How [Fragments] splits long lines, in bytes.
const (
	longLine = 200
	piece    = 80
)

var (
	escapes  = regexp.MustCompile("\x1b(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\))")
	pathMark = regexp.MustCompile(`^[^\s:]*[./][^\s:]*:\d{1,6}:`)
)

// StripEscapes removes terminal escape sequences.
func StripEscapes(text string) string {
	if strings.IndexByte(text, '\x1b') < 0 {
		return text
	}
	return escapes.ReplaceAllString(text, "")
}

// Fragments yields what a reader of a result may see or miss: its lines, trimmed, without escape sequences, line
// numbers and prefixes like path:12:. It splits lines over 200 bytes into pieces of 80.
func Fragments(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(StripEscapes(text)) {
			line = strings.TrimSpace(line)
			line = unnumbered(line[len(pathMark.FindString(line)):])
			if len(line) <= longLine {
				if line != "" && !yield(line) {
					return
				}
				continue
			}
			for from := 0; from < len(line); from += piece {
				if !yield(line[from:min(from+piece, len(line))]) {
					return
				}
			}
		}
	}
}
