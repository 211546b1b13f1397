package page

import (
	"fmt"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/line"
)

// Texts of the page are visible, and hidden characters are what is not.
var visible, hidden = line.Visible, line.Hidden

// shown is s as the page shows it: visible, and with a note in the middle if it has more than most bytes. Two thirds of
// what stays are the beginning.
func shown(s string, most int) string {
	if len(s) <= most {
		return visible(s)
	}
	head, tail := most*2/3, len(s)-most/3
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return visible(s[:head]) + fmt.Sprintf("\n[… %d bytes are not in this page …]\n", tail-head) + visible(s[tail:])
}
