package rules

import (
	"strings"
)

// reading returns what was read that holds line n of p, nil when nothing does.
func (e *evidence) reading(p string, n int) *reading {
	for i := range e.readings {
		r := &e.readings[i]
		if _, ok := r.line(n); ok && r.path == p {
			return r
		}
	}
	return nil
}

// line is line n of p as it was read, or found whole by a search.
func (e *evidence) line(p string, n int) (string, bool) {
	if r := e.reading(p, n); r != nil {
		return r.line(n)
	}
	if f := e.files[p]; f != nil {
		if h, ok := f.hits[n]; ok && !strings.Contains(h.Text, "…") {
			return h.Text, true
		}
	}
	return "", false
}
