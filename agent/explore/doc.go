// Package explore answers questions about a source tree, with a language model or by rules alone.
//
// Start with [Run]: a question in, a [Result] with a report out. [Open] and [Tree.Run] do the same in two steps, with
// options; [Tree.Agent] returns the configuration of the agent to change it. [New] returns the guide that steers the
// model, for an agent of your own.
//
// # Evidence
//
// A run of a language model begins with what was found without it, in about half a second: exact definitions of the
// names in the question, then the definitions of the whole tree with most of its words ([locate.Result.Lookup]) mixed
// with the places of the heuristic explorer, with the lines that decide, the calls among them, and further places. It
// takes 800 to 8,000 tokens, by the budget of a request, and precedes the question in the first message. So the model
// may answer with its first request, and the guide asks for no calls.
//
// A question that exact tools answer begins with the sentence of that answer and the places that it cites. What a
// question negates, and words such as 2Q, change the order of the places of an open question.
//
// People use other words than the code. For an open question a small model is first asked for words that code would
// use, and both count the same. A large one searches better itself.
//
// Each citation of the answer is checked against the tree: its lines must exist and hold something that its sentence
// names. A wrong one becomes that of the place that is meant, or is removed. A path without lines, and a sentence that
// only names a definition, get their lines. If the answer then cites nothing, repeats what the model was sent, is
// empty or does not come, the report is the one of the heuristic explorer, and [Result].Fallback says why.
//
// # Phases
//
// A [Plan] is a table of phases. Each [Phase] has a tool choice, a sentence that the model reads while it lasts, the
// nudges that may come in it, and what ends it:
//
//	analyst    SCAN       2 steps                                                             required
//	           EXPLORE    60 % of the steps, or 3 steps with nothing new                      required
//	           VERIFY     80 % of the steps, or 2 steps with nothing new, or a text           auto
//	           SUMMARIZE  a text, or 2 steps                                                  none
//	producer   PRODUCE    10 submissions; 8 and a step without one; 3 idle steps after one;   auto
//	                      6 steps without any
//	           SUMMARIZE
//	small      EXPLORE    80 % of the steps, or 3 steps with nothing new, or a text           auto
//	           SUMMARIZE
//	bootstrap  EXPLORE    1 submission, or 18 steps that searched                             required
//	           PRODUCE, SUMMARIZE
//
// The loop takes auto for required if a model refuses it ([providers.Info]). Every answered request is a step, even one
// without calls.
//
// # Small models
//
// A model with a window of at most 16,384 tokens, a budget below 11,500 or at most 4 billion parameters, as far as its
// name says so, gets a short prompt, five tools with short schemas ([Tree.SmallTools]) and the plan small, whose first
// request has no note: a small model takes notes for the question.
//
// # Nudges
//
// At most one nudge comes in a step, the first of this table that is due:
//
//	force exit      the last step in which the model can act
//	convergence     3 steps with nothing new, from step 10 on; once
//	budget warning  75 % of the steps; once
//	reflection      every 5 steps, or 2 steps with nothing new after step 4; at most every 3 steps
//	planning        before the first step
//	replanning      8 steps since the plan, or 3 steps in which the run lags it; twice, 8 steps apart
//
// # New information
//
// These are new: a file, or a part of one, not read before; a pattern not searched; a file that no search had named; a
// directory not listed; any other tool with other arguments. Failed calls bring nothing, and submissions never count.
//
// A plan is what the tool plan was given, or else a numbered list of at least two items in the text, without its
// questions. A call touches an item if it names a word of it. A run lags its plan while it has touched less than half
// of the items due by now, if they were taken evenly until 60 % of the steps are used.
//
// # Invariants
//
// A [Guide] is a fold over its steps: the same steps give the same moves, without a clock and without a model. A
// resumed run gives its guide the earlier steps again. Every run ends, after Options.Steps steps at the latest.
// [Guide.Firings] lists the rules that held. [Assess] says how thorough an exploration was; it steers nothing.
package explore
