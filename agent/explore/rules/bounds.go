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
	locateLimit  = 50 // candidates requested from locate
	focusFiles   = 20 // candidates to outline
	nameLookups  = 3  // names of the question to look up
	maxPatterns  = 16 // per search
	outlineLimit = 600
	readBlocks   = 16
	blocksOfFile = 3
	chosenShare  = .2  // a block is read if it has this share of the best rank
	looseShare   = .2  // lines outside all definitions also need this share of the best score
	blocksOfName = 3   // definitions of one name
	minorUntil   = 3   // blocks of tests, documents and data are chosen only while fewer are
	blockLines   = 160 // lines read of one block
	docLines     = 24  // lines read above a definition, for its documentation
	hopBlocks    = 4
)

// Bounds of a report.
const (
	maxStatements = 4
	maxPlaces     = 18
	placesFiles   = 10 // files in the places, if locate names as many
	maxExcerpts   = 3
	excerptLines  = 20
	maxEdgeNodes  = 8
	maxTests      = 5
	maxQuoteRunes = 220
	fewTests      = 2  // per file
	summaryBlocks = 6  // first blocks that may get a sentence
	ownPlaces     = 3  // places of an issue before the definitions that locate ranks
	issuePlaces   = 10 // places of an issue before all others
	hopsFrom      = 6  // places of a question before those found by following calls
	maxHops       = 2
)

// Thresholds of an answered question, as shares of its words by worth.
const (
	foundCoverage = .4
	nameCoverage  = .15 // enough if an identifier occurs, or a rare word names a definition
	rareWord      = 1   // least inverse document frequency: in about a third of the files
	goodShare     = .5  // a block in the summary needs this share of the best rank
)

// Bounds of following calls from a definition.
const (
	maxCallees   = 14
	maxCallers   = 2  // blocks whose callers are looked up
	shortestName = 3  // letters; calls of shorter names are not followed
	ownerShare   = .5 // weight of a word in the name of a target's type, against its own name
	distinctName = 8  // letters; a shorter name of one word may mean several definitions
)
