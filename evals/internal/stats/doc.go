// Package stats says how sure figures of an evaluation are: intervals of rates and means, tests of differences.
//
// Start with [Wilson] for one rate, and with [McNemar] or [Bootstrap] for two subjects on the same tasks.
//
// # Which one
//
//   - One rate of independent tasks: [Wilson]; [RuleOfThree] if all passed, or none.
//   - Several trials of each task: these depend on each other, so use [Clustered] or [Bootstrap] over tasks.
//   - Two subjects, one trial of each task: [McNemar]; several trials: [SignFlip].
//   - How large a set has to be: [TasksNeeded].
//
// All levels are of confidence, such as .95, and all tests have two sides.
package stats
