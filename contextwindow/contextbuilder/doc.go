// Package contextbuilder decides what a run is told besides its own log: sections and their shares, injected blocks, the
// window over a thread's turns, the pinned instruction.
//
//	thread ──turns──────────┐
//	Summary ────────────────┤            ┌ System
//	Sources ──cache──blocks─┼─▶ Build ──▶│ History   summary and digest, then whole turns
//	Memories ───────────────┤            │ Prompt    blocks, fenced, and the input
//	Query: system, input ───┘            └ Notes     the pinned instruction
//
// The builder selects, and what it brings is appended to a contextwindow.Window once: the history's units, then the prompt,
// then the notes. What grows from there on is the window's to shorten. The message of summary and digest is the first of the
// history, which Built.Head tells: a caller who wants it to outlast the turns behind it pins it (agent.Task.Pinned).
//
// # Invariants
//
//  1. The estimate of everything that is built is within the room, or Build returns contextwindow.ErrIrreducible with the
//     sizes. Stats.Tokens is that estimate, from above.
//  2. The input is there exactly once, whether the thread has it already or not: it is found by its number, never by its
//     text. It is not changed but by a cut, which a pointer and a warning tell.
//  3. Turns are whole and without a gap; calls stand with their results. What neither the window nor the summary shows has a
//     line in a digest, or is told by its numbers, and an update of the summary was asked for.
//  4. What is optional cannot fail a build: a source, a summary, or a summariser that fails, panics, is late or says too
//     much is a decision in the stats. A thread that cannot be read is an error.
//  5. The same query and the same answers give the same bytes.
//  6. No text can close the fence that it stands in, nor open one of those that the runtime writes. The user's own words
//     stand behind the last fence, as they were said: nothing may be granted because of a fence.
//  7. Every id in what was shortened names a text in the query's Store, as it was received. Nothing is cut twice.
//
// # How the room is shared
//
// The room is Config.Total, less if Query.Room says so, and less what the request carries besides. System prompt, input,
// pinned instruction and blocks of P0 are reserved first. Then each section has its share (DefaultShares), between a floor
// and a ceiling, and what it leaves goes to recent messages, then retrieved, then the summary, up to 80 % of the room. A
// system prompt over its share is a warning and takes from the others; over its ceiling it is ErrSystemTooLong.
//
// The window shows the newest turns, at most Config.Turns; when they do not all fit, results of tools in all but the
// newest two are shortened, so that more do: of one over 500 characters 200 stay, in a stub, which is JSON with "offloaded",
// the id, the size and an outline, or without a Store in a cut. It begins at a turn that is chosen by the numbers
// of messages alone, within the oldest quarter of what could be shown: so it begins at the same turn for some turns, and a
// provider's cache holds the prefix. A thread of more turns than the window has is therefore shown by 15 to 20 of them.
//
// Above 80 % of the room, compaction goes on in order, each step as far as it is needed: results of tools, turns before the
// last 10 (a summary of at most 500 tokens under 2 seconds, or the digest), messages over 2,000 characters, P2, P1
// shortened. Above 95 % it is forced: older turns and P1 go, and only what still does not fit takes the summary, P0 to its
// short forms, the newest turn, and at last the middle of the input. Each step is a Compaction in the stats.
//
// # How blocks come
//
// All sources are asked side by side, under one deadline. The cache is by conversation, type and key, and drops what is
// expired, invalidated, or of a conversation that was idle for five minutes. There is one flight a key; empty results are
// cached and errors are not. A source that is late leaves the text that it had before, and its fetch goes on for who asks
// next, for up to five seconds. A source or a summary that goes on when its time is up is not called again for the same block
// of the same thread until it returns: the next fetch begins behind it. Live blocks (TTL 0) are asked for each time and cached never, but their last text stands when they are late.
// Refresh asks again within a run and returns notes for what has changed.
//
// A source gives what it knows, not how it is shown: the builder escapes, cuts, fences and orders by priority, then by value
// per token.
//
// # Who waits
//
// Goroutines belong to the builder, and Close ends them and waits. A build whose ctx ends gives up its fetches, unless
// others wait for them, and waits for those that obey their context. A source that does not is left to Close.
//
// # Figures
//
// A build of a thread of 10,000 messages without sources and without caches takes half a millisecond (BenchmarkBuild10k), an
// injection of eight blocks with warm caches a fifth of one (BenchmarkInjectWarm); in a conversation of 30 turns 89 % of
// the looks at cached sources are hits (TestCacheHits).
//
// # Where it differs from the design and why
//
//   - The past of a thread is cached by thread, agent, system prompt, last number and summary. There is no version of the
//     configuration in the key, since a builder has one configuration: who changes it makes another builder.
//   - Elastic shares end at the mark of compaction, and not at the room: a conversation that is merely long is no reason to
//     compact at every message.
//   - What is excluded is counted by the numbers of messages, since counting would read the whole thread.
package contextbuilder
