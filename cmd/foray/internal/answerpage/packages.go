package answerpage

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/line"
)

// A treeMap is a picture of the folders of a tree: the area of a box is the size of the code in it.
type treeMap struct {
	Width, Height int
	Boxes         []box
}

// A box is a folder with its own files and those of smaller folders below it.
type box struct {
	area
	Color        int // of the first part of its path: 0 to 7
	Label, Title string
}

// Sizes of the picture.
const (
	mapWidth, mapHeight = 1000.0, 420.0
	mostBoxes           = 48
	leastShare          = .004 // of all code; a smaller folder counts with the one above it
	colors              = 8
)

// A folder is a directory with its code.
type folder struct {
	path  string
	size  int64
	files int
}

// drawPackages draws the folders of files, those of one top folder beside each other; nil with less than two.
func drawPackages(files []File) *treeMap {
	folders := foldersOf(files)
	if len(folders) < 2 {
		return nil
	}
	m := &treeMap{Width: int(mapWidth), Height: int(mapHeight)}
	tops, below, sizes := []string{}, map[string][]folder{}, map[string]int64{}
	for _, f := range folders {
		top, _, _ := strings.Cut(f.path, "/")
		if sizes[top] == 0 {
			tops = append(tops, top)
		}
		below[top], sizes[top] = append(below[top], f), sizes[top]+f.size
	}
	slices.SortStableFunc(tops, func(a, b string) int { return cmp.Compare(sizes[b], sizes[a]) })
	areas := squarify(tops, func(top string) int64 { return sizes[top] }, area{0, 0, mapWidth, mapHeight})
	for i, top := range tops {
		inside := squarify(below[top], func(f folder) int64 { return f.size }, areas[i])
		for n, f := range below[top] {
			m.Boxes = append(m.Boxes, boxOf(f, inside[n], i%colors))
		}
	}
	return m
}

// An area is a rectangle of the picture, in pixels.
type area struct{ X, Y, W, H float64 }

func boxOf(f folder, at area, color int) box {
	b := box{area: at, Color: color,
		Title: line.Visible(fmt.Sprintf("%s: %s in %s", f.path, line.Bytes(f.size), line.Count(f.files, "file")))}
	if letters := int((at.W - 10) / letterWidth); at.H > 20 && letters >= 4 {
		b.Label = shortPath(line.Visible(f.path), letters)
	}
	return b
}

// shortPath is a path in so many letters: as many of its last parts as fit.
func shortPath(p string, letters int) string {
	for utf8.RuneCountInString(p) > letters {
		_, rest, more := strings.Cut(p, "/")
		if !more {
			return string([]rune(p)[:letters-1]) + "…"
		}
		p = rest
	}
	return p
}

// foldersOf sums files by folder, largest first. Small folders count with the one above them.
func foldersOf(files []File) []folder {
	own := make(map[string]*folder)
	all := int64(0)
	for _, f := range files {
		dir := path.Dir(f.Path)
		if own[dir] == nil {
			own[dir] = &folder{path: dir}
		}
		own[dir].size += f.Size
		own[dir].files++
		all += f.Size
	}
	least := int64(leastShare * float64(all))
	list := func() []*folder {
		out := make([]*folder, 0, len(own))
		for _, f := range own {
			out = append(out, f)
		}
		slices.SortFunc(out, func(a, b *folder) int {
			deep := cmp.Compare(strings.Count(b.path, "/"), strings.Count(a.path, "/"))
			return cmp.Or(deep, cmp.Compare(a.size, b.size), strings.Compare(a.path, b.path))
		})
		return out
	}
	join := func(f *folder) {
		up := path.Dir(f.path)
		if own[up] == nil {
			own[up] = &folder{path: up}
		}
		own[up].size += f.size
		own[up].files += f.files
		delete(own, f.path)
	}
	for again := true; again; { // what joins the folder above it may make that one large enough
		again = false
		for _, f := range list() {
			if f.path != "." && own[f.path] == f && f.size < least {
				join(f)
				again = true
			}
		}
	}
	for len(own) > mostBoxes {
		smallest := slices.MinFunc(list(), func(a, b *folder) int {
			if a.path == "." || b.path == "." {
				return cmp.Compare(len(b.path), len(a.path))
			}
			return cmp.Compare(a.size, b.size)
		})
		join(smallest)
	}
	out := make([]folder, 0, len(own))
	for _, f := range list() {
		if f.size > 0 {
			out = append(out, *f)
		}
	}
	slices.SortStableFunc(out, func(a, b folder) int {
		return cmp.Or(cmp.Compare(b.size, a.size), strings.Compare(a.path, b.path))
	})
	return out
}

// squarify divides an area among items by size, largest first, so that each part is as square as it can be (Bruls,
// Huizing and van Wijk, Squarified Treemaps, 2000).
func squarify[T any](items []T, size func(T) int64, a area) (parts []area) {
	rest := 0.0
	for _, f := range items {
		rest += float64(size(f))
	}
	for len(items) > 0 {
		scale, side := a.W*a.H/rest, min(a.W, a.H)
		worst := func(count int, total float64) float64 {
			thick := total * scale / side
			long, short := float64(size(items[0]))*scale/thick, float64(size(items[count-1]))*scale/thick
			return max(long/thick, thick/short)
		}
		n, sum := 1, float64(size(items[0]))
		for n < len(items) && worst(n+1, sum+float64(size(items[n]))) <= worst(n, sum) {
			sum += float64(size(items[n]))
			n++
		}
		thick, at := sum*scale/side, 0.0
		for _, f := range items[:n] {
			length := float64(size(f)) * scale / thick
			if a.W >= a.H {
				parts = append(parts, area{a.X, a.Y + at, thick, length})
			} else {
				parts = append(parts, area{a.X + at, a.Y, length, thick})
			}
			at += length
		}
		if a.W >= a.H {
			a.X, a.W = a.X+thick, a.W-thick
		} else {
			a.Y, a.H = a.Y+thick, a.H-thick
		}
		items, rest = items[n:], rest-sum
	}
	return parts
}

// A strip is a file, and which parts of it were read.
type strip struct {
	Path, Lines string
	Parts       []part
}

// A part is lines of a strip, in thousandths of the file.
type part struct{ From, Width float64 }

// mostStrips is how many files a page lists.
const mostStrips = 200

// strips joins readings by file, in the order of the first.
func strips(read []Reading) (all []strip) {
	at := make(map[string]int)
	covered := []map[int]bool{}
	for _, r := range read {
		i, known := at[r.Path]
		if !known {
			if len(all) == mostStrips {
				continue
			}
			i = len(all)
			at[r.Path] = i
			all, covered = append(all, strip{Path: line.Visible(r.Path)}), append(covered, map[int]bool{})
		}
		total := float64(max(r.Total, r.End, 1))
		all[i].Parts = append(all[i].Parts,
			part{1000 * float64(r.Start-1) / total, max(1000*float64(r.End-r.Start+1)/total, 2)})
		for n := r.Start; n <= r.End; n++ {
			covered[i][n] = true
		}
		all[i].Lines = fmt.Sprintf("%s of %s", line.Number(len(covered[i])), line.Count(max(r.Total, r.End), "line"))
	}
	return all
}
