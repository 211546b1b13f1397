// Package stated finds what a user's message states of the user and of a project, without a model: preferences,
// decisions, facts and skills, in English, Chinese and German.
//
// Start with [Of].
package stated
