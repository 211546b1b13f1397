// Package ui draws what the command foray shows: the progress line of a run, a conversation, tables, and text that
// cannot steer a terminal.
//
// Nothing in it decides what a command does or how it ends. Start with [NewProgress] for a run and [NewConversation]
// for a chat; pass everything that came from a tree, a model or a server through [line.Printable] or [Line] first.
package ui
