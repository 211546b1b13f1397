// Package chat is conversations: threads of messages, each turn answered by a run of an agent that is told what the
// thread, its summary and the user's memories say.
//
// # How a turn goes
//
//	Send(thread, text)
//	 │ wait            one turn of a thread at a time, in the order in which they came; threads side by side
//	 ├─ Stored         the user's message is in the thread, whatever comes
//	 │ build           contextbuilder: summary · recent turns · blocks, memories, pins · input · instruction
//	 ├─ Told           what was told, and why
//	 │ run             a fresh window; the summary is pinned in it, its working memory is the turn's and then the thread's
//	 ├─ Ran …          the events of the run as they come
//	 ├─ Stored …       rounds of tools and the answer, which is Partial if it broke off
//	 └─ Done           the turn, also beside an error
//	    ┄┄┄┄┄┄┄┄┄┄┄┄┄┄ behind the answer, and nothing waits for it:
//	    summary        of what the window will leave out (memory.ThreadSummary)
//	    extraction     of what to remember of the user (memory.Extraction)
//
// A window lasts for one turn; what lasts longer is the thread in its Store. The window shows the newest turns, the summary
// stands for all before them, and what neither covers is told by a digest, so that nothing is lost without a word. A Report
// (Context) says which messages are shown and which are covered.
//
// What the thread is at is its active task: a message starts one or follows it up, each call of a tool is a step, and a tool
// that returns a memory.TaskFinding notes that. Its summary is pinned in the requests of the next turn.
//
// # Invariants
//
// The messages of a turn stand in its thread together and in order; only a second process that writes to the same thread
// can come between, and is told by a warning. A turn that is cancelled, broken off or failed leaves its question, the rounds
// of tools that were completed, and what there is of the answer. Nothing of a thread is in a request of another one but what
// both users' memories say, which are the same user's. What is told of threads and memories is fenced and escaped: it is
// never an instruction. What other processes have written of memories is known at the next turn. Close waits for turns, summaries and extraction. Changes of the settings are for turns that begin
// later.
//
// Package httpapi serves a Chat over HTTP.
package chat
