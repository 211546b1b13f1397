// Package said chooses what to keep of what people said: the sentences that are worth most for their length, in the
// words in which they were said, the newest value instead of the older one.
//
// Start with [Read], which finds the sentences of one message and what each is worth. A [Pool] holds those of evicted
// messages, in bounded memory, and [Pool.Choose] picks what fits in a room.
//
// # How a sentence is valued
//
// By place, by content and by length: place × v ÷ (tokens + 6). Place is 1 for what is in the writer's own words,
// .25 for other prose and comments, .08 for code and logs. v is 1, plus its names and numbers, plus what its words say
// unless they are code (words.txt: rules, wishes, decisions, due dates, states, corrections). Documentation is full of
// such words, so in prose that may be pasted they count half, and only numbers, dates and paths are names; a sentence
// that talks to somebody counts more, and so does one whose words the rest of its message does not use. Questions,
// leads, requests for one action and asides are worth less; a pasted digest of the runtime is worth nothing.
//
// In own words, what resembles many newer sentences is worth less from the fifth on: an error that somebody pastes
// again and again leaves room for what was said once. It is not dropped while there is room.
//
// # How a sentence replaces another
//
// Two sentences are about the same if the same words remain once values and words without content are left out. If
// their values differ, the newer one replaces the older one and says so. Of two values with other words between them,
// the first belongs to what a sentence is about: "invoice 17 costs $50". A sentence with a word of correction or state
// ("actually", "as of today") also replaces one that shares three quarters of its words and has a value of the same
// kind. What denies, adds, supposes, reports, says what was so, or names one of several things that somebody uses or
// has replaces nothing unless it says that it corrects; a bound ("must not exceed 5") is a single value. A pasted
// sentence never replaces one in the writer's own words. [Message.Compare] decides the same for two texts.
package said
