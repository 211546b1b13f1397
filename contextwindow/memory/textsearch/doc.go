// Package textsearch splits texts into terms and ranks texts by them. It is the one tokenizer, stemmer and
// BM25 of this module, and needs no model and no download.
//
// Start with [Index] to find turns of conversations and with [Statements] for short texts such as memories.
// The parts serve other rankings: [Words], [Terms] and [Stem] for what people write, [Names], [Splitter]
// and [Root] for code, [BM25] and [Rarity] for both.
//
// # Terms
//
// The terms of a text are the stems of its words without stop words ([Terms]). Chinese, Japanese and Korean
// have no spaces between words: their terms are pairs of characters between stop words, followed by the
// single characters.
//
// # Stemmers
//
// [Stem] is Porter's algorithm with a table of irregular forms. [Root] only cuts endings. It is coarser,
// but a root is always a prefix of its word, as patterns over code need it. On LoCoMo, recall at 5, 10 and
// 25 turns of [Index] was:
//
//	stemmer, each after the irregular forms      5     10    25
//	Porter                                     78.1  84.8  90.2
//	Snowball English (kljensen/snowball)       78.0  84.8  90.1
//	Root                                       77.3  84.2  89.3
//
// So a library gains nothing over the 150 lines of Porter's algorithm here.
//
// # How turns are ranked
//
// The score of a turn is made of
//
//   - BM25 over the turn and its neighbours: a word of the turn before or after counts in part, most of all a word
//     of the question that the turn answers;
//   - words that answer others: a question for a pet finds turns about dogs (lists in words/);
//   - BM25 over whole sessions;
//   - factors for statements in the first person, and for what the question wants: a time, a number, a name;
//   - the speaker and the days that the question names: the day of a session, or a day that the turn mentions, such as
//     "last week".
//
// How much neighbours count depends on the conversation. Where neighbouring turns share no more
// words than distant ones, as in group chats, neighbours count nothing; and where one speaker writes turn
// after turn, the question before a turn does not count either. The suite evals/recall measures all of it.
package textsearch
