package tui

import (
	"strings"
	"unicode"

	"github.com/forayhq/foray/internal/line"
)

// invisible are the characters without a width of their own that can hide text: zero-width spaces and joiners, word
// joiners, the byte order mark, soft hyphens, and tag characters. Combining marks and variation selectors are not among
// them.
var invisible = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x00ad, Hi: 0x00ad, Stride: 1},
		{Lo: 0x180e, Hi: 0x180e, Stride: 1},
		{Lo: 0x200b, Hi: 0x200d, Stride: 1},
		{Lo: 0x2028, Hi: 0x2029, Stride: 1},
		{Lo: 0x2060, Hi: 0x2064, Stride: 1},
		{Lo: 0xfeff, Hi: 0xfeff, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0xe0000, Hi: 0xe007f, Stride: 1}},
}

// tab is what a tab becomes: terminals disagree about its width within a frame.
const tab = "    "

// clean makes a text harmless for the terminal: it replaces what [line.Printable] does and what is invisible with
// U+FFFD, and tabs with spaces.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(invisible, r) {
			return unicode.ReplacementChar
		}
		return r
	}, line.Printable(strings.ReplaceAll(s, "\r\n", "\n")))
	return strings.ReplaceAll(s, "\t", tab)
}
