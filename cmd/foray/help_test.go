package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// The help of every command fits a terminal of 80 columns.
func TestHelpFitsATerminal(t *testing.T) {
	var check func(*cobra.Command)
	check = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			check(sub)
		}
		path := strings.Fields(c.CommandPath())[1:]
		if len(path) > 1 && path[0] == "completion" && path[1] != "install" { // the texts of cobra
			return
		}
		code, help, _ := runForExit(t.Context(), append(path, "--help")...)
		if code != 0 || help == "" {
			t.Errorf("foray %q --help: exit code %d, %d bytes", path, code, len(help))
		}
		for line := range strings.Lines(help) {
			if line = strings.TrimSuffix(line, "\n"); utf8.RuneCountInString(line) > 80 {
				t.Errorf("foray %q --help has a line of %d columns: %s", path, utf8.RuneCountInString(line), line)
			}
		}
	}
	check(newRoot())
}
