package tree

import (
	"context"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/forayhq/foray/tools"
)

// Steady returns a view of the tree for one task: what the view has seen of a file or a directory holds until the task
// ends, so that later calls neither walk nor look at the disk again. It shares the cache of the tree, and files that
// the cache evicts are read anew. The view of a view is itself.
func (t *Tree) Steady() *Tree {
	if t.view != nil {
		return t
	}
	s := &Tree{fsys: t.fsys, o: t.o, cache: t.cache, files: t.files}
	s.view = &view{since: t.cache.clock.Add(1), walks: map[Scope]*record{}, turn: make(chan struct{}, 1)}
	return s
}

// A view is what a steady tree remembers. The methods of a nil view do nothing: a plain tree remembers no walk.
type view struct {
	since uint64        // clock of the cache when the view was made
	turn  chan struct{} // holds a token while the first sweep runs

	mu    sync.Mutex
	walks map[Scope]*record // complete walks of the root
}

// A record is the nodes that a walk visits, in its order.
type record struct {
	nodes   []Node
	files   int // nodes that are no directories
	skipped Skipped
	closed  map[*folder]*folder // during the walk: the closed folder for an open one
}

// maxRecord is how many nodes a view remembers of a walk. It takes about 150 bytes for each.
const maxRecord = 200_000

func (v *view) walk(scope Scope) *record {
	if v == nil {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.walks[scope]
}

// keep remembers a walk, unless it has more than maxRecord nodes.
func (v *view) keep(scope Scope, r *record) {
	if v == nil || len(r.nodes) > maxRecord {
		return
	}
	r.nodes, r.closed = slices.Clone(r.nodes), nil // without the room to grow
	v.mu.Lock()
	defer v.mu.Unlock()
	v.walks[scope] = r
}

// waitForFirst waits until no other sweep runs that is the first, so that sweeps that begin at the same time do not
// each read all files. The caller calls done after its own sweep.
func (v *view) waitForFirst(ctx context.Context, base Place, scope Scope) (done func()) {
	if v == nil || base.Path != "." || v.walk(scope) != nil {
		return func() {}
	}
	select {
	case v.turn <- struct{}{}:
		return func() { <-v.turn }
	case <-ctx.Done():
		return func() {}
	}
}

// add records a node. It keeps no directory open.
func (r *record) add(n Node) {
	if len(r.nodes) > maxRecord {
		return
	}
	in := r.closed[n.in]
	if in == nil {
		in = &folder{t: n.in.t, path: n.in.path, disk: noDisk, closed: true}
		r.closed[n.in] = in
	}
	n.in = in
	r.nodes = append(r.nodes, n)
	if !n.IsDir() {
		r.files++
	}
}

// replay visits the nodes as the walk did.
func (r *record) replay(ctx context.Context, visit func(Node) error) (Skipped, error) {
	count := tools.CountProgress(ctx, "files", r.files)
	defer count.End()
	below := "" // a directory to skip, with a slash
	for _, n := range r.nodes {
		if err := Expired(ctx); err != nil {
			return r.skipped, err
		}
		if below != "" && strings.HasPrefix(n.Path, below) {
			continue
		}
		below = ""
		if !n.IsDir() {
			count.Add(1)
		}
		switch err := visit(n); {
		case err == fs.SkipDir && n.IsDir():
			below = n.Path + "/"
		case err == fs.SkipAll:
			return r.skipped, nil
		case err != nil && err != fs.SkipDir:
			return r.skipped, err
		}
	}
	return r.skipped, nil
}
