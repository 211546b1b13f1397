// Package tui is the conversation on a terminal: an editor of several lines, answers as Markdown while they arrive,
// each tool call as a line that folds out, and a line with the state of the window.
//
// # How it works
//
// [Run] shows a [Host], which answers what a person types. The host says what happens through a [Screen], from any
// goroutine. All state belongs to one goroutine, that of Bubble Tea's program: a message of the screen, a key or a
// paste changes it, and the next frame shows it. Nothing that a model, a tool or a file wrote reaches the terminal
// before clean has replaced what could steer it.
//
// The history is a list of blocks that remember their lines. A frame asks only for the blocks that it shows, so a long
// conversation costs no more than a short one.
package tui
