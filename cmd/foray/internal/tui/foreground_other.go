//go:build !unix

package tui

import "os"

// inForeground reports whether the process may read from its terminal, which it may where jobs are not controlled.
func inForeground(*os.File) bool { return true }
