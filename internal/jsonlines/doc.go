// Package jsonlines reads files of JSON lines, plain or compressed, with bounded memory.
//
// Start with [Each].
package jsonlines
