// Package mcp lets an agent use the tools of servers of the Model Context Protocol.
//
// Start with [ReadServers] and [Connect], and give [Client.Tools] to the agent. A server that hangs, dies or floods
// fails the call with a sentence that says so, and the run continues; the next call starts it anew. The protocol is
// that of github.com/modelcontextprotocol/go-sdk.
package mcp
