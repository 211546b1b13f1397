package rules

// Bounds of the history in a report.
const (
	historyFiles = 3 // first files whose history is read
	commitsEach  = 3 // commits of a file
	maxCommits   = 6 // commits of a report
)

// Bounds of the stages.
const (
	listDepth    = 6
	listLimit    = 2000
	locateLimit  = 50 // candidates requested from locate
	focusFiles   = 20 // candidates to outline
	groupFiles   = 5  // candidates of one search
	nameLookups  = 3  // names of the question to look up
	maxPatterns  = 16 // patterns of one search
	outlineLimit = 600
	readBlocks   = 16  // blocks to read
	blocksOfFile = 3   // blocks to pick from one file
	pickShare    = .2  // least share of the best rank that a block to pick has
	looseShare   = .2  // least share of the best score that lines outside all definitions also have
	blocksOfName = 3   // definitions of one name to pick
	minorUntil   = 3   // blocks after which none of tests, documents and data is picked
	blockLines   = 160 // lines read of one block
	docLines     = 72  // lines above a definition that may document it
	hopBlocks    = 4   // called definitions to read
)

// Bounds of a report.
const (
	maxStatements = 4
	maxPlaces     = 18
	placesFiles   = 10 // files to fill the places up to
	maxExcerpts   = 3
	excerptLines  = 20
	maxEdgeNodes  = 8
	maxTests      = 5
	maxQuoteRunes = 220
	fewTests      = 2  // tests of one file
	summaryBlocks = 6  // first blocks, which may get a sentence
	ownPlaces     = 3  // issue: picked places before the definitions that locate ranks
	issuePlaces   = 10 // issue: places up to which definitions of locate are inserted
	hopsFrom      = 6  // question: places before those found by following calls
	maxHops       = 2  // places found by following calls
)

// Thresholds of an answered question.
const (
	foundCoverage = .4  // share of the question's words, by worth, that one block contains
	nameCoverage  = .15 // the same, if an identifier occurs or a rare word names a definition
	rareWord      = 1   // least inverse document frequency of a rare word: in about a third of the files
	goodShare     = .5  // least share of the best rank that a block in the summary has
)

// Bounds of following calls from a definition.
const (
	maxCallees   = 14 // names to follow
	maxCallers   = 2  // blocks whose callers are looked up
	shortestName = 3  // letters; calls of shorter names are not followed
	ownerShare   = .5 // weight of a word in the name of a target's type, against 1 in its own name
	distinctName = 8  // letters; a shorter name of one word may mean several definitions
)
