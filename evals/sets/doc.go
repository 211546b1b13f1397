// Package sets has the task sets that foray brings.
//
// Start with [Open].
//
//	smoke      12 tasks with small files of their own, of seconds each: does a subject work at all? Two are hard.
//	explore    40 questions about small repositories with known answers: files, lines and words. The answer to three is
//	           that what they ask for does not exist.
//	retention  48 sentences that were said early in long conversations with pastes, tools and corrections, at windows of
//	           8,000, 16,000 and 32,000 tokens (tags window-8k, window-16k, window-32k). A subject that answers is asked
//	           for the value of a sentence; of any other, the last view is searched for it.
//
// The files of smoke and explore are txtar archives in data. Equal versions of foray give equal sets.
// docs/tasks.md has what foray itself reaches on them.
package sets
