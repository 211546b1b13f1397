package rules

import (
	"strings"
)

// reading returns the lines that were read around line n of p, or nil.
func (e *evidence) reading(p string, n int) *reading {
	for i := range e.readings {
		r := &e.readings[i]
		if _, ok := r.line(n); ok && r.path == p {
			return r
		}
	}
	return nil
}

// line returns line n of p, if it was read, or if a search returned all of it.
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
