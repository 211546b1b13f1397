// Package compaction measures how well policies keep a window within its budget, by playing recorded trajectories again
// without a model.
//
// # Protocol
//
// For every message of the assistant a policy has been fed the messages before, as units, each once, and returns the
// view that it would have sent. The recorded message is the next real action: what its calls refer to is what the view
// should have held. Nothing later is visible. A trajectory counts at a budget if it is larger than 1.3 budgets; one
// whose system prompt and user messages exceed 0.8 budgets is left out as irreducible. The agent of the recording saw
// everything, so this ranks policies and bounds harm; it does not predict how many tasks are solved.
//
// Recordings are put in order for feeding: results go behind their calls, in the order of the calls, unless the
// assistant spoke before they came; what it did not see then, no policy sees. A result that is missing is said to be
// interrupted, one without a call becomes a message of the user, of two for one call the last wins. Messages of the
// assistant that follow each other without a call are one. What was repaired is counted.
//
// # Counting tokens
//
// One counter decides for all policies which trajectories count, what is over budget, and what a request costs, and
// the baselines decide by it. The default is characters ÷ 4, without framing, as in the reference points; the other is
// the house's own estimate.
//
// A contextwindow.Window decides by its own estimate. With the counter foray that is the same sum, and a request over
// budget is the window's fault. With chars4 the window is told the counter's figure after every request, by Observe,
// as a provider would; its meter starts with a ratio of 1, which is careful because its estimate is larger than
// characters ÷ 4, and settles within about ten requests of more than 2,000 tokens. Its budget is not scaled: that
// would only repeat what the meter learns. Requests over budget then measure the meter too. Characters ÷ 4 is no
// tokenizer, and its ratio to the estimate swings more than that of a real one between code and prose.
//
// # Metrics
//
// Identifiers, lines, anchors and the rest are defined where they are computed: identifier.go, target.go, measure.go,
// pin.go, valid.go, refill.go. Sums are micro-averages over requests. A compaction is a request that does not go on
// where the one before ended, so that every policy is counted alike. Very long sessions, of more than 400 calls or
// messages of the assistant, are not in the total but by themselves: one of them weighs as much as twenty others.
//
// Determinism compares the views of a second run, which saves and loads the policy in its middle.
package compaction
