package gitrepo

import (
	"fmt"
	"time"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
)

// Bounds of what a call returns.
const (
	defaultCommits = 20
	maxCommits     = 200
	maxOffset      = 1 << 20
	shownFiles     = 10        // of one commit of a log
	changedFiles   = 200       // of the commit that git_show shows
	maxDiff        = 256 << 10 // bytes of a diff
	maxBody        = 1000      // runes of the body of a commit in a log
)

func bad(field, message, try string) error {
	return &tools.Problem{Code: "bad_arguments", Message: field + " " + message, Try: try}
}

// count is a whole number of a call: an error below low, lowered to up with a note above it.
func count(field string, given *int, def, low, up int, page *codebase.Page) (int, error) {
	switch {
	case given == nil:
		return def, nil
	case *given < low:
		return 0, bad(field, fmt.Sprintf("is %d, which is out of range", *given), fmt.Sprintf("%s from %d to %d; default %d", field, low, up, def))
	case *given > up:
		page.Notes = append(page.Notes, fmt.Sprintf("%s=%d was lowered to its maximum %d", field, *given, up))
		return up, nil
	}
	return *given, nil
}

// layouts are the forms of a date, with what is to be added for the end of what it names.
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

// date reads a date in UTC; end is whether the end of the day, the month or the year is meant. Words such as "last week"
// are refused: what they mean changes.
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
	return time.Time{}, bad(field, "is no date", field+" as 2024, 2024-03, 2024-03-01 or 2024-03-01T15:04:05Z")
}
