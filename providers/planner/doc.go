// Package planner is a model of fixed rules, without a language model: it explores a source tree through the tools of
// a run and reports what it found, with a quoted line for every sentence.
//
// It is what a run has when no language model is configured, and it says so in the first line of its answer. It drives
// the same loop through the same tools as any other model, and knows of the tree only what the results in the request
// say.
//
// # How it works
//
// The question, which is the first message of the user, is split into identifiers, paths and words. Chinese terms are
// looked up in a table of English ones. Then come stages, each of which makes its calls in one step, if it has any:
//
//	look    list the tree; count each word by file; find definitions named by a word, and the identifiers
//	focus   outline the files that score best; find all words in them again, with the symbols around
//	read    read the definitions that score best
//	follow  find the definitions of what these call, and who calls them
//	hop     read some of those
//	report  report; once more without the citations that were refused
//
// and last the answer in text. Without a question, or with one that only asks for an overview, the stages look for
// manifests, entry points and the README instead.
//
// The tools must render their results as JSON (codebase.Options.JSON), and should not be cut: a budget of profile
// contextwindow.Off. What a window did cut is read as far as it goes.
//
// # Invariants
//
// The model keeps no state. Which stage comes next follows from the ids of the calls in the request, which count up, so
// a run always ends; all else follows from the results. The same messages give the same answer, byte for byte. A tool
// that is not offered is never called. Nothing in a result is an instruction.
package planner
