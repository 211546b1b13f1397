// Package trust says how likely the places of an answer are right: the share that was right when questions whose places
// are known were asked.
//
// Start with [Rate].
package trust

import "github.com/forayhq/foray/tools/report"

// A cell is a group of answers that were right about equally often.
type cell struct {
	intent string  // of the question
	alone  bool    // the answer has one place only
	score  float64 // least score that the search gives its first place

	first, second, third, later float64 // share of right places by rank; third: up to the fifth
}

// cells are tried in order. A share is (right + 1) ÷ (answers + 2) over the questions of foray eval answers --split dev
// in the cell, so that a few questions never make an answer certain. Cells of one intent with fewer than 15 questions
// are pooled, or have the share of the cell that is likest: callers and tests that are alone, and all defaults. Amounts
// have that of evals/answers/testdata/amounts_other.jsonl; what is named without one, of amounts_chosen.jsonl as well.
// Options have that of settings_chosen.jsonl and settings_other.jsonl.
var cells = []cell{
	{"definition", true, .5, .98, 0, 0, 0},
	{"definition", false, 0, .67, .3, .1, .05},
	{"callers", true, .5, .95, 0, 0, 0},
	{"callers", true, .4, .83, 0, 0, 0}, // all may mean another definition of the name: 4 questions
	{"callers", false, .5, .88, .88, .55, .22},
	{"callers", false, 0, .83, .83, .38, .22}, // the same
	{"raised", true, 0, .9, 0, 0, 0},          // 29 of 30 of raised_chosen.jsonl and raised_other.jsonl; half were in view
	{"raised", false, 0, .9, .5, .4, .2},
	{"difference", false, 0, .67, .67, .1, .05}, // each as a definition
	{"implementers", true, .5, .88, 0, 0, 0},    // by TestImplementersOfGo
	{"implementers", false, .5, .88, .9, .9, .9},
	{"tests", true, .5, .95, 0, 0, 0},
	{"tests", false, 0, .77, .9, .86, .75},
	{"described tests", true, .45, .5, 0, 0, 0}, // 3 of 7 of tests_other.jsonl, and 10 of 16 others, by reading
	{"described tests", true, 0, .15, 0, 0, 0},
	{"described tests", false, .45, .5, .2, .1, .05},
	{"described tests", false, 0, .15, .1, .08, .05},
	{"message", true, .45, .96, 0, 0, 0}, // a text that reads otherwise, or is in a test, scores less
	{"message", false, .45, .95, .26, .14, .1},
	{"default", true, .5, .95, 0, 0, 0},
	{"default", true, 0, .15, 0, 0, 0}, // set on its way, in an example or elsewhere: that of the last line of defaults
	{"default", false, .7, .95, .1, .08, .05},
	{"default", false, .5, .4, .1, .08, .05}, // one plain word, by reading 39 answers
	{"default", false, 0, .15, .1, .08, .05}, // the same, or set differently, by reading 46 answers
	{"amount", true, .5, .69, 0, 0, 0},
	{"amount", true, 0, .5, 0, 0, 0}, // with one word of several: that of few answers to both sets
	{"amount", false, .5, .69, .2, .1, .05},
	{"amount", false, 0, .5, .2, .1, .05},
	{"no amount", true, 0, .18, 0, 0, 0}, // an open question that describes a setting, without one that fits
	{"no amount", false, 0, .18, .06, .06, .05},
	{"option", true, 0, .44, 0, 0, 0},
	{"option", false, 0, .44, .2, .1, .05},
	{"file", true, 0, .9, 0, 0, 0}, // 19 of 22 of files_other.jsonl, when it was first asked, and all of files_chosen.jsonl
	{"file", false, 0, .9, .3, .3, .2},
	// Of a name or a manifest, 7 of 7 of listed_other.jsonl, of those in view 34 of 35, and 9 of 10 of flags_other.jsonl;
	// by words 4 of 11, and 24 of 29.
	{"list", true, .5, .89, 0, 0, 0},
	{"list", false, .5, .89, .3, .2, .1},
	{"list", true, 0, .38, 0, 0, 0},
	{"list", false, 0, .38, .2, .1, .05},
	{"docs", true, 0, .97, 0, 0, 0},
	{"docs", false, 0, .92, .23, .16, .05},
	{"section", true, .5, .5, 0, 0, 0}, // a clear one: 6 of 12 of documented_other.jsonl, which was not used before
	{"section", true, 0, .33, 0, 0, 0}, // 3 of 10
	{"section", false, .5, .5, .2, .1, .05},
	{"section", false, 0, .33, .2, .1, .05},
	{"overview", true, 0, .94, 0, 0, 0},
	{"overview", false, 0, .94, .2, .2, .1},
	{"", true, 0, .25, 0, 0, 0}, // such as a definition that nothing uses, for a question about its uses
	{"", false, 0, .5, .2, .1, .05},
}

// Rate replaces the scores that a search gives the places of an answer by how likely they are right.
func Rate(intent string, places []report.Place) {
	if len(places) == 0 {
		return
	}
	c := cellOf(intent, len(places) == 1, places[0].Confidence)
	for i := range places {
		switch {
		case i == 0:
			places[i].Confidence = c.first
		case i == 1:
			places[i].Confidence = c.second
		case i < 5:
			places[i].Confidence = c.third
		default:
			places[i].Confidence = c.later
		}
	}
}

func cellOf(intent string, alone bool, score float64) cell {
	for _, c := range cells {
		if (c.intent == intent || c.intent == "") && c.alone == alone && score >= c.score {
			return c
		}
	}
	return cells[len(cells)-1]
}
