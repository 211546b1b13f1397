package exact

import (
	"regexp"

	"github.com/forayhq/foray/agent/explore/rules/internal/intent"
	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
)

// A Search is the answer to one question in the making.
type Search struct {
	in       intent.Intent
	results  lookup.Results
	measure  intent.Measure // of an amount
	measured *regexp.Regexp // matches its names
	less     bool           // the option keeps the program from something
	words    []Word         // that describe an amount or an option
}

// A Word is what a question is about.
type Word struct {
	Text    string // as written
	Re      *regexp.Regexp
	Weight  float64
	Counted bool // it is what is counted, not what happens with it
}
