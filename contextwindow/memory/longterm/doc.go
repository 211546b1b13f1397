// Package longterm remembers statements about users across conversations.
//
// Start with [Open]. [Memories] hold the memories of all users in memory and write each change through to a
// [Store]. An [Extractor] makes memories of exchanges in the background, by a model or by rules.
//
// # How memories are found
//
// A search ranks by the share of the question's words that a memory says, where rare words weigh more, and
// with an embedder by the cosine of embeddings; then it fuses both ranks. Similarity by words is calibrated
// to that of an embedding model: at 0.6 two texts are about the same thing, at 0.85 they say the same. Words
// that any text may have count little.
//
// Up to 4,000 vectors are compared exactly; of more, only those with the nearest signs. BenchmarkSearch100k
// measures it; the goal is below 20 ms for 100,000 memories.
//
// # Invariants
//
//   - No lock is held while a model or an embedder is called or a caller iterates over memories.
//   - A model that fails, times out or answers nonsense changes no memory. A search works without an embedder.
//   - A memory that no longer holds stays as history until it is deleted. Deletion is final.
package longterm
