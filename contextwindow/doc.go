// Package contextwindow is the log of a run, the view of it that fits the budget, and how it is compacted.
package contextwindow
