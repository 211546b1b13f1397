// Package tokens compares token estimates with what providers counted.
//
// Start with [Load] and [Run].
//
// # Data
//
// A line of the data is one growth of a prompt: {"model","session","delta_tokens","added":["text"…]}, with the tokens
// by which the provider's count grew and the texts that were added. The growths of a session are summed up in order.
// Errors are measured for sums of at least 20,000 tokens, because smaller ones are mostly framing.
//
// # Ways of counting
//
// "characters ÷ 4" is the usual rule of thumb. "estimate" is toollimit.Tokens alone. "window" is the count of a
// window that has not observed a provider's count, framing and starting ratio included. "calibrated" is a window that
// observes the provider's count after each request, as an agent does. Both go through contextwindow.Window, so that
// the real meter is measured: each growth is appended, the usage read, and the count observed.
package tokens
