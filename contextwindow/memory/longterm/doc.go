// Package longterm remembers statements about users across conversations.
//
// Start with [Open]. [Memories] hold the memories of all users in memory and write each change through to a
// [Store]. An [Extractor] makes memories of exchanges in the background, by a model or by rules.
//
// # How memories are found
//
// A search ranks by the share of the question's words that a memory says, where rare words weigh more. With an
// embedder, the cosine is added with a small weight and also finds memories in other words. Only the part of a cosine
// above that of unrelated texts counts; that level differs between models and is measured once. Both similarities are
// calibrated: at 0.6 two texts are about the same thing, at 0.85 they say the same. Words that any text may have count
// little.
//
// Up to 4,000 vectors are compared exactly; of more, only those with the nearest signs. BenchmarkSearch100k
// measures it; the goal is below 20 ms for 100,000 memories.
//
// # How memories are made without a model
//
// internal/stated says what is worth remembering, in English, Chinese and German. A message is read clause by clause,
// without code, quotations and what it hands over ("Translate this: …"); questions, requests and suppositions are
// skipped. A memory is the clause as it was said. A statement supersedes one that fills the same slot (name, home,
// deadline) with another value, one about the same whose value it corrects, as in the digest of a window (Postgres for
// MySQL), one that says the same with a word that excludes one of its words (long for short), and a similar one that it
// denies. Statements that name different things are never merged. TestExchanges measures precision and recall on
// labelled messages in testdata.
//
// # Invariants
//
//   - No lock is held while a model or an embedder is called or a caller iterates over memories.
//   - A model that fails, times out or answers nonsense changes no memory: rules take its place. A search works without
//     an embedder.
//   - A memory that no longer holds stays as history until it is deleted. Deletion is final.
package longterm
