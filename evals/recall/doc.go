// Package recall measures how well the turns of conversations that answer a question are found, without a
// model.
//
// Start with [Run].
//
// # Data
//
// A line of the data is one conversation:
//
//	{"id","sessions":[{"date","turns":[{"dia_id","speaker","text","caption"}]}],
//	 "qa":[{"question","category_name","evidence":["dia_id"]}]}
//
// The caption of a picture belongs to the text of its turn. Each file is a source. The histories in this
// folder, in Chinese and written for this suite, are always a source too.
//
// # Protocol
//
// As in the paper on LoCoMo (Maharana et al., 2024), the unit is a turn and the query is the bare question.
// Recall at k is the share of a question's evidence among the first k turns, averaged over all questions. A
// question without evidence, and evidence that is not a turn, count as not found. (The paper's script counts
// the former as found, which adds 0.2 points over its 1,986 questions.) A source in which no question has
// evidence is left out.
//
// Each conversation has its own index. Times are those of one worker; they grow if there are more workers
// than processors.
//
// # Splits
//
// The weights of the index were tuned on the first half of LoCoMo's conversations. The split dev is the
// first half of each source, test the rest.
package recall
