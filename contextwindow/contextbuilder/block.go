package contextbuilder

import (
	"context"
	"math"
	"time"
)

// A Priority says what happens to a block when room is short.
type Priority int

const (
	P0 Priority = iota // never dropped: triggers compaction, and is shortened only as far as the room demands
	P1                 // shortened before it is dropped
	P2                 // dropped first
)

// WholeConversation is a TTL that lasts until [Builder.Clear], or until no query came for five minutes.
const WholeConversation = time.Duration(math.MaxInt64)

// A Block is a text that a source contributes to a query.
type Block struct {
	Type     string // name of its fence: lower-case letters, digits and "_", beginning with a letter
	Priority Priority
	TTL      time.Duration // 0: live, fetched for every request and never cached
	Key      string        // what the text depends on besides the conversation, such as the user or the message
	Value    float64       // per token, relative to other blocks of its priority; 0: 1

	Text  string // "": nothing to say
	Short string // for P0: what stays of it in any case, at most 120 tokens; "": the first line of Text
}

// A Source contributes a block to some queries. Implementations are safe for concurrent use, return when ctx ends, and
// depend on nothing of the query that is not in the block's key. Package blocks has seven.
type Source interface {
	// Describe returns the block without its texts, or false if the query needs none. It must be fast and do no I/O.
	Describe(q Query) (Block, bool)
	// Fill returns the block with its texts.
	Fill(ctx context.Context, q Query, b Block) (Block, error)
}
