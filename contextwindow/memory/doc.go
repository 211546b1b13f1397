// Package memory is what outlives a window's view: the working memory that keeps whole what a window cut, the summary of a
// thread, the task at hand, and what is remembered of a user beyond conversations.
//
// # How long texts are kept
//
// A Working holds whole what windows cut, each in a Scope. A scope of its own ends with its run; one of a session, as of a
// thread, leaves its texts to the windows after it: 30 minutes after they were last read, 2 hours in all, 256 of them and 64
// MiB, those that were read longest ago going first. Bodies keep them beyond the process. An id that has expired is another
// error than one that never was, and names the call of which the text was the result.
//
// # How turns are found again
//
// An Index answers a question with turns of conversations, by words alone: no model, no download, the same on every
// machine. A text is its stems without stop words (Porter's, with a table of irregular forms) and, of Chinese, pairs of
// characters between stop words, with single characters beside them. A turn's score is made of
//
//   - BM25 over the turn and its neighbours: a word said in the turn before or after counts in part, most of all that of a
//     question in the turn that answers it;
//   - words that answer others: who asks for a pet is told of dogs (lists in words/);
//   - BM25 over whole sessions;
//   - factors for statements in the first person, and for what is asked: a time, a number, a name;
//   - who is named, and which days: of the session, or "last week" as told in the turn.
//
// How much neighbours count is measured on the conversation itself: where turns that follow each other share no more words
// than distant ones, as in group chats and bursts, it goes to nothing, and so does the question before where one speaker
// writes turn after turn. The suite evals/recall measures all of it.
//
// # How memories are found again
//
// A LongTerm holds memories of users in memory and writes each change through to its Store. A search ranks by the share of
// the question's words that a memory says, rare words first, and by the cosine of embeddings if there is an embedder, and
// fuses both ranks. Similarity from words is calibrated: 0.6 is about the same thing, 0.85 says the same, as one would set
// for embeddings. Vectors are compared exactly up to 4,000 memories; of more, those whose signs are nearest.
// BenchmarkSearch100k measures it; the goal is below 20 ms for 100,000 memories.
//
// Words that texts about anything have (words/common.txt) count little, and least where they are all that a memory shares
// with a question. Refresh takes in what other processes have written, if the Store knows that (Follower).
//
// An Extraction makes memories of exchanges behind the answers, by a model or by rules, and never delays them.
//
// # Invariants
//
//   - What a live scope of working memory holds is never dropped: a pointer in a view always resolves. A scope ends with its
//     run. What it leaves to a session expires, and stays within bounds; who asks for it later is told that it was there.
//   - No lock is held while a model, an embedder or a reader of memories is waited for.
//   - A model that fails, is slow, or answers nonsense changes no memory, and no search fails for want of an embedder.
//   - What holds no longer stays as history until it is deleted; deletion is real.
//   - Memories are what users and models said. They are material for a prompt, never instructions.
package memory
