// Package contextwindow keeps the log of one run and shows a model as much of it as fits a budget.
//
// A Window takes whole units (Append), texts of the runtime (Note) and the provider's counts (Observe), and writes each as
// an Entry. Entries are never changed; everything else follows from them. Edits among them say what the view shows
// shortened and what has left it. Fit makes the next request fit, View returns its messages, and Load goes on with a log
// that was saved.
//
//	messages ──Append──▶ log of entries ──fold──▶ view ──▶ request
//	                        ▲     │ Edit            │
//	                        └─────┴───── Fit ◀──────┘
//	                              │ what is cut
//	                              ▼
//	                            Store
//
// # Invariants
//
//  1. The message that opened the run is in every view, whole, until ResetStage ends its stage. Messages from before the
//     run (History) stand before it and go first, whole turns at a time, the oldest first.
//  2. An assistant message with calls and all their results are one unit: shown, shortened in place, or folded together.
//     The results are in the order of the calls.
//  3. After Fit the estimate of the whole request is within the limit: system prompt, tools' schemas, framing, messages,
//     record and notes. The error is ErrIrreducible, with the sizes, if the fixed parts alone exceed it. No number of
//     messages is too small to be compacted.
//  4. What the runtime says is a note or the record, never a message of the user's. A note is fenced behind the newest
//     message; a newer one of its kind supersedes it. Between compactions every request extends the one before it byte for
//     byte.
//  5. The same entries and options give the same bytes, also after they were saved as JSON and loaded.
//  6. Every id that the runtime writes into a view names a text in the Store: the exact bytes that were received. It is
//     stored before the edit that cuts it is applied, and again by Load.
//  7. A compaction makes nothing larger, a second one right after it changes nothing, and one that changes nothing reports
//     level 0. A reset may make a small view larger by its record, if that holds what was submitted, done, or said by the
//     user.
//
// Units from outside are held to their form: Append refuses results that do not pair with calls, and leaves out what does
// not belong to a message of its role. Ids, names and arguments are UTF-8, since they come from JSON and go into JSON;
// texts and opaque parts keep their bytes.
//
// # How a request is made to fit
//
// On the way in each result has a quota, by the profile and by how full the window is; a round takes at most half of the
// free room. A result over its quota is stored whole and shown cut. This changes no earlier message and counts as no
// compaction.
//
// Fit then walks the ladder of the profile:
//
//   - lean, cheap, wide and full have two marks. Below the high one nothing is edited. At it, one compaction brings the
//     request down to the low one: L1 replaces results that stand in the view a second time by a line, if that is enough;
//     L2 folds the oldest rounds into the record, and L1 takes what is left to take; L3 leaves the newest round alone. L1
//     and L2 are taken only if they free a tenth of the budget, or if the request would not fit.
//   - ladder has the three levels at 60, 80 and 95 %: results of earlier rounds shortened, all but two rounds folded, all
//     but one.
//   - off has none.
//
// The record is one message behind the prompt that stands for all that was folded: counts, the user's words, what was
// submitted, planned, changed, read and failed; with two marks also a line for each call, its key lines, and identifiers
// that stand nowhere else.
//
// While the request would still not fit, the overflow ladder is walked, whatever the profile, and no further than needed:
// 1 long results of earlier rounds, 2 history, then all but two rounds, 3 every result of earlier rounds, 4 the newest
// results and messages of the user, 5 the assistant's texts and arguments, 6 all but the newest round, then everything
// evenly, 7 the newest round and the notes, at last the record. Shrink takes the same way after a provider refused a
// request, with the smaller limit that it named. No step asks a model.
//
// A window that is compacted three times within six rounds halves the quotas of results, and says so; three more, one in
// each round, are ErrThrash. Between two compactions of a ladder with two marks a tenth of the budget comes in, unless a
// request would not fit. A result that was asked for again after it had left the view stays for five rounds.
//
// # How tokens are counted
//
// toollimit.Tokens estimates each message once. A window starts with the ratio of the model's family (Budget.Ratio),
// as far as that was measured. After Observe the provider's count is the truth for what it saw, and only what came since
// is estimated, with a ratio that follows the counts. The 95th percentile of the newest relative errors, at least 5 %, is
// the safety margin: a request is compacted when what is not counted yet could make it too large by as much.
//
// # What may be asked of it
//
// Pin keeps units as they are shown while anything else can go, and shows folded ones again. Compact folds now, with a
// focus. Preview tells what Fit would do. Undo takes compactions back, Rewind whole steps. Explain tells what the next
// request is made of. All but Preview and Explain are entries of the log, or shorten it, and survive Load.
//
// Draft hands out what a model may be asked to sum up, and Adopt takes its answer, if it is complete, short enough and
// keeps the names that calls were made with. The summary then stands in the record before the lines that are there in any
// case. The window never asks a model itself.
//
// # Who speaks
//
// Fences, <note kind="…"> and <record>, are for reading and not for trust. A text inside of them cannot close them, but
// the result of a tool or a message of the user may hold the same characters, and is shown as it was received. What the
// runtime wrote is told by Message.Origin, for the record and for notes in a message of their own, and by the Note entries
// of the log; nothing may be granted because of a fence.
//
// # Where it differs from the design and why
//
//   - The low mark and the record's shares are of what the fixed parts leave of the budget, not of the budget: a long
//     system prompt or prompt would otherwise leave a record of nothing, or a low mark that cannot be reached. The high mark is
//     of the budget, since that is what a request must fit.
//   - The profile cheap is never chosen for a small budget by itself: who names a profile gets it.
//   - A superseded note goes at the next compaction that reaches it. One that stands before the first message that a
//     compaction changes stays, since its removal would make more of a provider's cache useless than it frees.
//   - L2 comes before L1 where L1 alone is not enough: what is about to be folded needs no line first.
//   - ErrThrash wants a compaction in each of three rounds after the quotas were halved: in windows of 4,000 tokens three
//     in six rounds are common in runs that do come forward. Ladders of levels (ladder, off) have no such guard.
//   - A summary of a model stands beside the deterministic record and not in its place: what it leaves out is still there,
//     as far as there is room.
package contextwindow
