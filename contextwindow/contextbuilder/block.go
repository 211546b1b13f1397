package contextbuilder

import (
	"context"
	"math"
	"time"
)

// A Priority says what becomes of a block when there is too little room.
type Priority int

// The priorities of blocks.
const (
	P0 Priority = iota // never dropped; over the limit it triggers compaction, and at last its short form stands
	P1                 // shortened before it is dropped
	P2                 // dropped first
)

// The types of the built-in blocks.
const (
	TypeUserMemory          = "user_memory"
	TypeCollectedInfo       = "collected_info"
	TypeConversationStats   = "conversation_stats"
	TypeAssessmentResult    = "assessment_result"
	TypeRelevantKnowledge   = "relevant_knowledge"
	TypeSimilarExperiences  = "similar_experiences"
	TypeDeviceContext       = "device_context"
	TypeActiveAgentsHistory = "active_agents_history"
	TypeMemories            = "relevant_memories" // of Config.Memories
)

// WholeConversation is a TTL that ends with the conversation: at Clear, or after five minutes without a query.
const WholeConversation = time.Duration(math.MaxInt64)

// A Block is a text that a source has for a query.
type Block struct {
	Type     string // lower-case letters, digits and "_"; the name of its fence
	Priority Priority
	TTL      time.Duration // 0: live, rendered anew for every request and never cached
	Key      string        // what the text depends on besides the conversation; for one that depends on the message, the message
	Value    float64       // what it is worth beside others of its priority, per token; 0: 1

	Text  string // "": nothing to tell
	Short string // of P0: what is left of it when nothing else can go; "": the first line of Text
}

// A Source has a block for some queries. Implementations are safe for concurrent use, return when ctx ends, and look at
// nothing of the query that is not in the block's key.
type Source interface {
	// Describe returns the block without its texts, and false if the query needs none. It is fast and asks nobody.
	Describe(q Query) (Block, bool)
	// Fill returns the block with its texts.
	Fill(ctx context.Context, q Query, b Block) (Block, error)
}
