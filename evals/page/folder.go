package page

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/internal/jsonlines"
	"github.com/forayhq/foray/internal/line"
)

// A folder is a folder of results. Of its rows it holds what the figures and the table need.
type folder struct {
	dir    string
	root   *os.Root // of the traces: a row cannot name a file elsewhere
	bounds bounds
	info   trial.Info
	tasks  map[string]*known
	rows   []*trial.Row
	index  map[key]int // of rows
	left   omissions
}

// A key names a trial.
type key struct {
	task, subject string
	trial         int
}

// A known task is what the page shows of it.
type known struct {
	prompt  string
	earlier int // messages before the prompt
	before  []before
	budget  task.Budget
	checks  []string
}

// A before is one of the messages before the prompt, shortened.
type before struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// Bounds of the messages before a prompt that the page shows of a trial without a trace.
const (
	maxBefore     = 20
	maxBeforeText = 200 // runes
)

// open reads the folder, without the traces.
func open(dir string, b bounds) (*folder, error) {
	info, err := trial.ReadInfo(dir)
	if err != nil {
		return nil, err
	}
	f := &folder{dir: dir, bounds: b, info: *info, tasks: make(map[string]*known), index: make(map[key]int)}
	if err := each(f, "task", trial.Tasks(dir), f.addTask); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	over := 0
	err = each(f, "result", trial.Rows(dir), func(r *trial.Row) {
		switch k := (key{r.Task, r.Subject, r.Trial}); {
		case len(f.rows) == b.rows:
			over++
		default:
			f.index[k] = len(f.rows)
			f.rows = append(f.rows, light(r))
		}
	})
	if err != nil {
		return nil, err
	}
	if over > 0 {
		f.left.add("%s after the first %s are in neither the figures nor the table.",
			line.Count(over, "trial"), line.Number(b.rows))
	}
	if len(f.rows) == 0 {
		return nil, fmt.Errorf("reading %s: %w", dir, trial.ErrNoRun)
	}
	f.root, err = os.OpenRoot(dir)
	return f, err
}

// each calls take with each value. Lines that are no such value are counted among what is left out; an error means that
// the file cannot be read.
func each[T any](f *folder, noun string, lines iter.Seq2[T, error], take func(T)) error {
	bad, first := 0, error(nil)
	for v, err := range lines {
		var file *fs.PathError
		switch {
		case errors.As(err, &file):
			return err
		case err != nil:
			if bad++; bad == 1 {
				first = err
			}
		default:
			take(v)
		}
	}
	if bad > 0 {
		f.left.add("%s could not be read, the first: %s", line.Count(bad, "line")+" of a "+noun, visible(first.Error()))
	}
	return nil
}

func (f *folder) addTask(t *task.Task) {
	k := &known{prompt: shown(t.Prompt, f.bounds.text), earlier: len(t.Messages), budget: t.Budget}
	for _, raw := range t.Checks {
		k.checks = append(k.checks, shown(string(raw), f.bounds.text))
	}
	for _, m := range t.Messages[:min(len(t.Messages), maxBefore)] {
		text := m.Text
		for _, c := range m.Calls {
			text += " " + c.Name + " " + string(c.Args)
		}
		text = visible(line.Truncate(line.Flat(text), maxBeforeText))
		k.before = append(k.before, before{visible(string(m.Role)), text})
	}
	f.tasks[t.ID] = k
}

// light drops what only the details of a row show.
func light(r *trial.Row) *trial.Row {
	r.Answer, r.Calls = "", nil
	for i := range r.Checks {
		r.Checks[i].Why = line.Truncate(r.Checks[i].Why, maxCause)
	}
	return r
}

// trace opens a trace of the folder.
func (f *folder) trace(name string) (io.ReadCloser, error) {
	file, err := f.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	return jsonlines.Unzip(file)
}
