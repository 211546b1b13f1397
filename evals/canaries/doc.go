// Package canaries measures what a window still shows of what people said. It plants sentences in generated sessions
// and looks for them in the views of a policy.
//
// Start with [Run].
//
// # Sessions
//
// A session has 40 items: five of each kind (rule, preference, decision, fact, correction, to-do, deadline, changed
// state), one for each carrier: a short message of the user, a message beside a paste, a line inside a paste, a line
// of a tool's result, the assistant. A correction and a changed state supersede a sentence that was said before. Two
// facts that the user said are contradicted by a line of a later paste, which must not replace them. Many subjects
// differ from others in one word only. The last 1.3 budgets of a session plant nothing, so no item is alive just
// because it is new.
//
// The rest is noise: pastes, results of tools and answers are passages of real text ([Config.LoadNoise]), and no
// passage comes twice before all have come. Sentences are in English, Chinese and German (items/*.txt), half of them
// and of their subjects in each split, dev and test. They come from no list of cue words, and many have none.
//
// # Verdicts
//
// A policy is fed the session and asked for a view before each message of the assistant. Every tenth view and the last
// one are searched, line by line. A line that continues with an indented one also counts together with it.
//
//   - Alive: one line holds the subject, the value and the words that carry the meaning (such as "never"), close
//     together and each as a whole word. A list of names is not a sentence, because such words are in no list.
//   - Stale: a line of a digest shows the superseded value and no mark that it was replaced, and no live message has
//     the new sentence. That the digest shows both does not excuse it.
//   - Only old: a line of any message shows the superseded value, and no line after it has the new sentence.
//   - Wrongly replaced: a mark in brackets that says "replaces" or "replaced" names an item that nothing superseded.
//   - Distance: the share of the sentence's words that its line lacks.
//
// # Invariants
//
//   - Equal configurations give equal sessions and equal reports, with any number of workers.
//   - No value occurs twice in a session. Numbers, paths and other made values occur in the noise only if it has all of
//     those that were drawn.
package canaries
