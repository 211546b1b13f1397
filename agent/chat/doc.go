// Package chat holds conversations: threads of messages, each turn answered by a run of an agent. A run sees
// the recent messages of its thread, a summary of the older ones, and what is remembered of the user.
//
// Start with [New] and [Chat.Create]; [Chat.Do] answers a message, [Chat.Send] also yields what happens.
// Package httpapi serves a Chat over HTTP.
//
// # How a turn works
//
//	Send(thread, text)
//	 │ wait              one turn of a thread at a time, in order of arrival; threads run side by side
//	 │ lock              and one process: the others wait for [Config].Wait, then get an [InUseError]
//	 ├─ MessageStored    the user's message is in the thread, whatever follows
//	 │ build             contextbuilder: summary · recent turns · memories, pins, blocks · input · instruction
//	 ├─ ContextBuilt     what the run sees, and why
//	 │ run               in a new window, on the working memory of the thread
//	 ├─ AgentEvent …     the events of the run
//	 ├─ MessageStored …  tool rounds and the answer, which is Partial if it broke off
//	 └─ TurnFinished     the turn, also beside an error
//	    ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄ then, in the background:
//	    summary          of the messages that no longer fit
//	    extraction       of memories of the user
//
// A window lasts for one turn; the thread in its [Store] lasts. A run sees the newest turns. The summary
// covers older ones, and only those. A digest names messages that neither covers, so that nothing is lost
// silently. The turns that are shown change in steps, so that most requests extend those of the turn before.
// [Chat.Inspect] reports which messages are shown and which are summarised.
//
// Several agents can answer in one thread: [Chat.As] chooses one of [Settings].Agents, and the thread stays with it.
// Each answer is stored with the agent that gave it; the others see that agent's id on it.
//
// Each thread has an active task: a message starts or continues it, each tool call is a step of it, and a
// tool that returns a task.Finding adds that. The requests of the next turn carry its status.
//
// # Invariants
//
// The messages of a turn are stored together and in order. No other turn mixes with them, not even of another
// process: a writer that finds the thread changed gets [ErrConflict] and stores nothing. A turn that is
// cancelled or fails keeps its question, the completed tool rounds and the partial answer. A turn is an error
// if its answer is not stored or not complete; storing has its own 30 seconds, whatever the caller's deadline.
// If the process is killed in a turn, its question stays in the thread and its tool rounds are lost: in the next turn,
// the model reads the question and a note that its answer was interrupted. So it does after a turn that failed without
// a part of an answer. A run that must survive a kill is a session (agent.Task.Session).
//
// Nothing of a thread appears in requests of another one, except memories of the same user. Thread and memory
// texts are fenced and escaped: they are never instructions. Memories written by other processes are known at
// the next turn. [Chat.Close] waits for turns, summaries and extraction. Changed settings apply to turns that
// start later.
package chat
