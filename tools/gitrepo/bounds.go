package gitrepo

import (
	"time"

	"github.com/forayhq/foray/tools"
)

// Bounds on the result of a call.
const (
	defaultCommits = 20
	maxCommits     = 200
	maxOffset      = 1 << 20
	shownFiles     = 10        // of a commit in a log
	changedFiles   = 200       // of a commit in git_show
	maxDiff        = 256 << 10 // bytes of a diff
	maxBody        = 1000      // runes of the body of a commit in a log
)

func bad(field, message, try string) error {
	return tools.Problemf("bad_arguments", try, "%s %s", field, message)
}

// layouts are the forms of a date, each with the span that it names.
var layouts = []struct {
	form                string
	years, months, days int
}{
	{time.RFC3339, 0, 0, 0},
	{"2006-01-02 15:04:05", 0, 0, 0},
	{"2006-01-02T15:04:05", 0, 0, 0},
	{"2006-01-02", 0, 0, 1},
	{"2006-01", 0, 1, 0},
	{"2006", 1, 0, 0},
}

// date parses a date in UTC. With end it returns the end of the given day, month or year. It rejects phrases such as
// "last week", whose meaning depends on the day of the call.
func date(field, given string, end bool) (time.Time, error) {
	if given == "" {
		return time.Time{}, nil
	}
	for _, l := range layouts {
		at, err := time.Parse(l.form, given)
		switch {
		case err != nil:
			continue
		case end && l.years+l.months+l.days > 0:
			return at.AddDate(l.years, l.months, l.days).Add(-time.Second), nil
		}
		return at, nil
	}
	return time.Time{}, bad(field, "is not a date", field+" as 2024, 2024-03, 2024-03-01 or 2024-03-01T15:04:05Z")
}
