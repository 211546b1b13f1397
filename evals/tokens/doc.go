// Package tokens measures how well the house counts tokens, against what providers counted.
//
// # Data
//
// A line of the data is one growth of a prompt: {"model","session","delta_tokens","added":["text"…]}, by how many tokens
// it grew as the provider counted, and the texts that were added. The growths of a session, in their order, are summed
// up; an error is taken at every sum of more than 20,000 tokens, since smaller ones are mostly framing.
//
// # Ways of counting
//
// "characters ÷ 4" is the usual rule of thumb. "estimate" is toollimit.Tokens alone. "window" is what a window of the
// model says that has not been told a count, framing and starting ratio included; "calibrated" is a window that is told
// the provider's count after each request, as an agent does. Both go through contextwindow.Window, so that the meter
// itself is measured and not a copy of its arithmetic: each growth is appended, the usage is read, then the count is
// observed.
package tokens
