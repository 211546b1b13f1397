package contextwindow

// A startingRatio is how many tokens a family's models count for each estimated one.
type startingRatio struct {
	name  string // as in a ModelSize that is not exact
	ratio float64
}

// startingRatios are measured: of the claude rows on providers' counts of recorded sessions (`foray eval tokens`), of
// those of OpenAI against the vocabularies that it publishes, which the estimate is fitted to.
var startingRatios = []startingRatio{
	{"claude-opus-4-7", 1.66},
	{"claude-opus-4.7", 1.66},
	{"claude-opus-4", 1.28},
	{"claude-sonnet-4-5", 1.20},
	{"claude-sonnet-4.5", 1.20},
	{"claude-sonnet-4", 1.33},
	{"claude-haiku-4", 1.11},
	{"gpt", 1},
	{"o1", 1},
	{"o3", 1},
	{"o4", 1},
}

// StartingRatio returns how many tokens a model counts for each one that toollimit.Tokens estimates, as far as that was
// measured for its family; otherwise 1, and measured is false.
func StartingRatio(model string) (ratio float64, measured bool) {
	name, best := baseName(model), startingRatio{ratio: 1}
	for _, row := range startingRatios {
		if len(row.name) > len(best.name) && namesStart(row.name, name) {
			best = row
		}
	}
	return best.ratio, best.name != ""
}
