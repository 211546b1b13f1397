// Package cli holds what the commands of foray share: the kinds of flags, exit codes with their hints, files that are
// written atomically, and the wording of lists and refusals.
//
// Start with [Usage], which refuses a command that cannot work as typed.
package cli
