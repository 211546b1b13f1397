// Package contextbuilder selects what a run sees when it begins: sections with shares of a budget, injected
// blocks, a sliding window over the turns of a thread, and a pinned instruction.
//
//	thread ──turns──────────┐
//	Summary ────────────────┤            ┌ System
//	Sources ──cache──blocks─┼─▶ Build ──▶│ History   summary and digest, then whole turns
//	Memories ───────────────┤            │ Prompt    blocks, fenced, and the input
//	Query: system, input ───┘            └ Notes     the pinned instruction
//
// Start with [New] and [Builder.Build].
//
// The builder selects; only the window shortens. What Build returns is appended to a contextwindow.Window once: the
// units of History ([transcript.Units] splits it), then the prompt, then the notes. From then on the window keeps the
// request in its budget. Leave a part of that budget to the run, or the window compacts at once: package chat leaves
// 40 % by default. The message with summary and digest comes first in History ([Built.Head] counts it); pin it if it
// should outlast the turns after it.
//
// # Invariants
//
//  1. The estimate of everything built fits the room, or Build returns contextwindow.ErrIrreducible with the
//     sizes. [Stats.Tokens] is that estimate; it is never too low.
//  2. The input appears exactly once, whether the thread already holds it or not. The builder finds it by its
//     number, never by its text, and changes it only by truncation, which leaves a pointer and a warning.
//  3. Turns are whole and without gaps, calls come with their results. No message is shown next to a summary
//     that covers it. What neither window nor summary shows has a line in a digest or is named by its numbers,
//     and an update of the summary was requested.
//  4. Optional parts cannot fail a build. A source, summary or summariser that fails, panics, is late or
//     returns too much becomes a [Decision] in the stats. A thread that cannot be read is an error.
//  5. The same query with the same answers gives the same bytes.
//  6. No text can close its own fence or open one that the runtime writes. The user's words come after the
//     last fence, as they were said. A fence grants nothing.
//  7. Every id in a shortened text names that text in the query's Store, as it was received. Nothing is
//     shortened twice.
//
// # How the room is shared
//
// The room is [Config.Total] or less ([Query.Room]), minus what the request carries besides ([Query.Fixed]). System
// prompt, input, pinned instruction and P0 blocks are reserved first, then the summary. Each section gets its share
// ([DefaultShares]) between a floor and a ceiling. What a section leaves goes to recent turns, then to retrieved
// blocks, up to 80 % of the room. The ceiling of retrieved blocks binds only where turns or a summary had to give way,
// and P0 does not count against it: otherwise what fits goes in. A P1 block without room is shortened to the lines that
// fit, a P2 block dropped. A system prompt over its share causes a warning and takes from the others; over its
// ceiling it is [ErrSystemTooLong]. One message takes at most [Config.MessageShare] of the room. A longer one is
// truncated to its ends and its key lines, with an id that reads the rest.
//
// The window shows the newest turns, at most [Config.Turns]. It moves in steps, so that a request extends the previous
// one and a provider's cache keeps the prefix. It keeps its first turn ([Query.From]) while all turns from there on
// fit. If they do not, all but the newest two are shortened: of a tool's result over 500 characters 200 remain, in a
// stub of JSON with an id, the size and an outline; other messages keep 5 % of the room. If that frees too little, the
// window begins anew, with the turns that fill 60 % of its room. Without a From, the first turn is chosen by message
// numbers, within the oldest quarter of what could be shown, so that it stays the same for several turns.
//
// Lines that the window does not show come back in a P1 block ([TypeEarlierLines]) when the input asks about them: the
// up to six best by what the terms of the input that they have are worth (inverse document frequency among the lines
// that are not shown), with at least half of the best line and a fifth of all terms. A line of the window that has all
// these terms and half of what the other says keeps it away, and so it does with a memory of the same thread: what is
// shown is not said twice, and a corrected statement does not come back beside its correction. The lines are taken from
// the turns that the builder holds: [Config.Turns] whole, and of up to 100 turns before them the first and last 1,000
// bytes of what was said. The best line comes first, so that the block loses its least ones where it is shortened.
//
// With a summary, the window begins after what it covers. If the window has shown some of that before and still fits,
// the turns stay and the summary is left out.
//
// The pinned instruction is written where it says more than what is near the end of the request: the status of the
// task, its goal if that was said more than 1,000 tokens above, and the first paragraph of an input over 1,000
// tokens, unless that only introduces a pasted text and the input ends with a question.
//
// Above 80 % of the room, compaction shortens in order, each step as far as needed: tool results; turns before the
// last 10; messages over 2,000 characters; P2; P1. Above 95 % it also removes older turns and P1, and only if that is
// not enough the summary, P0 as far as needed but not below its short forms, the newest turn, and last the middle of
// the input. [Config.Summarise] replaces turns that had no room by a summary of at most 500 tokens within 2 seconds;
// without one, they get lines in the digest. Each step is a [Compaction] in the stats.
//
// # How blocks are fetched
//
// All sources are asked concurrently under one deadline. Blocks are cached by conversation, type and key; an entry
// goes when it expires, is invalidated, or its conversation is idle for five minutes. Each key has at most one fetch
// in flight. Empty results are cached, errors are not. A late source leaves its previous text in place, and its fetch
// continues for up to five seconds for the next build. Live blocks (TTL 0) are fetched every time; their last text is
// used only when they are late. [Builder.Refresh] asks again during a run and returns notes for what changed.
//
// The memories near to the message join those of [UserMemory] in one block, none of them twice.
//
// A source returns facts, not markup: the builder escapes, truncates, fences and orders by priority, then by value per
// token.
//
// # Goroutines
//
// Goroutines belong to the builder; [Builder.Close] ends them and waits. A build whose ctx ends abandons its fetches,
// unless others wait for them, and waits for those that obey their context.
//
// # Cost
//
// The builder keeps one copy of what it needs of a thread, and reads only the messages that were added since. A build
// of a thread of 10,000 messages without sources and caches takes half a millisecond (BenchmarkBuild10k), an
// injection of eight blocks with warm caches a fifth of one (BenchmarkInjectWarm). In a conversation of 30 turns, 89
// % of lookups of cached sources are hits (TestCacheHits).
package contextbuilder
