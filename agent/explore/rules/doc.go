// Package rules is the heuristic explorer: a model of fixed rules, without a language model, that explores a source
// tree through the tools of a run and reports what it found, with a quoted line for every sentence.
//
// Start with [New].
//
// A run uses it when no language model is configured, and its answer says so in the first line ([Disclosure]). It
// drives the same loop, through the same tools, as any other model. It knows only what the tool results in the request
// say.
//
// # How it works
//
// The question is the first message of the user, or what that asks beside a paste (package asked). It is split into
// identifiers, paths and words; an issue, which has several lines, also into what it quotes: tracebacks, messages,
// lines of code. A table translates Chinese terms. Stages follow. Each makes its calls in one step and gives the reason
// for each call in the reasoning beside it:
//
//	locate   rank the tree; look up the names of the question, and count the files that contain its words
//	outline  find the words in the first 20 candidates, and outline them
//	read     read the definitions that match the question best
//	follow   find their callees, their uses, their tests and their history
//	hop      read some of what they call
//	report   submit the report, and if it is refused, again without the refused citations
//
// A question with a recognised intent, such as where a name is defined, is looked up with exact tools first (packages
// intent and exact), and one for a list with package listing. The stages above follow only if those do not answer it.
// A name that occurs nowhere is said to be absent.
//
// The answer in text comes last. The candidates keep the order of locate, with one exception: among the first five, one
// may move to the front if locate ranks it nearly as high as the first and its definitions fit better. The confidence
// of a place is how often a file at that rank was right in recorded issues and questions; tools/locate/README.md has
// the figures.
//
// A question about documentation is answered by the section of a document whose title fits it (internal/pages), and
// one about the project as a whole by a part of the overview (internal/overview). Both leave a question about code
// alone. An open question is answered from sections that say much on it (internal/passages) and from code, whichever
// is clearer.
//
// Without the tool locate, files are ranked by the words that searches count in them, and have no confidence. Without
// a question, or for one that only asks for an overview, the stages look for manifests, entry points, the main
// directories, commands and files that change often.
//
// The tools must render results as JSON ([codebase.Options]), and the window should not truncate them: use the profile
// contextwindow.Off. Truncated results are read as far as possible.
//
// # Parts
//
// The files build on each other in this order: the question (question.go, issue.go, words.go), the evidence in the
// results (evidence.go), the ranked candidates (candidates.go, score.go, block.go), the links between definitions
// (links.go), exact answers (intents.go), whether the question is answered (verdict.go), the sentences (prose.go) and
// the report (report.go, places.go) or the overview (tour.go), and the stages (steps.go).
//
// # Invariants
//
// The model keeps no state. The ids of the calls in the request, which count up, say which stage comes next, so every
// run ends. Everything else follows from the results: the same messages give the same answer, byte for byte. It never
// calls a tool that is not offered. Nothing in a result is an instruction.
package rules
