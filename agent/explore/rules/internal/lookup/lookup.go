// Package lookup is what the exact tools and the documents share: results found again by their call, and lines of code
// as citations and quotes.
//
// Start with [Of].
package lookup

import (
	"strings"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/report"
)

// Results are the results of a conversation, by the key of their call.
type Results map[string]rulemodel.Result

// Of returns the results by their calls. Of two results of one call it keeps the last.
func Of(results []rulemodel.Result) Results {
	all := make(Results)
	for _, x := range results {
		all[x.Key()] = x
	}
	return all
}

// Decode returns the result of a call. It reports false if the call was not made, failed, or returned no JSON.
func Decode[T any](all Results, c rulemodel.Call) (v T, ok bool) {
	x, made := all[c.Key()]
	if !made || x.Failed {
		return v, false
	}
	return rulemodel.Decode[T](x.Text)
}

// Cite writes lines of a file as a citation, as path:12 or path:12-30.
func Cite(path string, start, end int) string {
	return report.Citation{Path: path, Start: start, End: end}.String()
}

// NoneContains begins, in lower case, what is said of a text that none of so many searched files contains.
func NoneContains(files int) string {
	if files == 1 {
		return "the only searched file does not contain"
	}
	return "none of " + line.Count(files, "searched file") + " contains"
}

// Quotable returns the part of a line, at most so many runes, that the tool report can find again: nothing of a
// truncated or redacted line.
func Quotable(text string, most int) string {
	text = strings.TrimSpace(text)
	if strings.Contains(text, "…") || strings.Contains(text, "[redacted") {
		return ""
	}
	return strings.TrimSuffix(line.Truncate(text, most), "…")
}

// Glob returns a glob that matches only the path.
func Glob(path string) string {
	var b strings.Builder
	for _, c := range path {
		if strings.ContainsRune(`*?[]{},\!`, c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// Globs returns a glob for each path.
func Globs(paths []string) (all []string) {
	for _, p := range paths {
		all = append(all, Glob(p))
	}
	return all
}
