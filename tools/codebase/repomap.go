package codebase

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
)

type mapArgs struct {
	Budget *int     `json:"budget,omitempty" jsonschema:"minimum=1" doc:"token budget of the map; 100 to 8192, default 1024"`
	Focus  []string `json:"focus,omitempty" doc:"files, directories or names to focus on: what they use and what uses them comes first"`
}

// A RepoMap is the most important definitions of a tree, by files of descending rank.
//
//	{"budget":1024,"items":[{"path":"a.py","rank":0.12,"symbols":[{"name":"Foo","kind":"class","start":3,...}]}],...}
type RepoMap struct {
	Budget int       `json:"budget"` // tokens that the text may take
	Items  []mapFile `json:"items"`
	Page             // total: definitions in the tree
}

// A mapFile is the definitions of one file, by line.
type mapFile struct {
	Path    string   `json:"path"`
	Rank    float64  `json:"rank"` // share of the references that lead here; the sum over the tree is 1
	Symbols []Symbol `json:"symbols"`
}

// Bounds of repo_map.
const (
	maxMapFiles = 30_000 // with definitions
	maxFocus    = 20
	maxUses     = 2000 // different names counted in one file
)

func (t *toolbox) repoMap(ctx context.Context, in mapArgs) (*RepoMap, error) {
	out := &RepoMap{Items: []mapFile{}, Page: Page{JSON: t.json}}
	c := checker{page: &out.Page}
	budget := c.number("budget", in.Budget, 1024, 100, 8192)
	if n := len(in.Focus); n > maxFocus {
		c.fail("at most 20 files, directories or names", "%d in focus are too many", n)
	}
	if c.err != nil {
		return nil, c.err
	}
	out.Budget = budget
	root, err := t.Resolve(ctx, ".")
	if err != nil {
		return nil, err
	}
	g, err := t.graph(ctx, root, &out.Page)
	if err != nil {
		return nil, err
	}
	unknown := g.aim(in.Focus)
	if len(unknown) > 0 {
		out.Note("focus matches nothing here: %s", line.Single(strings.Join(unknown, ", ")))
	}
	g.rank()
	g.show(out)
	for _, f := range out.Items {
		for i, s := range f.Symbols {
			f.Symbols[i] = t.shownSymbol(f.Path, s.Symbol)
		}
	}
	return out, nil
}

// A rankedSymbol is a definition, by the indexes of its file and of the symbol there, with its rank.
type rankedSymbol struct {
	file, symbol int
	rank         float64
}

// fileShare is how much the rank of the file adds to the rank of each of its definitions.
const fileShare = 0.1

// order lists all definitions by descending rank: the rank of the name plus a share of the rank of the file.
func (g *graph) order() []rankedSymbol {
	var all []rankedSymbol
	for i, f := range g.files {
		for j, s := range f.symbols {
			if again := j+1 < len(f.symbols) && f.symbols[j+1].Name == s.Name; again {
				continue // of several definitions with one name, such as overloads, keep the last
			}
			r := rankedSymbol{i, j, f.rank / float64(len(f.symbols)+1) * fileShare}
			if g.focused && s.Depth == 1 {
				r.rank += f.start / float64(len(f.symbols)+1)
			}
			if d := g.names[nameKey{familyOf(f.path), lastPart(s.Name)}]; d != nil {
				r.rank += d.rank
			}
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b rankedSymbol) int { return cmp.Compare(b.rank, a.rank) })
	return all
}

// maxMisses is how many consecutive definitions may fail to fit before the map is full.
const maxMisses = 20

// show fills the map up to its budget.
func (g *graph) show(out *RepoMap) {
	all := g.order()
	chosen := map[int][]int{} // by file
	room, missed := out.Budget-toollimit.Tokens("999999 of 999999 definitions\n"), 0
	for _, r := range all {
		f := &g.files[r.file]
		s := Symbol{Path: f.path, Symbol: f.symbols[r.symbol]}
		price := toollimit.Tokens(mapLine(&s))
		if chosen[r.file] == nil {
			price += toollimit.Tokens(line.Path(f.path) + "\n")
		}
		if price > room {
			if missed++; missed == maxMisses {
				break
			}
			continue
		}
		room -= price
		chosen[r.file] = append(chosen[r.file], r.symbol)
		out.Returned++
	}
	for i, picked := range chosen {
		slices.Sort(picked)
		m := mapFile{Path: g.files[i].path, Rank: math.Round(g.files[i].rank*1e6) / 1e6}
		for _, j := range picked {
			m.Symbols = append(m.Symbols, Symbol{Path: m.Path, Symbol: g.files[i].symbols[j]})
		}
		out.Items = append(out.Items, m)
	}
	slices.SortFunc(out.Items, func(a, b mapFile) int {
		return cmp.Or(cmp.Compare(b.Rank, a.Rank), strings.Compare(a.Path, b.Path))
	})
	out.Total = len(all)
	if out.Returned < out.Total && !out.Truncated {
		out.Truncated, out.TruncatedBy = true, "budget"
	}
}

// Text writes the JSON form or the definitions, indented below their files.
func (m *RepoMap) Text() (toollimit.Kind, string) {
	return m.Render(m, toollimit.Listing, "definitions", func(b *strings.Builder) {
		for _, f := range m.Items {
			b.WriteString(line.Path(f.Path) + "\n")
			for i := range f.Symbols {
				b.WriteString(mapLine(&f.Symbols[i]))
			}
		}
	})
}

func mapLine(s *Symbol) string {
	signature := line.Truncate(cmp.Or(s.Signature, s.Kind+" "+s.Name), maxMapLine)
	return fmt.Sprintf("%sL%d-%d %s\n", strings.Repeat("  ", min(s.Depth, 4)), s.Start, s.End, signature)
}

// maxMapLine is how much of a signature a map shows, in runes.
const maxMapLine = 100
