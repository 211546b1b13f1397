// Package recall measures how well the turns of conversations that answer a question are found again, without a model.
//
// # Data
//
// A line of the data is one conversation:
//
//	{"id","sessions":[{"date","turns":[{"dia_id","speaker","text","caption"}]}],"qa":[{"question","category_name","evidence":["dia_id"]}]}
//
// The captions of pictures belong to the text of their turn. A source is a file; the histories in this folder, in
// Chinese and written for this suite, are a source of their own that is always there.
//
// # Protocol
//
// As in the paper on LoCoMo (Maharana et al., 2024), the unit is a turn and the bare question is the query. Recall at k is
// the share of a question's evidence that is among the first k turns, averaged over all questions. A question without
// evidence, and evidence that is no turn, count as not found: the paper's own script counts the former as found, which
// lifts its 1,986 questions by 0.2 points. A source none of whose questions has evidence is left out.
//
// An index is built for each conversation. Its time and those of questions are of one worker; with more workers than
// processors they get longer.
//
// # Splits
//
// The weights of the index were tuned on the first half of the conversations of LoCoMo. The split dev is the first half of
// each source, test the rest.
package recall
