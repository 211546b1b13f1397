// Package textcalls makes tool calls of what a model writes. Many small and local models write their calls into the
// text of an answer, because their server has no parser for the form that they use.
//
// Start with [New], a layer around any [providers.Model]. [Probe] finds out how a model makes its calls.
//
// # What is a call
//
// The table in forms.go lists the forms and their sources. A call names a tool that the request offers, as the loop
// understands names and arguments of native calls (package toolcall).
//
//   - Tags at the start of a line are a call, whatever follows. If the arguments do not fit the tool's schema, the
//     loop refuses them and explains why, as it does with native calls.
//   - Elsewhere, in a fence or as bare JSON, the arguments must fit, nothing but calls may follow to the end of the
//     answer, and the words before must not announce an example. Once a call was followed by text, later ones are
//     shown too. An answer of nothing but calls, by the tools' own names, needs no fit.
//   - Calls in inline code, quotations, fences with other content and <think> are text, and so are a tool's schema
//     and JSON with other keys.
//
// Doubled braces, line ends and lone backslashes in strings, trailing commas and missing closing brackets are
// repaired.
//
// # Streaming
//
// Text that may still become a call is held back, and flows as soon as it cannot. How an answer is split into pieces
// changes nothing. Calls follow after the text. Spaces after a call are dropped; all else is text or a call.
//
// # Requests
//
// Once a call was written as text, earlier calls and results are sent in its form, in plain messages. For servers
// that refuse tools, the system prompt describes them in a line each. A model that makes no calls in any form
// answers with one action, {"tool", "arguments"} or {"answer"}, by a schema without references that grammars of
// servers enforce; the text of an answer flows as it arrives.
package textcalls
