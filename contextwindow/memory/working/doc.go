// Package working keeps the full texts that windows truncated, so that a pointer in a window's view always
// resolves.
//
// Start with [New]. Each run writes to a [Scope] of its own and drops it at its end. A scope that was
// opened in a session, such as a thread, can leave its texts to the session for later runs. There a text
// expires 30 minutes after it was last read, or two hours after it was kept. A session holds at most 256
// texts and 64 MiB; the texts that were read longest ago make room for new ones. An [Archive] keeps
// sessions beyond the process.
//
// # Invariants
//
//   - A text is never dropped from an open scope.
//   - The error of an expired text differs from that of an unknown id: an [ExpiredError] names the call that returned
//     the text.
package working
