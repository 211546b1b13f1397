// Package textsearch splits texts into terms and ranks texts by them. It is the one tokenizer, stemmer and
// BM25 of this module, and needs no model and no download.
//
// Start with [Index] to find turns of conversations and with [Statements] for short texts such as memories.
// The parts serve other rankings: [Words] and [Terms] for what people write, [Names], [Splitter] and [Root]
// for code, [BM25] and [Rarity] for both.
//
// # Terms
//
// The terms of a text are the stems of its words without stop words ([Terms]). Chinese, Japanese and Korean
// have no spaces between words: their terms are pairs of characters between stop words, followed by the
// single characters.
//
// # Stemmers
//
// [Terms] uses Porter's algorithm with a table of irregular forms. [Root] only cuts endings. It is coarser,
// but a root is always a prefix of its word, as patterns over code need it. On LoCoMo, an earlier [Index] reached this
// recall at 5, 10 and 25 turns:
//
//	stemmer, each after the irregular forms      5     10    25
//	Porter                                     78.1  84.8  90.2
//	Snowball English (kljensen/snowball)       78.0  84.8  90.1
//	Root                                       77.3  84.2  89.3
//
// A library would gain nothing over the 150 lines here.
//
// # How turns are ranked
//
// A turn is split into passages, sentences and lines of up to 50 terms together, and is as good as its best passage.
// The score of a passage is made of
//
//   - BM25 over the passage and its neighbours: words of neighbours count in part, most of all those of a question
//     just before it;
//   - words that answer others: a question for a pet finds turns about dogs (lists in words/);
//   - words of the question that follow each other in the passage too;
//   - BM25 over whole sessions; long ones count less;
//   - factors for statements in the first person, and for what the question wants: a time, a number, a name;
//   - the speaker and the days that the question names, if they are those of the session or mentioned in the
//     passage, as in "last week".
//
// How much neighbours count depends on the conversation. Where neighbouring turns share no more
// words than distant ones, as in group chats, they count nothing. Where one speaker writes turn after turn,
// the question before a turn counts nothing either.
//
// # Chats with an assistant
//
// Speakers are a user and an assistant if they are called so, or if one of two talks at least three times as long as
// the other. Then "I" in a question is the user, and "you" the assistant if the question asks what it said; words
// about the talk itself, such as "summary", count little; instructions and preferences of the user count more; a
// statement inside a request counts as much as any other; and BM25 over a user's turn with its reply is added.
//
// Long turns share words with any question. Turns of a speaker with long turns are therefore ranked separately, and
// get every tenth place, every third for a summary, and every second if the question asks what was said there.
// [Index.Exchanges] returns each turn with its counterpart, so that what the assistant said is found with the words
// of the user. The suite evals/recall measures all of it.
package textsearch
