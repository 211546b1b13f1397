package tui

import (
	"image/color"

	"charm.land/lipgloss/v2"
)

// A theme is the styles of everything but Markdown. They use the 16 colours that each terminal has, so that they fit
// its scheme; the renderer drops colours where NO_COLOR asks for it.
type theme struct {
	dark                                      bool
	you, faint, good, bad, accent, bold, mark lipgloss.Style
	plainText                                 lipgloss.Style
	parts                                     [6]lipgloss.Style // of the bar of the window, in the order of barParts
}

func newTheme(dark bool) theme {
	ink := func(c color.Color) lipgloss.Style { return lipgloss.NewStyle().Foreground(c) }
	accent, faint := lipgloss.Blue, lipgloss.BrightBlack
	if dark {
		accent = lipgloss.Cyan
	}
	return theme{
		dark: dark, you: ink(accent).Bold(true), faint: ink(faint), good: ink(lipgloss.Green), bad: ink(lipgloss.Red),
		accent: ink(accent), bold: lipgloss.NewStyle().Bold(true), mark: lipgloss.NewStyle().Reverse(true),
		parts: [6]lipgloss.Style{ink(lipgloss.Magenta), ink(lipgloss.Yellow), ink(lipgloss.Cyan), ink(lipgloss.Red),
			ink(lipgloss.Blue), ink(lipgloss.Green)},
	}
}
