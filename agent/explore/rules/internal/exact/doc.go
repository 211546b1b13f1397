// Package exact answers questions with a recognised intent from the results of exact tools: a definition from
// find_symbol, callers and tests from references, a message and a default from searches. It also finds a setting that
// an open question describes, which the answer to that question begins with.
//
// Start with [New]; for such a setting, with [NewAmount].
//
// The table routes says which calls an intent makes, in steps, and what makes the report of their results. A route
// gives no report if the tools found nothing and the question may mean something else; the heuristic explorer then
// answers it as an open question. Everything follows from the intent and the results, so the same messages give the
// same answer.
//
// To add an intent: its forms in package intent, its route here, and a case in TestAnswers of package rules.
package exact
