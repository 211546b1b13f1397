// Package live measures foray with a real model: questions about the sources of the modules that go.mod names, a long
// conversation, what is remembered of it, and calls of tools in each form. It is slow, and its figures depend on the
// model and the machine.
//
// Start with [Config.Load] and [Run].
//
// # Questions
//
// A question names a module, or a directory by an absolute path. Its answer is known: places, as FILE#SYMBOL or
// FILE:12-30, that the answer must cite one of, and regular expressions that its text must match or must not match. A
// place is found by its symbol, so a new version of a module does not move it. Nobody may tune on these questions: they
// measure.
//
// A grade is right if an answer cites a place and says the words, half if it does one of both, and wrong if it does
// neither or says what it must not. A question that nothing in the module answers has no places: right is an answer
// that says so. The same question is asked without the model, by the same rules. What counts as cited are the first
// three citations of the text and the first three of the list RELEVANT_FILES. A citation of far more lines than the
// place has does not count.
//
// # Conversation
//
// Forty turns with pastes hold a rule from the second turn on and facts that later turns ask for. By default the model
// answers only the eight turns that are checked, and the others have a given answer, which takes a fifth of the time.
// The given answers obey the rule, as those of an obedient model would.
//
// # Memory
//
// Exchanges hold what should be remembered of them, as regular expressions; a third of them holds nothing. The model
// and the rules of package longterm extract memories of each. A memory is right if it matches a statement. The halves
// say which exchanges were in view when prompts and checks were made. The conversation is summarised by the model and
// by the rules of package summary, and the summaries are searched for what the user said.
//
// # Forms
//
// Each request offers one tool. Some can only be answered by calling it, others only in words, although they are about
// calls and JSON. A call that names the tool with the right argument counts; so does an answer without a call.
package live
