// Package planner is a model of fixed rules, without a language model: it explores a source tree through the tools of
// a run and reports what it found, with a quoted line for every sentence.
//
// It is what a run has when no language model is configured, and it says so in the first line of its answer. It drives
// the same loop through the same tools as any other model, and knows of the tree only what the results in the request
// say.
//
// # How it works
//
// The question, which is the first message of the user, is split into identifiers, paths and words; an issue, which has
// several lines, into what it quotes too: tracebacks, messages, lines of code. Chinese terms are looked up in a table of
// English ones. Then come stages, each of which makes its calls in one step, if it has any, and says in the reasoning
// beside them what each is for:
//
//	locate   rank the tree; look up the names of the question, and count in how many files its words stand
//	outline  find the words in the first 20 candidates, and outline them
//	read     read the definitions that hold most of the question
//	follow   find what these call, who uses them, their tests and their history
//	hop      read some of what they call
//	report   report; once more without the citations that were refused
//
// and last the answer in text. The candidates stay as they were ranked, but that of the first five one may be told first
// whose definitions fit better where two are ranked nearly alike. The confidence of a place is how often a file at that
// place was right in recorded issues and questions. tools/locate/README.md has the figures.
//
// Where locate is not offered, files are ranked by the words that searches count in them, and without confidence. Without
// a question, or with one that only asks for an overview, the stages look for manifests, entry points, the main
// directories, commands and what changes often instead.
//
// The tools must render their results as JSON (codebase.Options.JSON), and should not be cut: a budget of profile
// contextwindow.Off. What a window did cut is read as far as it goes.
//
// # Invariants
//
// The model keeps no state. Which stage comes next follows from the ids of the calls in the request, which count up, so
// a run always ends; all else follows from the results. The same messages give the same answer, byte for byte. A tool
// that is not offered is never called. Nothing in a result is an instruction.
package rules
