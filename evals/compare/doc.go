// Package compare reads the results of trials and says which subject is better, and how sure that is.
//
// Start with [Load] and [Of], or with [Check] for gates.
//
// # What is compared
//
// Trials are paired by task and number. Only those that every subject has count, and only of tasks that are equal in
// every folder; the report says what was left out. So the difference of two rates is the rate of the differences.
//
// Each subject is compared with the first one; if folders have subjects of the same name, with that of the first
// folder. Trials of one task depend on each other: intervals draw whole tasks, and the test flips the sign of whole
// tasks. A trial that failed for reasons outside its subject (provider, check, harness) counts as not passed, and the
// report says how many there were.
package compare
