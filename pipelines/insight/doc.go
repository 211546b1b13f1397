// Package insight finds what the maintainers of a source tree would want to know: defects, risks and facts that are
// easy to miss, each with the lines that show it.
//
// Start with [Run]. [Rules] is a model for it that needs no language model.
//
// # How it works
//
// Two stages run in a [pipelines.Run]. The first analyzes the tree by the plan [explore.Analyst]; its gate requires
// tool calls, a text and findings with evidence. The second reviews those findings by the plan [explore.Producer] and
// submits each with the tool submit_finding. The tool reads every cited line again. It refuses a finding whose lines do
// not exist, and one that was submitted before: under the same title, on the same lines, or in nearly the same words
// about some of them. The model sees the reason of each refusal.
//
// # The rules
//
// [Rules] searches for the signs of each dimension, reads the function around each hit, and lists what passes. It knows
// signs in Go, Python, JavaScript, TypeScript and Rust. A hit that may be intended, because it is in tooling or a
// sample, or an option switches it on, counts less than a sure one, and its finding says why.
package insight
