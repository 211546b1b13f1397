package localize

import "context"

// depth is how many files and functions of a ranking are considered.
const depth = 100

// Subjects returns the methods that need no model: plain BM25 over whole files, with and without tests, and the
// ranking of the tool locate.
func Subjects() []Subject {
	return []Subject{
		{"bm25", func(_ context.Context, c *Checkout) (*Answer, error) { return plain(c, true), nil }},
		{"bm25 without tests", func(_ context.Context, c *Checkout) (*Answer, error) { return plain(c, false), nil }},
		{"locate", locateFiles},
	}
}

func plain(c *Checkout, tests bool) *Answer {
	return &Answer{Files: c.Index.Plain(c.Text, tests, depth)}
}

func locateFiles(_ context.Context, c *Checkout) (*Answer, error) {
	a := &Answer{Ranking: c.Index.Rank(c.Text, c.Mode, depth, c.Read)}
	for _, f := range a.Ranking.Files {
		a.Files = append(a.Files, f.Path)
	}
	for _, f := range a.Ranking.Functions {
		a.Functions = append(a.Functions, f.Path+":"+f.Symbol)
	}
	return a, nil
}
