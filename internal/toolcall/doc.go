// Package toolcall reads the tool calls of a model as they were meant. A model that was trained with other agents
// calls grep for search and writes file_path for path, "12" for 12, or "12-40" for two lines.
//
// Start with [Args]; [Name] does the same for the tool.
//
// # Invariants
//
//   - The tables in names.go are the only place that knows such a name, and no schema shows it.
//   - A name that the tool knows keeps its meaning, and a value that was given is never replaced by another.
//   - What cannot be placed stays as it is, so that the check against the schema refuses it.
//   - What was read under another name is said in a phrase, for the model and for the record.
//   - Reading what was read changes nothing.
package toolcall
