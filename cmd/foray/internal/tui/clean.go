package tui

import (
	"strings"

	"github.com/forayhq/foray/internal/line"
)

// tab is what a tab becomes: terminals disagree about its width within a frame.
const tab = "    "

// clean makes a text [line.Printable], and tabs spaces.
func clean(s string) string { return spaced(line.Printable(strings.ReplaceAll(s, "\r\n", "\n"))) }

func spaced(s string) string { return strings.ReplaceAll(s, "\t", tab) }
