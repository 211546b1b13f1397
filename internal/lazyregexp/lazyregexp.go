// Package lazyregexp compiles the regular expressions of package variables when they are first used.
//
// A command uses few of the hundreds of expressions in the packages that it links, and compiling all of them took half
// of its start. Start with [New]. Expressions made while a program runs use package regexp.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// A Regexp is a [regexp.Regexp] that compiles on first use. It is safe for concurrent use.
type Regexp struct {
	text     string
	compiled func() *regexp.Regexp
}

// New returns the expression without compiling it, so a wrong one panics on first use. In a test binary it compiles at
// once: each package's tests then find its wrong expressions.
func New(text string) *Regexp {
	re := &Regexp{text: text, compiled: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
	if strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test") {
		re.compiled()
	}
	return re
}

// FindAllString is [regexp.Regexp.FindAllString].
func (re *Regexp) FindAllString(s string, n int) []string { return re.compiled().FindAllString(s, n) }

// FindAllStringIndex is [regexp.Regexp.FindAllStringIndex].
func (re *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return re.compiled().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch is [regexp.Regexp.FindAllStringSubmatch].
func (re *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return re.compiled().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is [regexp.Regexp.FindAllStringSubmatchIndex].
func (re *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return re.compiled().FindAllStringSubmatchIndex(s, n)
}

// FindString is [regexp.Regexp.FindString].
func (re *Regexp) FindString(s string) string { return re.compiled().FindString(s) }

// FindStringIndex is [regexp.Regexp.FindStringIndex].
func (re *Regexp) FindStringIndex(s string) []int { return re.compiled().FindStringIndex(s) }

// FindStringSubmatch is [regexp.Regexp.FindStringSubmatch].
func (re *Regexp) FindStringSubmatch(s string) []string { return re.compiled().FindStringSubmatch(s) }

// FindStringSubmatchIndex is [regexp.Regexp.FindStringSubmatchIndex].
func (re *Regexp) FindStringSubmatchIndex(s string) []int {
	return re.compiled().FindStringSubmatchIndex(s)
}

// FindSubmatch is [regexp.Regexp.FindSubmatch].
func (re *Regexp) FindSubmatch(b []byte) [][]byte { return re.compiled().FindSubmatch(b) }

// FindSubmatchIndex is [regexp.Regexp.FindSubmatchIndex].
func (re *Regexp) FindSubmatchIndex(b []byte) []int { return re.compiled().FindSubmatchIndex(b) }

// Match is [regexp.Regexp.Match].
func (re *Regexp) Match(b []byte) bool { return re.compiled().Match(b) }

// MatchString is [regexp.Regexp.MatchString].
func (re *Regexp) MatchString(s string) bool { return re.compiled().MatchString(s) }

// ReplaceAllLiteralString is [regexp.Regexp.ReplaceAllLiteralString].
func (re *Regexp) ReplaceAllLiteralString(s, with string) string {
	return re.compiled().ReplaceAllLiteralString(s, with)
}

// ReplaceAllString is [regexp.Regexp.ReplaceAllString].
func (re *Regexp) ReplaceAllString(s, with string) string {
	return re.compiled().ReplaceAllString(s, with)
}

// ReplaceAllStringFunc is [regexp.Regexp.ReplaceAllStringFunc].
func (re *Regexp) ReplaceAllStringFunc(s string, with func(string) string) string {
	return re.compiled().ReplaceAllStringFunc(s, with)
}

// Split is [regexp.Regexp.Split].
func (re *Regexp) Split(s string, n int) []string { return re.compiled().Split(s, n) }

// String returns the text of the expression.
func (re *Regexp) String() string { return re.text }

// SubexpNames is [regexp.Regexp.SubexpNames].
func (re *Regexp) SubexpNames() []string { return re.compiled().SubexpNames() }

// SubexpIndex is [regexp.Regexp.SubexpIndex].
func (re *Regexp) SubexpIndex(name string) int { return re.compiled().SubexpIndex(name) }
