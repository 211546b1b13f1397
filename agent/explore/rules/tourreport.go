package rules

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools/report"
)

// report makes the report of an overview.
func (r *tour) report() *draft {
	rep := &draft{report.Report{Question: line.Truncate(r.q.text, 500)}}
	for i := range r.e.readings {
		if reading := &r.e.readings[i]; strings.HasPrefix(strings.ToLower(path.Base(reading.path)), "readme") {
			r.addReadme(rep, reading)
		}
	}
	r.addManifests(rep, topicWhat)
	r.addPackages(rep)
	r.addManifests(rep, topicEntries)
	r.addEntries(rep)
	r.addManifests(rep, topicCommands)
	r.addCommands(rep)
	r.addHot(rep)
	rep.Found = len(rep.Summary) > 0
	if !rep.Found {
		rep.Summary = []report.Statement{{Text: fmt.Sprintf("Nothing says what this is, in %s and %s.",
			line.Count(r.e.codeFiles, "code file"), line.Count(len(r.manifests()), "manifest"))}}
	}
	rep.Summary = rep.Summary[:min(len(rep.Summary), mostStatements)]
	rep.NotCovered = append([]string{"this overview lists counts, manifests, entry points and commits; it judges nothing"},
		r.e.gaps()...)
	if n := len(r.e.codePaths); n < r.e.codeFiles {
		rep.NotCovered = append(rep.NotCovered,
			fmt.Sprintf("counts cover the first %d of %s", n, line.Count(r.e.codeFiles, "code file")))
	}
	if len(rep.Places) > 0 {
		rep.NextQuestion = "How does " + r.fileToAskAbout(rep) + " work?"
	}
	return rep
}

// fileToAskAbout returns the file of the next question: the code file that changes most, else the first place.
func (r *tour) fileToAskAbout(rep *draft) string {
	best := rep.Places[0].Path
	for _, p := range rep.Places {
		if isCode(p.Path) && (!isCode(best) || r.e.hot[p.Path] > r.e.hot[best]) {
			best = p.Path
		}
	}
	return best
}

// mostStatements is how many statements a report may have.
const mostStatements = 20

// add adds a statement that quotes a line, and its place if that has a reason to look there. lines are the lines to
// cite; default: those of the place.
func (rep *draft) add(topic, text string, at report.Place, lines ...int) {
	s := report.Statement{Topic: topic, Text: text, Quote: quotable(at.Quote)}
	if len(lines) == 0 {
		s.Citations = []string{cite(at.Path, at.Start, at.End)}
	}
	for _, n := range lines {
		s.Citations = append(s.Citations, cite(at.Path, n, n))
	}
	rep.Summary = append(rep.Summary, s)
	at.Quote = ""
	if at.Why != "" && !slices.ContainsFunc(rep.Places,
		func(p report.Place) bool { return p.Path == at.Path && p.Start == at.Start }) {
		rep.Places = append(rep.Places, at)
	}
}

var badge = regexp.MustCompile(`^\s*(?:$|[<>\[!=~*|#:.-]|https?:|.*<\w+[ />])`)

// addReadme quotes the first lines of prose of a README.
func (r *tour) addReadme(rep *draft, in *reading) {
	fenced := false
	for i, text := range in.lines {
		if strings.HasPrefix(strings.TrimSpace(text), "```") {
			fenced = !fenced
		}
		if fenced || badge.MatchString(text) || len(strings.Fields(text)) < 4 {
			continue
		}
		n := in.start + i
		end := n
		for end < in.end() && end < n+3 && !badge.MatchString(in.lines[end+1-in.start]) {
			end++
		}
		prose := strings.Join(in.lines[n-in.start:end+1-in.start], " ")
		rep.add(topicWhat,
			fmt.Sprintf("%s says: “%s”", in.path, line.Truncate(strings.TrimSpace(prose), 2*maxQuoteRunes)),
			report.Place{Path: in.path, Start: n, End: end, Why: "what it is", Quote: text})
		return
	}
}

// addManifests quotes the lines of the manifests that belong to a topic.
func (r *tour) addManifests(rep *draft, topic string) {
	for i := range r.e.readings {
		in := &r.e.readings[i]
		if !slices.Contains(r.manifests(), in.path) {
			continue
		}
		for _, f := range facts {
			name := path.Base(in.path)
			isMakefile := strings.EqualFold(strings.TrimPrefix(name, "GNU"), "makefile")
			if f.topic == topic && (f.file == name || f.file == "Makefile" && isMakefile) {
				rep.addFact(f, in)
			}
		}
	}
}

func (rep *draft) addFact(f fact, in *reading) {
	var quotes []string
	var lines []int
	for i, text := range in.lines {
		if len(lines) < f.most && f.re.MatchString(text) {
			quotes = append(quotes, "`"+line.Truncate(strings.TrimSpace(text), 100)+"`")
			lines = append(lines, in.start+i)
		}
	}
	if len(lines) > 0 {
		first := lines[0]
		rep.add(f.topic, fmt.Sprintf("%s, %s: %s", in.path, f.says, strings.Join(quotes, ", ")),
			report.Place{Path: in.path, Start: first, End: first, Why: f.says, Quote: in.lines[first-in.start]}, lines...)
	}
}

// addPackages adds the languages, and what the main directories say they are for.
func (r *tour) addPackages(rep *draft) {
	languages := r.languages()
	for _, p := range r.packages() {
		in := r.e.reading(p.head, 1)
		if in == nil {
			continue
		}
		n, quote, shown := r.headOf(in)
		if n == 0 {
			continue
		}
		text := fmt.Sprintf("`%s` (%s): %s", p.dir, line.Count(p.files, "file"), shown)
		if languages != "" {
			text, languages = "Code files: "+languages+". "+text, ""
		}
		why := "describes " + p.dir
		if hot := r.e.hot[p.head]; hot >= leastHot {
			why += fmt.Sprintf(", changed in %d of the last %d commits", hot, r.e.commits)
		}
		rep.add(topicParts, text, report.Place{Path: p.head, Start: n, End: n, Why: why, Quote: quote})
	}
}

// headOf quotes what a file says about itself at its start: the first line of prose in a comment that is not a licence,
// else its first definition or line of code.
func (r *tour) headOf(in *reading) (at int, quote, shown string) {
	for i := 0; i < len(in.lines); i++ {
		if !isComment(in.lines[i]) {
			continue
		}
		end := i
		open := strings.Count(in.lines[i], `"""`) == 1 ||
			strings.HasPrefix(strings.TrimSpace(in.lines[i]), "/*") && !strings.Contains(in.lines[i], "*/")
		for end+1 < len(in.lines) && (open || isComment(in.lines[end+1])) {
			end++
			if open && (strings.Contains(in.lines[end], `"""`) || strings.Contains(in.lines[end], "*/")) {
				break
			}
		}
		block := strings.Join(in.lines[i:end+1], "\n")
		for n := i; n <= end && !licence.MatchString(block); n++ {
			prose := strings.TrimSpace(commentMark.ReplaceAllString(in.lines[n], ""))
			prose = strings.TrimSpace(commentEnd.ReplaceAllString(prose, ""))
			if len(strings.Fields(prose)) >= 3 && prosePattern.MatchString(prose) {
				return in.start + n, strings.TrimSpace(in.lines[n]), "“" + line.Truncate(prose, maxQuoteRunes) + "”"
			}
		}
		i = end
	}
	notBlank := func(l string) bool { return strings.TrimSpace(l) != "" }
	for _, begins := range []func(string) bool{definition.MatchString, notBlank} {
		for i, l := range in.lines {
			if begins(l) && !isComment(l) {
				return in.start + i, strings.TrimSpace(l), "begins with `" + line.Truncate(strings.TrimSpace(l), 120) + "`"
			}
		}
	}
	return 0, "", ""
}

var (
	commentEnd   = regexp.MustCompile(`(?:"""|\'\'\'|\*/)\s*$`)
	licence      = regexp.MustCompile(`(?i)copyright|licen[cs]e|spdx|all rights reserved|eslint|@ts-|@flow|noqa|generated by`)
	prosePattern = regexp.MustCompile(`^["“'(]?[A-Z\pL][\pL\pN'’-]*,? .*[\pL]{2}`)
)

// languages counts code files by extension.
func (r *tour) languages() string {
	counts := make(map[string]int)
	for _, p := range r.e.codePaths {
		if !vendoredPath.MatchString(p) {
			counts[strings.ToLower(path.Ext(p))]++
		}
	}
	exts := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var parts []string
	for _, e := range exts[:min(len(exts), maxLanguages)] {
		parts = append(parts, fmt.Sprintf("%d %s", counts[e], e))
	}
	return strings.Join(parts, ", ")
}

// mainFile matches files that are usually the start of a program, not a library with a main for a self-test.
var mainFile = regexp.MustCompile(`(?i)(?:^|[/_-])(?:main|__main__|server|cli|cmd|app|application|daemon|manage)\.\w+$|(?:^|/)cmd/`)

// mainRank is 1 for a file named like the start of a program, else 0.
func mainRank(p string) int {
	if mainFile.MatchString(p) {
		return 1
	}
	return 0
}

// addEntries adds the entry points: first files named like one, then those that change often.
func (r *tour) addEntries(rep *draft) {
	var files []*file
	for _, f := range r.e.sorted {
		if isCode(f.path) && len(f.lines) > 0 && f.factor == 1 && !asideDirectory.MatchString(f.path) {
			files = append(files, f)
		}
	}
	slices.SortStableFunc(files, func(a, b *file) int {
		return cmp.Or(cmp.Compare(mainRank(b.path), mainRank(a.path)), cmp.Compare(r.e.hot[b.path], r.e.hot[a.path]),
			cmp.Compare(strings.Count(a.path, "/"), strings.Count(b.path, "/")))
	})
	for _, f := range files[:min(len(files), maxEntries)] {
		h := f.lines[0]
		rep.add(topicEntries,
			fmt.Sprintf("%s starts a program: `%s`", f.path, line.Truncate(strings.TrimSpace(h.Text), 120)),
			report.Place{Path: f.path, Start: h.Line, End: h.Line, Symbol: h.Symbol, Why: "entry point", Quote: h.Text})
	}
}

// addCommands quotes the build and test commands of documents: first those at the root, and of these, tests.
func (r *tour) addCommands(rep *draft) {
	type command struct {
		file *file
		hit  hit
	}
	var all []command
	var listed []string
	for _, f := range r.e.sorted {
		for _, h := range f.lines {
			text := strings.TrimSpace(h.Text)
			document := !isCode(f.path) && !testPath.MatchString(f.path) && !examplePath.MatchString(f.path)
			if document && !slices.Contains(listed, text) && commandForm.MatchString(h.Text) {
				listed = append(listed, text)
				all = append(all, command{f, h})
			}
		}
	}
	order := func(c command) int {
		if strings.Contains(c.file.path, "/") {
			return 2
		}
		if strings.Contains(c.hit.Text, "test") || strings.Contains(c.hit.Text, "tox") {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b command) int { return cmp.Compare(order(a), order(b)) })
	for _, c := range all[:min(len(all), maxCommands)] {
		text := line.Truncate(strings.Trim(strings.TrimSpace(c.hit.Text), "`"), 120)
		rep.add(topicCommands, fmt.Sprintf("%s: `%s`", c.file.path, text),
			report.Place{Path: c.file.path, Start: c.hit.Line, End: c.hit.Line, Quote: c.hit.Text})
	}
}

var examplePath = regexp.MustCompile(`(?i)(?:^|/)(?:examples?|samples?|demos?)/`)

// addHot adds the files that change often to the places.
func (r *tour) addHot(rep *draft) {
	files := slices.SortedFunc(maps.Keys(r.e.hot), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.e.hot[b], r.e.hot[a]), cmp.Compare(a, b))
	})
	files = slices.DeleteFunc(files, func(p string) bool {
		return r.e.hot[p] < leastHot || !isCode(p) || r.q.factor(p) < 1 || !slices.Contains(r.e.codePaths, p)
	})
	for _, p := range files[:min(len(files), maxHot)] {
		if !slices.ContainsFunc(rep.Places, func(o report.Place) bool { return o.Path == p }) {
			rep.Places = append(rep.Places,
				report.Place{Path: p, Start: 1, End: 1,
					Why: fmt.Sprintf("changed in %d of the last %d commits", r.e.hot[p], r.e.commits)})
		}
	}
}
