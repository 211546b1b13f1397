// Package summary keeps the summaries of threads up to date, in the background.
//
// Start with [New]: after each answer call [Updater.Update]. Once ten new messages or 3,000 new tokens have
// come, the updater merges them into the thread's summary, by a model or, without one, by rules for English,
// Chinese and German. A model's summary is accepted only if it has all headings, fits, and keeps nine tenths of
// the names in what the user decided and prefers.
//
// # Invariants
//
//   - One update a thread runs at a time, and a summary replaces only the one that it was made from ([ErrConflict]).
//   - If the model fails, the summary is made by rules and the model is left alone for a while, so that a summary always
//     covers the messages that requests no longer show. If a store fails, the old summary stays and the thread is left
//     alone.
package summary
