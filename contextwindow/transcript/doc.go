// Package transcript holds the messages that an agent and a model exchange, and the rules that providers put on them.
//
// Start with [Message]. [Check] reports where messages break the rules of a provider, [Repair] turns messages from
// elsewhere into ones that every provider accepts, and [Units] splits them into the units that a window appends. The
// package depends on neither windows nor providers, so that both can use it.
package transcript
