// Package check judges what an agent did in one trial of a task.
//
// Start with [Parse], which makes a [Check] of its JSON, and [Judge], which runs several on one [Outcome]. A check in
// Go is a Check with a function of its own; as one of [Options.Kinds], it has a kind that task files can name.
//
// # Kinds
//
// The JSON of a check is an object. Every kind may have a name, under which reports show it; the kind is the default.
// Fields that take texts take one string or an array of them. Unknown fields are errors.
//
//	kind      fields
//	exact     text (any of them), ignore_case. Blanks around the answer do not count.
//	contains  all, any, not: texts; ignore_case; no_citations: main.go:12 has no 12. Scores the share found; 0 if a text
//	          of not is found.
//	regex     pattern (all of them), not: RE2 patterns; no_citations
//	number    equals, tolerance (absolute), relative (share of equals), which (first or last; default last), after: a
//	          text before the number, which makes first the default. Digits of names and versions are not numbers, nor
//	          are those of citations beside other numbers.
//	json      path (a.b[0]), equals: any JSON; schema: a JSON schema. Looks at the value at the path in the answer, or in
//	          the longest JSON in it; without equals and schema, it must exist.
//	cites     want: PATH:12-30 or PATH; mode: all (default), any, f1; first: how many citations count; score: f1
//	          (default), precision, recall; min: of the mode f1 (default 1). A citation shows a place if their lines
//	          overlap and it has at most 60 lines or twice those of the place.
//	files     exists, missing: paths in the working copy; contains: {path: texts}; equals: {path: text}; unchanged: files
//	          or folders, "." for all; except: some of these. Scores the share that holds.
//	command   argv, or shell: for /bin/sh -c; seconds (default 60); exit (default 0); output: texts in the last 2,000
//	          bytes; env: {name: value}; add: a folder of the set that is copied over the working copy first. Runs in the
//	          working copy, without variables that look like credentials; is killed with its children at the end.
//	harbor    tests: a folder of the set with test.sh, which writes /logs/verifier/reward.txt or reward.json; seconds
//	calls     mode: strict (same order), unordered (same calls), subset (only wanted calls), superset (all wanted calls),
//	          f1; want: [{name, args}]: args are compared if given; min: of the mode f1 (default 1)
//	canary    value, subject, words: what must stay together in one line of the view, or the value in the answer; in:
//	          view or answer (default: the answer, or the view of a subject that does not answer); text: the sentence,
//	          whose length says how far the words may be apart; gone: {value, subject, words, text} that the sentence
//	          superseded and that must not be shown as if it held
//	cost      max: US dollars. Scores 1 up to max, and less above, down to 0 at twice max. So do the next three.
//	steps     max: requests that a model answered
//	tokens    max: of input and output. Of a subject that reports none of the three, they are unknown: an error.
//	seconds   max: of the subject, without the working copy and the checks
//	judge     rubric: what a good answer has; reference: an answer to compare with, in both orders; min (default 0.5).
//	          Asks [Options.Ask], and is an error without it.
//
// A check that cannot judge returns an error, which neither passes nor fails the trial: a files check without a working
// copy or of a recording, a canary check of a view that the subject does not show.
package check
