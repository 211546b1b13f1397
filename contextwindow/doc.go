// Package contextwindow keeps the log of one run and shows a model as much of it as fits a budget.
//
// Start with [New]. The usual cycle is [Window.Append], [Window.Fit], [Window.View]. A Window logs messages in whole
// units (Append), texts of the runtime ([Window.Note]) and the provider's token counts ([Window.Observe]), each as an
// [Entry]. Entries never change. An [Edit] says what the view truncates or evicts. [Load] continues a saved log.
//
//	messages ──Append──▶ log of entries ──fold──▶ view ──▶ request
//	                        ▲     │ Edit            │
//	                        └─────┴───── Fit ◀──────┘
//	                              │ what is truncated or evicted
//	                              ▼
//	                            Store
//
// # Invariants
//
//  1. Every view shows the whole prompt, the message that opened the run, until [Window.ResetStage]. Messages from
//     before the run (history) precede it and are evicted first: whole exchanges, the oldest first.
//  2. An assistant message with calls and all their results, in the order of the calls, are one unit: shown, truncated
//     in place, or evicted together.
//  3. After Fit, the estimate of the whole request is within the limit, or the error is [ErrIrreducible]: the fixed
//     parts alone exceed it.
//  4. The runtime speaks through notes and the digest, never as the user. A note is fenced after the newest message and
//     replaces the last one of its kind. Between compactions, each request extends the one before byte for byte.
//  5. Equal entries and options give equal bytes, also after they were saved as JSON and loaded.
//  6. Every id in a view names a text in the [Store], exactly as received. It is stored before the edit is applied, and
//     again by Load. No id is used twice, not even after [Window.Rewind]. An excerpt that [Window.Reader] read is not
//     stored: its id is that of its text.
//  7. A compaction by the window makes nothing larger, and a second one right after it changes nothing. A reset may
//     enlarge a small view by its digest.
//  8. A view shows the provider data of an answer exactly while it begins, byte for byte, with the request that the
//     answer was given to: see "Provider data" below.
//
// # How a request is made to fit
//
// When a result comes in, it has a quota: a share of the room that is left below the high mark, by what its call does,
// or under ladder a size by usage. A turn takes at most half of the room. A result over its quota is stored whole and
// shown truncated. This changes no earlier message and does not count as a compaction. Fit then walks the ladder of the
// profile:
//
//   - lean, cheap, wide and full have two marks. At the high one, a compaction brings the request down to the low one.
//     L1 replaces results that the view shows twice, if that is enough. Otherwise L2 evicts the oldest turns into the
//     digest, then L1 applies. L3 keeps the newest turn only. Unless the request would not fit, L1 and L2 must free a
//     tenth of the budget, and as much must have come in since the last compaction.
//   - ladder has three levels at 60, 80 and 95 %: truncate results of earlier turns, keep two turns, keep one.
//   - off has none.
//
// The digest is one message after the prompt that replaces everything evicted: counts, the user's words, what was
// submitted, planned, changed, read and failed. Under two marks it also has lines for calls, the newest first, key
// lines, and identifiers that are visible nowhere else; half of the room that these leave goes to older calls, and to
// the line of each result that is unlike the others.
//
// If the request still would not fit, Fit walks the overflow ladder under any profile, no further than needed: long
// results of earlier turns; history, then all but two turns; every result of earlier turns; the assistant's texts and
// arguments, down to 400 tokens; the newest results and user messages, down to 320; all but the newest turn; texts and
// arguments further, then everything evenly; the newest turn and the notes; finally the digest. [Window.Shrink] does
// the same after a provider refused a request as too long.
//
// Under two marks, three compactions within six turns halve the quotas; then three consecutive turns that bring more
// than half of the budget, and do not fit, are [ErrThrash]. A result that was requested again after its eviction stays
// for five turns.
//
// # Reading again
//
// A pointer names the tool read_working_memory if [Prefix] has it, or the one that [Options] name. [Window.Reader] is
// what such a tool needs: it returns excerpts that fit the room that is left and say how to read on. Appended as
// results of kind [toollimit.Excerpt], they keep the id and the line numbers of their text however much they are
// shortened.
//
// # What people said
//
// The digest quotes users sentence by sentence, in their words: what is worth most in a fifth of the budget, the newest
// messages first in a quarter of that. Rules, wishes, decisions, due dates and names in the writer's own words are
// worth more than pasted text, however old they are. Where something is missing, "…" and the id of the message say so.
// A newer value replaces the older one: "[replaces s5.0: $300]". Answers of the assistant are quoted in up to 6 % of
// the budget. A tool's result is never quoted as what somebody said, and neither is a digest that somebody pastes. All
// titles of what was submitted stay, shortened if need be, in up to 15 % of the budget ([Window.Submitted]).
//
// # How tokens are counted
//
// [transcript.Message.Tokens] estimates each message once. After Observe, the provider's count is the truth for what it
// covered; only additions are estimated, with a ratio that follows the counts, except those of requests that a service
// compacted. The safety margin is the 95th percentile of the newest relative errors, at least 5 %.
//
// # Provider data
//
// Services bind signed and encrypted reasoning to every byte that precedes it: system prompt, tools, messages, and
// earlier reasoning. If one differs, they refuse it (400) or drop it silently. So each answer remembers the request
// that it belongs to, which is the view that was handed out last ([transcript.ProviderData].Prefix is its fingerprint).
// Whatever changes a place in the view hides all provider data after that place: a compaction, a pin that restores a
// unit, another system prompt or tool, a message appended while the model was answering. Data before it stays, and an
// append-only run loses none. Once the bytes are as they were, as after [Window.Undo], the data is shown again.
//
// A note written while the model answers is shown after the answer, which therefore keeps its data: the model has not
// seen the note. [Compaction].ProviderData counts what was lost; the next Fit reports losses without a compaction of
// their own. Plain reasoning ([transcript.ProviderData].Unbound) stays until its own message is edited. History keeps
// data only if it has a Prefix that fits. Package providertest/strict is a service that enforces these rules.
//
// # A service that compacts
//
// Some services compact a request themselves and return what they made of it with the answer, as provider data that
// [transcript.ProviderData].Compacts marks. The service then reads the newest such data in place of all before it, and
// so the window counts only that and what follows. [Appended].Server says by how much the request shrank. The log and
// the view stay whole, for other models and services.
//
// One owner compacts. The budget must be [Budget.Beyond] the size at which the service does, so that the service is
// first. If the request still reaches the window's own levels, or a service refuses it as too long, or the model does
// not read that data ([Options.Owns]), then Fit reclaims the window: an [Edit] hides the data for good, the whole view
// counts again, and the window compacts it as ever. Such a compaction may make a request larger.
//
// What was compacted away counts as not shown: notes are written again, and a result is not said to repeat it.
//
// # Controls
//
// [Window.Pin] keeps units in the view, [Window.Compact] evicts now, [Window.Undo] takes compactions back and
// [Window.Rewind] steps. They survive Load. [Window.Preview] and [Window.Explain] change nothing. The window never asks
// a model: [Window.Draft] returns what a caller may have summarised, [Window.Adopt] puts the summary into the digest.
//
// # Trust
//
// A text cannot close the fence around it (<note kind="…">, <record>), but any message may contain the same characters.
// Grant nothing because of a fence: [transcript.Message.Origin] and the Note entries say what the runtime wrote.
package contextwindow
