// Package scenario is the long run that every library plays, with the model that answers all of them.
//
// Start with [Main], which plays it once in a process of its own. A person gives a goal and a rule in one prompt. The
// model then calls the tool read once a turn until it has read every page, and answers. The budget is [Budget] tokens.
//
// # How it is measured
//
// A process plays the scenario once, in one of two ways. With -audit, every request is converted whole, checked against
// the rules of the services, and compared with the one before it. Without it the model only counts the size of the
// request, so that the CPU time is the library's and not the measurement's.
//
// # Invariants
//
// The model's answers follow from how many it has given, not from what it is asked: every library is asked for the same
// calls in the same order. Nothing is random and nothing waits.
package scenario
