// Package grep reads search results, line by line.
//
// The form of foray has groups: the name of a file with its number of hits ("path (12 hits)"), then its
// matches ("L12 text") and the context lines around them ("L11- text"). [Group] rewrites the output of grep
// and ripgrep in that form; [IsFile], [IsMatch] and [IsContext] recognise its lines. Start with Group.
package grep
