package tools

import "github.com/forayhq/foray/toollimit/line"

// Closest is [line.Closest].
func Closest(name string, names []string, n int) []string { return line.Closest(name, names, n) }
