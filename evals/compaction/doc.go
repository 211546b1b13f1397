// Package compaction measures how well policies keep a window within its budget, by replaying recorded runs without a
// model.
//
// Start with [Load] and [Run].
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
// Three figures guard the others, because showing less makes a request cheaper, its prefix longer and the past easier
// to keep:
//
//   - First sight: the share of each result that the first request after its arrival shows. A result is split into
//     lines, without escape sequences, line numbers and prefixes like path:12:; lines over 200 bytes into pieces of 80.
//     A line counts as seen if it is part of what is shown of that result or, from 8 bytes on, is a line of any result
//     or argument of a call in the view. A result weighs its tokens, at most 4,000.
//   - Near range: the share of the identifiers and lines that a call refers to and that last occurred one to four
//     turns before, visible outside lists.
//   - Effective cost: the cost with all that must be read again, because a call refers to it and the view lacks it.
//     Sources are the messages of earlier units, chosen by greedy cover. One is read again if it holds an identifier,
//     a line of an old text or three other lines. It then stays visible for the next four requests. Its price is .10 of
//     the request, five times the 60 tokens of a call, and (1.25 + 4 × .10) of 60 tokens and the source, at most 2,000.
//
// Requests after a window gave up with [contextwindow.ErrThrash] are counted as GoesOn. They show nothing, but cost
// what they send.
//
// The code that computes a metric defines it: evals/internal/words, target.go, measure.go, sight.go, role.go,
// reread.go, pin.go, refill.go and evals/internal/valid. Sums are micro-averages over requests. Any request that does
// not extend the previous one counts as a compaction, whatever the policy. Sessions of more than 400 calls or assistant
// messages have rows of their own and are not in the totals, because each weighs as much as twenty others. A second
// total leaves out the source with the most requests, which may dominate the first.
//
// Totals and differences from the ladder profile have standard errors, from a bootstrap over trajectories.
//
// Determinism compares the views with those of a second run, which saves and loads the policy halfway.
//
// # Gates
//
// A test plays the profile lean on sessions of our own, testdata/own.jsonl.gz, and fails if first sight or near range
// falls below testdata/gates.json, or if a promise breaks. `make gates` prints the figures. `go test -run Gates
// -update` raises the gates to what is reached; only a person lowers one, and says why.
package compaction
