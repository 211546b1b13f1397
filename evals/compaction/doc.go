// Package compaction measures how well policies keep a window within its budget, by replaying recorded runs without a
// model.
//
// Start with [Run].
//
// # Protocol
//
// A policy is fed the units of a trajectory, each once and in order. Before each message of the assistant it returns
// the view that it would send. The recorded message is the next real action, so the view should show what its calls
// refer to. A policy never sees later messages. A trajectory counts at a budget only if it is larger than 1.3 budgets.
// If its system prompt and user messages take more than 0.8 budgets, it is irreducible and is not played. The recorded
// agent saw everything, so the suite ranks policies and bounds the harm they do. It does not predict how many tasks
// are solved.
//
// Recordings are ordered for feeding: results directly after their calls, in the order of the calls, unless the
// assistant spoke before they arrived. A missing result becomes "interrupted", and a result without a call becomes a
// user message. Of two results for one call the last wins. Consecutive assistant messages without calls become one.
// The report counts these repairs.
//
// # Counting tokens
//
// One counter decides for all policies which trajectories count, which requests are over budget, and what they cost.
// The baselines also compact by it. The default, chars4, is characters ÷ 4 without framing, as in published figures of
// other agents. The other counter, foray, is the estimate that windows use.
//
// A [contextwindow.Window] compacts by its own estimate. With the counter foray, both are equal, and a request over
// budget is the window's fault. With chars4, the window observes the counter's figure after every request, as it would
// a provider's. Its meter starts at a ratio of 1, which is on the safe side because the estimate exceeds characters
// ÷ 4, and settles within about ten requests of more than 2,000 tokens. Requests over budget then measure the meter
// too, and more harshly than a real tokenizer would, whose ratio to the estimate varies less between code and prose.
//
// # Metrics
//
// The code that computes a metric defines it: internal/words, target.go, measure.go, pin.go, valid.go and refill.go.
// Sums are micro-averages over requests. Any request that does not extend the previous one counts as a compaction,
// whatever the policy. Sessions of more than 400 calls or assistant messages have rows of their own and are not in
// the total, because each weighs as much as twenty others.
//
// Determinism compares the views with those of a second run, which saves and loads the policy halfway.
package compaction
