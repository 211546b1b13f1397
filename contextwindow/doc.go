// Package contextwindow keeps the log of one run and shows a model as much of it as fits a budget.
//
// Start with [New]; [Window.Append], [Window.Fit] and [Window.View] are the usual cycle. A Window takes whole units
// (Append), texts of the runtime ([Window.Note]) and the provider's counts ([Window.Observe]), and writes each as an
// [Entry]. Entries never change; everything else follows from them. An [Edit] says what the view shows shortened and
// what it no longer shows. [Load] continues a saved log.
//
//	messages ──Append──▶ log of entries ──fold──▶ view ──▶ request
//	                        ▲     │ Edit            │
//	                        └─────┴───── Fit ◀──────┘
//	                              │ what is shortened or evicted
//	                              ▼
//	                            Store
//
// # Invariants
//
//  1. Every view shows the whole message that opened the run, until [Window.ResetStage] ends its stage. Messages from
//     before the run (history) precede it and are evicted first: whole exchanges, the oldest first.
//  2. An assistant message with calls and all their results are one unit: shown, shortened in place, or evicted
//     together. The results are in the order of the calls.
//  3. After Fit the estimate of the whole request is within the limit: system prompt, tool schemas, framing, messages,
//     digest and notes. If the fixed parts alone exceed it, the error is [ErrIrreducible], with the sizes. Even a few
//     messages can be compacted.
//  4. The runtime speaks through notes and the digest, never as the user. A note is fenced after the newest message; a
//     newer one of its kind replaces it. Between compactions every request extends the one before it byte for byte.
//  5. Equal entries and options give equal bytes, also after they were saved as JSON and loaded.
//  6. Every id that the runtime writes into a view names a text in the [Store]: the exact bytes that were received. It
//     is stored before the edit that shortens or evicts it is applied, and again by Load.
//  7. A compaction makes nothing larger, and a second one right after it changes nothing. One that changes nothing
//     reports level 0. A reset may enlarge a small view by its digest, if that holds what was submitted, done, or said
//     by the user.
//
// Append refuses results that do not pair with calls, and drops what a message of its role cannot have. Ids, names and
// arguments become valid UTF-8, since they come from JSON and go into JSON; texts and provider data keep their bytes.
//
// # How a request is made to fit
//
// On the way in, each result has a quota, by the profile and by how full the window is; a turn takes at most half of
// the free room. A result over its quota is stored whole and shown truncated. This changes no earlier message and does
// not count as a compaction.
//
// Fit then walks the ladder of the profile:
//
//   - lean, cheap, wide and full have two marks. Below the high one nothing is edited. At it, one compaction brings
//     the request down to the low one. L1 replaces results that the view shows twice by a line, if that is enough. L2
//     evicts the oldest turns into the digest, and L1 takes what is left to take. L3 keeps the newest turn only. L1
//     and L2 are taken only if they free a tenth of the budget, or if the request would not fit.
//   - ladder has three levels at 60, 80 and 95 %: results of earlier turns truncated, all but two turns evicted, all
//     but one.
//   - off has none.
//
// The digest is one message after the prompt that replaces everything evicted: counts, the user's words, what was
// submitted, planned, changed, read and failed. Under two marks it also has a line for each call, its key lines, and
// identifiers that are visible nowhere else.
//
// While the request would still not fit, Fit walks the overflow ladder under any profile, no further than needed:
//
//  1. long results of earlier turns
//  2. history, then all but two turns
//  3. every result of earlier turns
//  4. the newest results and user messages
//  5. the assistant's texts and arguments
//  6. all but the newest turn, then everything evenly
//  7. the newest turn and the notes, at last the digest
//
// [Window.Shrink] does the same after a provider refused a request, with the smaller limit that it named. No step asks
// a model.
//
// A window that is compacted three times within six turns halves the quotas of results and reports it; three more,
// one in each turn, are [ErrThrash]. Profiles without two marks have no such guard. Between two compactions at marks
// a tenth of the budget must come in, unless a request would not fit. A result that was requested again after it had
// left the view stays for five turns.
//
// # How tokens are counted
//
// [transcript.Message.Tokens] estimates each message once. A window starts with the ratio of its [Budget]. After
// Observe the provider's count is the truth for what it covered; only additions are estimated, with a ratio that
// follows the counts. The safety margin is the 95th percentile of the newest relative errors, at least 5 %: a request
// is compacted when the part that is not counted yet could make it too large by as much.
//
// # Controls
//
// [Window.Pin] keeps units in the view while anything else can go, and shows evicted ones again. [Window.Compact]
// evicts now, with a focus. [Window.Preview] returns what Fit would do. [Window.Undo] takes compactions back,
// [Window.Rewind] whole steps. [Window.Explain] reports what the next request consists of. All but Preview and Explain
// are entries of the log, or shorten it, and survive Load.
//
// [Window.Draft] returns what a model may be asked to summarise, and [Window.Adopt] takes its answer if it is
// complete, short enough and keeps the names that calls were made with. The summary is then part of the digest,
// before the lines that it has anyway. The window itself never asks a model.
//
// # Trust
//
// Fences, <note kind="…"> and <record>, are for reading and not for trust. A text inside cannot close them, but a
// tool result or a user message may hold the same characters and is shown as received. What the
// runtime wrote follows from [transcript.Message.Origin], for the digest and notes in a message of their own, and from
// the Note entries of the log. Grant nothing because of a fence.
package contextwindow
