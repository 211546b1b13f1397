// Package pipelines runs agents one after another on one window, with gates between them, and holds the pipeline insight.
//
// # How a pipeline runs
//
//	Run ── stage ── ResetStage, prompt(input, outcomes before) ── attempt ── gate ── Pass ──▶ next stage
//	                                                                 ▲        ├── Retry ─▶ the reason, on the same window
//	                                                                 └────────┘
//	                                                                          └── Degrade, or no attempt left ──▶ only stages
//	                                                                              whose OnDegrade says run
//
// What crosses from a stage to the next is the window's record (what was submitted, planned, changed and read) and the
// Handover in the outcome: findings with evidence, files, searches that found nothing, open points, and the log of the calls.
// A gate is made of evaluators (MinLength, CitedPaths, ToolCalls, FindingsWithEvidence, or any function). Exhausted and Degraded are
// told apart: the first is a gate that asks once more when there is no attempt left, the second its verdict.
//
// A stage that runs out of time is cancelled and waited for, and what it has is judged; it is not tried again. A stage that
// fails or panics ends the pipeline with its error. Run returns when all that it started has ended.
//
// # Insight
//
// Insight is two stages: an analysis, and the handing in of its findings with submit_finding. Findings holds what was taken:
// each citation was read again, and nothing was there before under the same title, on the same lines, or with the same words about
// some of them. What is refused is told to the model with the reason.
//
// # Where it differs from the design and why
//
//   - The window is the caller's, so its budget and its store are too.
//   - An agent's answer in text is where its findings are read from: points of a list that cite lines. A tool for notes would
//     be one more thing for a model to do, and the answer is asked for in any case.
package pipelines
