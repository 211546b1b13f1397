package rules

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/forayhq/foray/internal/rulemodel"
)

// A change is a commit that touched a file, as the report tells it.
type change struct {
	Commit  string `json:"commit"`
	Date    string `json:"date,omitempty"`
	Subject string `json:"subject"`
	Path    string `json:"path,omitempty"`
}

// Bounds of the history that is looked at.
const (
	historyFiles = 3 // of the first places
	commitsEach  = 3
	maxCommits   = 6
	dayLength    = len("2026-01-31")
)

var hashForm = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

// history takes up the commits of a log.
func (e *evidence) history(x *exchange) {
	if x.args.text("path") == "" {
		e.touched(x.result.objects("items"))
		return
	}
	for _, item := range x.result.objects("items") {
		c := change{Commit: item.text("hash"), Date: item.text("date"), Subject: oneLine(item.text("subject")), Path: x.args.text("path")}
		c.Date = c.Date[:min(len(c.Date), dayLength)]
		if hashForm.MatchString(c.Commit) && c.Subject != "" && !item.flag("merge") {
			e.changes = append(e.changes, c)
		}
	}
}

// touched counts the commits that touched each file.
func (e *evidence) touched(commits []object) {
	for _, c := range commits {
		if c.flag("merge") {
			continue
		}
		e.commits++
		for _, p := range c.texts("files") {
			e.hot[p]++
		}
	}
}

// log asks for the recent commits of the files of the first places.
func (r *run) log() []rulemodel.Call {
	var calls []rulemodel.Call
	var asked []string
	for _, b := range r.chosen(maxPlaces) {
		if len(calls) < historyFiles && b.factor == 1 && !slices.Contains(asked, b.path) {
			asked = append(asked, b.path)
			calls = append(calls, rulemodel.Ask("git_log", map[string]any{"path": b.path, "limit": commitsEach}, "who changed it last, and why"))
		}
	}
	return calls
}

// commits are those that touched the files of the report, newest first, each once.
func (r *run) commits(places []place) []change {
	var all []change
	for _, c := range r.e.changes {
		told := slices.ContainsFunc(all, func(o change) bool { return o.Commit == c.Commit })
		if !told && slices.ContainsFunc(places, func(p place) bool { return p.Path == c.Path }) {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b change) int { return cmp.Compare(b.Date, a.Date) })
	return all[:min(len(all), maxCommits)]
}
