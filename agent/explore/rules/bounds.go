package rules

// Bounds of the history in a report.
const (
	historyFiles = 3 // of the first places
	commitsEach  = 3
	maxCommits   = 6
)

// Bounds of the stages.
const (
	listDepth    = 6
	listLimit    = 2000
	locateLimit  = 50 // candidates that locate is asked for
	focusFiles   = 20 // candidates that are outlined
	nameLookups  = 3  // names of the question that are looked up
	maxPatterns  = 16 // of one search
	outlineLimit = 600
	readBlocks   = 16
	blocksOfFile = 3
	chosenShare  = .2  // of the best rank that a block needs to be read
	looseShare   = .2  // of the best score that lines outside of all definitions need
	blocksOfName = 3   // definitions of the same name
	minorUntil   = 3   // blocks of tests, documents and data are among the first so many, or left out
	blockLines   = 160 // of a block that are read
	docLines     = 24  // above a definition that are read for its documentation
	hopBlocks    = 4
)

// Bounds of a report.
const (
	maxStatements = 4
	maxPlaces     = 18
	placesFiles   = 10 // files that the places name at least, where locate names as many
	maxExcerpts   = 3
	excerptLines  = 20
	maxEdgeNodes  = 8
	maxTests      = 5
	maxQuoteRunes = 220
	fewTests      = 2  // of one file
	summaryBlocks = 6  // chosen blocks that get a sentence
	ownPlaces     = 3  // of an issue that come before the definitions that locate ranks
	issuePlaces   = 10 // definitions that an issue's report names first
	hopsFrom      = 6  // places of a question before those that were found by a call
	maxHops       = 2
)

// Thresholds of what counts as found, as shares of the question's words by worth.
const (
	foundCoverage = .4
	nameCoverage  = .15 // enough beside an identifier that was found, or a rare word that names a definition
	rareWord      = 1   // inverse document frequency: in about a third of the files or fewer
	goodShare     = .5  // of the first one's rank that a block needs to be in the summary
)

// Bounds of what is followed from a definition.
const (
	maxCallees   = 14
	maxCallers   = 2  // blocks whose callers are searched for
	shortestName = 3  // of a function that is followed
	ownerShare   = .5 // of a word in the name of what a target belongs to
	distinctName = 8  // letters from which a name of one part is taken to be the only one
)
