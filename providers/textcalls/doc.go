// Package textcalls reads the tool calls that a model writes into its text. Many small and local models do: their
// server has no parser for the form they use, and the call arrives as an answer.
//
// Start with [New], a layer around any [providers.Model]. Text that is a call becomes a [providers.Delta] with a
// Call; everything else passes as it came. [Probe] finds out how a model writes its calls.
//
// # What is a call
//
// The table in forms.go lists the forms, with their sources. A call names a tool that the request offers. In tags
// at the start of a line it is a call whatever follows, and arguments that do not fit are left to the loop, which
// explains them to the model. Anywhere else, in a fence or as bare JSON, the arguments must fit the tool's schema,
// and nothing but calls may follow to the end of the answer; an example that the words before announce stays text, and
// so does every call after one that text follows. If the whole answer is calls of tools by their own names, arguments
// that do not fit are left to the loop too. Calls in inline code, quotations and fences with other content stay text, and
// so do a tool's schema and JSON with other keys.
//
// Doubled braces, line ends and lone backslashes in strings, trailing commas and missing closing braces are
// repaired, because such a text cannot be anything else.
//
// # Streaming
//
// Text that may still become a call is held back, and flows as soon as it cannot. How an answer is split into pieces
// changes nothing. Calls follow after the text, as the contract of package providers wants it. Spaces after a call are
// dropped; all else is either text or a call.
package textcalls
