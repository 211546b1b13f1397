// Package task keeps the task that a conversation is working on: the user's goal in the user's words, and
// the progress towards it.
//
// Start with [Active]: [Active.Hear] takes each message of the user and decides by rules, in English and
// Chinese, whether it starts a new task or follows up on the current one. [Active.Summary] says in a few
// lines where the task is.
package task
