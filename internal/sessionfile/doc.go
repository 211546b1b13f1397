// Package sessionfile reads the sessions that agents left in files, as conversations that any model can continue.
//
// Start with [Read], or with [Each] for one run at a time. It recognizes the [Formats] by their content. A file may
// hold several runs: a compaction or a subagent begins another one, because its model saw no more.
//
// # What a run keeps
//
// Results join their calls in the order of the calls, whole parallel rounds included. What a file lacks is mended, and
// what no other account or model can use is dropped. The [Report] counts both, and names the places.
//
//   - A call without a result gets one that says so. A result without a call, or one that came too late, becomes a
//     user message that quotes it. So does a message of an unknown role, and a system message after the beginning.
//   - Branches that the user left are dropped. So is encrypted and signed reasoning, which only the account that made
//     it can send. Plain reasoning is kept beside the messages.
//   - A picture or another file becomes a line with its media type and size.
package sessionfile
