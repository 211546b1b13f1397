// Package pipelines runs agents one after another on one context window, with a gate after each.
//
// Start with [Run] and [Stage]. Package insight is a pipeline built on it.
//
// # How a pipeline runs
//
//	Run ── stage ── ResetStage, Prompt(input, earlier outcomes) ── attempt ── gate ── Pass ──▶ next stage
//	                                                                  ▲        ├── Retry ─▶ the reason, same window
//	                                                                  └────────┘
//	                                                                           └── Degrade, or no attempt left
//
// After a stage that degraded or ran out of attempts, only stages with [Stage.RunDegraded] run. The two differ:
// [Degraded] is a gate's verdict, [Exhausted] a gate that asked for another attempt when none was left.
//
// Two things cross from a stage to the next: the window's digest of what was submitted, planned, changed and read, and
// the [Handover] in the outcome: findings with evidence, files, searches without a hit, open points and a log of the
// calls.
//
// A [Gate] is any function. [RetryUnless] and [DegradeUnless] make one of checks such as [MinLength], [CitedPaths],
// [ToolCalls] and [FindingsWithEvidence].
//
// A stage that runs out of time is cancelled and waited for; its gate judges the partial result, and it is not tried
// again. A stage that fails or panics ends the pipeline with its error.
//
// # Design notes
//
// The caller owns the window, and so its budget and its store. Findings are read from the agent's answer, from list
// items that cite lines: a tool for taking notes would be one more thing for a model to do.
package pipelines
