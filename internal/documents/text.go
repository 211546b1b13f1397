package documents

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/textsearch"
)

// A Question is what to find texts about that say it, under whatever title.
type Question struct {
	asked  string         // in lower case, without the mark at its end
	count  int            // of its words
	byRoot map[string]int // number of the word of a root
}

// fillers are words of questions that no text is about, besides stop words.
var fillers = set(`happens happen use used using so they them their he she his her than then too also just only more
most such very has had have having way does doing during been being because while until again further both each few
other same am were but now`)

// Ask takes a question apart. It returns false if no text can be about any word of it.
func Ask(text string) (*Question, bool) {
	q := &Question{asked: strings.ToLower(strings.TrimRight(text, " ?!.")), byRoot: make(map[string]int)}
	before := ""
	eachWord(text, func(w string) {
		_, again := q.byRoot[root(w)]
		if last, ok := q.byRoot[root(before)]; particles[w] && ok && before != "" {
			q.byRoot[root(before+w)] = last
		}
		if before = w; again || stops[w] || fillers[w] || q.count == maxWords {
			return
		}
		at := q.count
		q.count++
		for _, r := range sameSenses(root(w)) {
			if _, known := q.byRoot[r]; !known {
				q.byRoot[r] = at
			}
		}
		q.byRoot[root(w)] = at
	})
	return q, q.count > 0
}

// sameSenses returns the roots of the words that mean the same in documentation.
func sameSenses(of string) []string {
	concept := conceptOf()[of]
	if concept == "" {
		return nil
	}
	return rootsOf()[concept]
}

// eachWord calls visit with the words of a text in lower case: those of names in parts, and numbers.
func eachWord(text string, visit func(string)) {
	var names textsearch.Splitter
	for _, name := range wordRuns.FindAllString(text, -1) {
		names.Split([]byte(name), func(w []byte) {
			if len(w) > 1 && len(w) <= longestWord {
				visit(string(w))
			}
		})
	}
}

// longestWord is the longest word that counts, in bytes. A longer one is data.
const longestWord = 40

// A Text is the part of a document below one title, up to the next title of any level, or before the first title.
type Text struct {
	Section // its End is that of the text
	Path    string
	Score   float64 // 0 to 1, set by [Question.Rank]

	counts []float64 // by word of the question: how often it occurs, in the titles more than once
	length float64
}

// Texts are the texts of one document that have a word of a question, and the number and length of all.
type Texts struct {
	Found  []Text
	number int
	length float64
}

// Weights of a word in the title of a text, and in the titles above it and the name of its document, against one in the
// text itself.
const (
	titleWeight  = 3
	aroundWeight = 1
)

// inCode are the names of files of code whose comments document a whole library, by the conventions of Rust and Go.
var inCode = set(`lib.rs doc.go`)

// HasText reports whether a file of this name is a document, or code with the documentation of a library.
func HasText(name string) bool { return Is(name) || inCode[path.Base(name)] }

// mark matches the mark of a comment that documents code, or that comes before a package in Go.
var mark = lazyregexp.New(`^\s*//[/!]?(?: |$)`)

// codeLine replaces a line of code that is no comment.
const codeLine = "\x00"

// documentation returns the text of the comments among lines of code.
func documentation(lines []string) []string {
	all := make([]string, len(lines))
	for i, l := range lines {
		if cut := mark.FindString(l); cut != "" {
			all[i] = l[len(cut):]
		} else if strings.TrimSpace(l) != "" {
			all[i] = codeLine
		}
	}
	return all
}

// minor matches documents that say much on any word, and little about what the code does now.
var minor = lazyregexp.New(`(?i)(?:^|/)(?:node_modules|vendor\w*|third[_-]?party|deps|tests?|testdata|specs?|` +
	`regress\w*|fixtures?|i18n|locales?|releases?|history|changelogs?|_?posts|blog|rfcs?|sep|contrib\w*|` +
	`benchmarks?)/|` +
	`(?:^|/)(?:[^/]*[^a-z/])?(?:change(?:s|log|[-_])|releases?\b|release[-_]?notes|roadmap|history|news|` +
	`what[\s_-]?s[-_]?new|contributing|` +
	`(?-i:AGENTS|CLAUDE|GEMINI|copilot-instructions)\b|licen[cs]e|copying|(?-i:SECURITY)|code_of_conduct)[^/]*$`)

// Minor reports whether a file of this name says little about what the code does now: a changelog, a dependency, data
// of tests or measurements, or a rule for those who work on the project, such as agents.
func Minor(name string) bool { return minor.MatchString(name) }

// past matches documents on how to leave an older version, and pastShare is their factor.
var past = lazyregexp.New(`(?i)(?:^|/)[^/]*(?:upgrad|migrat)[^/]*(?:$|/)`)

const pastShare = .8

// version matches the folder of the documents of one version, and the number of that.
var version = lazyregexp.New(`^(?:.*/)?(?:v|version-)(\d+)(?:\.[\dx]+)*/`)

// newest returns the highest version that some of the documents have a folder of.
func newest(documents []Texts) (number int) {
	for _, d := range documents {
		if len(d.Found) > 0 {
			number = max(number, versionOf(d.Found[0].Path))
		}
	}
	return number
}

// versionOf returns the version whose folder a document is in, or 0.
func versionOf(name string) (number int) {
	if m := version.FindStringSubmatch(name); m != nil {
		number, _ = strconv.Atoi(m[1])
	}
	return number
}

// wordy matches a line with several words in a row, and leastWordy is the share of such lines in what is no data.
var wordy = lazyregexp.New(`(?:[\pL'’-]{2,},? +){4}[\pL'’-]{2,}`)

const leastWordy = .3

func isProse(lines []string) bool {
	all, prose := 0, 0
	for _, l := range lines {
		if strings.TrimSpace(l) != "" {
			all++
		}
		if wordy.MatchString(l) {
			prose++
		}
	}
	return float64(prose) >= leastWordy*float64(all)
}

// Look returns the texts of a document.
func (q *Question) Look(name string, src []byte) (all Texts) {
	if !HasText(name) || len(src) > maxBytes || Minor(name) {
		return all
	}
	lines := linesOf(src)
	find := formatOf(name)
	code := find == nil
	if code {
		find, lines = markdown, documentation(lines)
	}
	titles := sectionsOf(find(lines), len(lines))
	if path.Ext(name) == ".txt" && (!isProse(lines) || len(titles) == 0 && len(lines) > partLines) {
		return all // data, or the print of a program
	}
	sections := textsOf(titles, opening(name, lines))
	for i := range sections {
		for n := sections[i].Start; code && n < sections[i].End; n++ {
			if lines[n] == codeLine {
				sections[i].End = n // what comes later documents something else
			}
		}
	}
	var open []int
	for i, s := range sections {
		for len(open) > 0 && sections[open[len(open)-1]].Level >= s.Level {
			open = open[:len(open)-1]
		}
		t := Text{Section: s, Path: name, counts: make([]float64, q.count)}
		t.add(q, s.Title, titleWeight)
		t.add(q, strings.TrimSuffix(path.Base(name), path.Ext(name)), aroundWeight)
		for _, o := range open {
			t.add(q, sections[o].Title, aroundWeight)
		}
		for _, part := range parts(s, lines) {
			all.take(q, t, part, lines)
		}
		open = append(open, i)
	}
	return all
}

// take adds the part of a text, if it has a word of the question. One whose code asks the question shows how to ask it.
func (all *Texts) take(q *Question, t Text, part Section, lines []string) {
	t.Section, t.counts = part, slices.Clone(t.counts)
	has := false
	code, shown := blocks{}, false
	for _, l := range lines[part.Start-1 : part.End] {
		has = t.add(q, l, 1) || has
		shown = shown || code.inside(l) && q.count > 1 && strings.Contains(strings.ToLower(l), q.asked)
	}
	all.number++
	all.length += t.length
	if has && !shown {
		all.Found = append(all.Found, t)
	}
}

// partLines is how many lines a part of a long section has at least.
const partLines = 100

// parts splits a long section at empty lines outside of code. It begins with a title, which may be underlined.
func parts(s Section, lines []string) (all []Section) {
	code, from := blocks{}, s.Start
	for n := s.Start + 2; n <= s.End; n++ {
		long := n-from >= partLines && s.End-n >= partLines/2
		if !code.inside(lines[n-1]) && long && strings.TrimSpace(lines[n-1]) == "" {
			all = append(all, Section{s.Title, s.Level, from, n})
			from = n + 1
		}
	}
	return append(all, Section{s.Title, s.Level, from, s.End})
}

// textsOf ends each section where the next one begins, and puts the text before the first in front.
func textsOf(sections []Section, first Section) []Section {
	if len(sections) == 0 || sections[0].Start > first.Start {
		sections = slices.Insert(sections, 0, first)
	}
	for i := range sections[:len(sections)-1] {
		sections[i].End = min(sections[i].End, sections[i+1].Start-1)
	}
	return sections
}

// opening returns all of a document but its front matter, under the title that this gives, or else the document's name.
func opening(name string, lines []string) Section {
	first := frontMatter(lines)
	s := Section{Start: min(first+1, len(lines)), End: len(lines)}
	for _, l := range lines[:first] {
		if m := frontTitle.FindStringSubmatch(l); m != nil {
			s.Title = Plain(m[1])
		}
	}
	stem := strings.TrimSuffix(path.Base(name), path.Ext(name))
	if s.Title == "" && Is(name) && !plainName.MatchString(stem) {
		s.Title = dashes.Replace(stem)
	}
	return s
}

var (
	frontTitle = lazyregexp.New(`^title:\s*["']?(.+?)["']?\s*$`)
	plainName  = lazyregexp.New(`(?i)^(?:readme|index|main|doc|docs|intro|introduction)\b`)
	dashes     = strings.NewReplacer("-", " ", "_", " ")
)

// add counts the words of a line, each so many times, and reports whether it has one of the question.
func (t *Text) add(q *Question, l string, times float64) (has bool) {
	eachWord(l, func(w string) {
		if stops[w] || fillers[w] {
			return
		}
		t.length += times
		if at, ok := q.byRoot[root(w)]; ok {
			t.counts[at] += times
			has = true
		}
	})
	return has
}

// ranking is BM25 with usual parameters. Others, between .8 and 2 and .3 and .75, put at most two more texts first for
// 82 questions on 24 projects, and not for both halves.
var ranking = textsearch.BM25{K1: 1.2, B: .5}

// Rank scores the texts of all documents of a tree and sorts them, best first: by BM25, and by how many words of the
// question they have.
func (q *Question) Rank(documents []Texts) (all []Text) {
	number, length, last := 0.0, 0.0, newest(documents)
	for _, d := range documents {
		all = append(all, d.Found...)
		number += float64(d.number)
		length += d.length
	}
	rarity, whole := make([]float64, q.count), 0.0
	for w := range rarity {
		having := 0.0
		for i := range all {
			if all[i].counts[w] > 0 {
				having++
			}
		}
		rarity[w] = textsearch.Rarity(number, max(having, 1))
		if having == 0 {
			rarity[w] *= absentWeight
		}
		whole += rarity[w]
	}
	for i := range all {
		t := &all[i]
		has := 0.0
		for w, n := range t.counts {
			if n > 0 {
				has++
				t.Score += rarity[w] * ranking.Weight(n, t.length, length/number)
			}
		}
		t.Score *= math.Sqrt(has/float64(q.count)) / (whole * (ranking.K1 + 1)) * prior(t.Path)
		if v := versionOf(t.Path); v > 0 && v < last || past.MatchString(t.Path) {
			t.Score *= pastShare
		}
	}
	slices.SortStableFunc(all, func(a, b Text) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Start, b.Start))
	})
	return all
}
