// Package tokens estimates the tokens of a text by walking its bytes once.
//
// A state describes the preceding bytes: the position in a word, a run of digits, punctuation or white
// space, a script. State and class of the next byte select a weight and the next state. The weights were
// fitted on an exact tokenizer, cl100k_base. [Cost] is in units of 1/[PerToken]. After a newline the state
// is the first one again, so the costs of lines add up exactly.
//
// Start with [Cost]; [Prefix] and [Suffix] take as much of a text as fits.
package tokens
