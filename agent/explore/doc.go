// Package explore is a guide for explorations: phases, tool choice, nudges and budgets, as tables, for any model.
//
// # How a run is steered
//
// A Plan is a table of phases. Each has a tool choice, a sentence that the model sees while it lasts, the nudges that may
// come in it, and what ends it:
//
//	analyst    SCAN       2 steps                                                            required
//	           EXPLORE    60 % of the steps, or 3 steps with nothing new                     required
//	           VERIFY     80 % of the steps, or 2 steps with nothing new, or a text          auto
//	           SUMMARIZE  a text, or 2 steps                                                 none
//	producer   PRODUCE    10 submissions; 8 and a step without one; 3 idle steps after one;  auto
//	                      6 steps without any
//	           SUMMARIZE
//	bootstrap  EXPLORE    1 submission, or 18 steps that searched                            required
//	           PRODUCE, SUMMARIZE
//
// Required is taken for auto by the loop where a model refuses it (providers.Info.NoForcedTools). Every answered request is
// a step, one without calls too. At most one nudge comes in a step, the first of this table that is due:
//
//	force exit      the last step in which the model can act
//	convergence     3 steps with nothing new, from step 10 on; once
//	budget warning  75 % of the steps; once
//	reflection      every 5 steps, or 2 steps with nothing new behind step 4; at most every 3 steps
//	planning        before the first step
//	replanning      8 steps since the plan, or 3 steps behind it; twice, 8 steps apart
//
// # What is new
//
// New information is a file, or a part of it, that was not read; a pattern that was not searched; a file that no search had
// named; a directory that was not listed; of any other tool a call with other arguments. What failed told nothing, and
// submissions never count.
//
// A plan is what the tool plan was given, else a numbered list of two items or more in the text, without its questions. An
// item is touched when a call names a word of it. A run is behind its plan when less than half of the items are touched that
// should be by now, if they were taken evenly until 60 % of the steps are used.
//
// # Invariants
//
// A Guide is a fold over its steps: the same steps give the same moves, without a clock and without a model, and Resume gives
// the guide of a run that goes on. Every run ends: after Options.Steps steps at the latest. Firings tells which rules held.
// Assess says how thorough an exploration was, which is reported and steers nothing.
package explore
