// Package server offers tools to the clients of the Model Context Protocol: over a pair of streams ([Server.Run]) and
// over HTTP ([Server.Handler]).
//
// Start with [New]. The protocol is that of github.com/modelcontextprotocol/go-sdk, in the revisions up to 2026-07-28.
// Results are truncated as in a window, and the client reads the rest with the tool that the gap names.
package server
