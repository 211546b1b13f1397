package sessionfile

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/internal/jsonlines"
	"github.com/forayhq/foray/internal/sqliteread"
)

// ErrUnrecognized says that a file has no session in a format that this package reads.
var ErrUnrecognized = errors.New("no session of a known agent")

// A Format is a form of sessions.
type Format struct {
	Name  string
	About string // where such a file is found, in words
}

// The names of the formats.
const (
	chat     = "chat"
	claude   = "claude-code"
	codex    = "codex"
	pi       = "pi"
	opencode = "opencode"
	atif     = "atif"
	own      = "foray"
)

// Formats returns the formats, each with where its files are found.
func Formats() []Format {
	return []Format{
		{chat, `OpenAI chat messages: one a line, a JSON array, or {"messages": […]} documents`},
		{claude, "sessions of Claude Code: ~/.claude/projects/*/*.jsonl"},
		{codex, "sessions of Codex: ~/.codex/sessions/**/*.jsonl"},
		{pi, "sessions of pi: ~/.pi/agent/sessions/*/*.jsonl"},
		{opencode, "opencode's ~/.local/share/opencode, its opencode.db, or what opencode export prints"},
		{atif, "trajectories in ATIF, as Harbor and foray eval export write them"},
		{own, "traces of foray: foray explore --trace FILE"},
	}
}

// Options are what a reader may need to know. Nil means the defaults.
type Options struct {
	Format  string // the name of a format; "" recognizes it by the content
	MaxLine int    // of a file, in bytes; 0 means 64 MiB
	// Strict refuses a run in one value that has a message of an unknown role or form, instead of mending it.
	Strict bool
}

const (
	maxLine = 64 << 20 // the default, in bytes
	maxKept = 1 << 30  // of lines or rows, in bytes, that may become one run
)

// errTooLarge says that a run does not fit into memory.
var errTooLarge = errors.New("a session has more than 1 GiB: split the file")

// Read returns all runs of a file, in the order of their ends. See [Each].
func Read(ctx context.Context, path string, o *Options) (runs []*Run, report *Report, err error) {
	report, err = Each(ctx, path, o, func(r *Run) bool {
		runs = append(runs, r)
		return true
	})
	return runs, report, err
}

// Each calls yield with the runs of a file, or of a folder of opencode; yield returns false to end. The name of a
// compressed file ends in .gz. Of a file with one run a line, and of opencode's sessions, Each holds one at a time, of
// others all. What cannot be read is skipped and reported; a file without any run is [ErrUnrecognized]. Other errors
// are those of the file system, of the context, of a damaged database, of a session that does not fit into memory, and
// of an unknown format; the runs read so far were yielded. The report is never nil.
func Each(ctx context.Context, path string, o *Options, yield func(*Run) bool) (*Report, error) {
	r, err := NewReader(path, o, yield)
	if err != nil {
		return &Report{}, err
	}
	err = r.read(ctx, path)
	report := r.End()
	switch {
	case err == nil && report.Runs == 0 && !r.stopped:
		return report, r.unrecognized(path)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return report, err
	case err != nil:
		return report, fmt.Errorf("reading %s: %w", filepath.Base(path), err)
	}
	return report, nil
}

// read reads the database, the folder or the lines at path.
func (r *Reader) read(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return r.folder(ctx, path)
	}
	if is, err := sqliteread.Is(path); err != nil {
		return err
	} else if is {
		return r.database(ctx, path)
	}
	var tooLarge error
	err = jsonlines.Each(ctx, path, r.options.MaxLine, func(n int, line []byte, err error) bool {
		if r.n = n - 1; err == nil {
			err = r.Line(line)
		}
		if r.n = n; errors.Is(err, errTooLarge) {
			tooLarge = fmt.Errorf("line %d: %w", n, err)
		} else if err != nil {
			r.report.skip(place{line: n}, err)
		}
		return !r.stopped && tooLarge == nil
	})
	return cmp.Or(err, tooLarge)
}

// unrecognized explains which formats a file could have.
func (r *Reader) unrecognized(path string) error {
	var b strings.Builder
	if len(r.report.Skipped) > 0 {
		fmt.Fprintf(&b, " (%s: %s)", r.report.Skipped[0].Place, r.report.Skipped[0].Reason)
	}
	for _, f := range r.report.Findings {
		if f.What == string(unanswered) {
			fmt.Fprintf(&b, " (%s: %d)", f.What, f.Count)
		}
	}
	b.WriteString("; foray reads:")
	for _, f := range Formats() {
		fmt.Fprintf(&b, "\n  %-12s %s", f.Name, f.About)
	}
	return fmt.Errorf("%s: %w%s", filepath.Base(path), ErrUnrecognized, b.String())
}

// A Reader reads the lines of one file. Lines may be whole runs or parts of one.
type Reader struct {
	options Options
	name    string // of the file, without its folder and extensions
	n       int    // number of the line
	report  *Report
	formats map[string]bool // that lines had
	yield   func(*Run) bool
	stopped bool
	kept    int // bytes that were read since the last run
	most    int // that may be kept

	chat    draft
	session claudeSession
	rollout codexSession
	tree    piSession
	traced  []*tracedRun
	started time.Time // of the trace
}

// NewReader returns a reader of the file at path, which it does not open. It calls yield with each run as soon as that
// is whole.
func NewReader(path string, o *Options, yield func(*Run) bool) (*Reader, error) {
	r := &Reader{report: &Report{}, yield: yield, formats: make(map[string]bool), most: maxKept}
	if o != nil {
		r.options = *o
	}
	r.options.MaxLine = cmp.Or(r.options.MaxLine, maxLine)
	r.name, _, _ = strings.Cut(filepath.Base(path), ".")
	r.chat.Run = Run{ID: r.name, Source: r.name}
	var names []string
	for _, f := range Formats() {
		names = append(names, f.Name)
	}
	if f := r.options.Format; f != "" && !slices.Contains(names, f) {
		return nil, fmt.Errorf("unknown format %q: it must be one of %s", f, strings.Join(names, ", "))
	}
	return r, nil
}

// plain says of a JSON value of the wrong type where it is and what it is, in the words of JSON.
func plain(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	return fmt.Errorf("%s must not be of the type %s", cmp.Or(wrong.Field, "the line"), wrong.Value)
}

// Line reads the next line of the file, or all of a file that is one JSON value. A line that no model saw, such as an
// event, adds nothing. An error is about this line only.
func (r *Reader) Line(text []byte) error {
	r.n++
	if err := r.keep(len(text)); err != nil {
		return err
	}
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	if bytes.HasPrefix(text, []byte("[")) {
		r.formats[chat] = true
		return plain(r.array(text))
	}
	var p probe
	if err := json.Unmarshal(text, &p); err != nil {
		return plain(err)
	}
	return plain(r.object(text, &p))
}

// A probe has the fields by which the kinds of lines differ.
type probe struct {
	Messages  json.RawMessage `json:"messages"`
	Info      json.RawMessage `json:"info"`
	Schema    string          `json:"schema_version"`
	Event     string          `json:"event"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
	Message   json.RawMessage `json:"message"`
	UUID      string          `json:"uuid"`
	Role      string          `json:"role"`
	Timestamp json.RawMessage `json:"timestamp"`
	State     string          `json:"record_type"`
}

// format returns the format of a JSON object, or "" for one that belongs to a session but has nothing to read.
func (p *probe) format() (string, error) {
	item := slices.Contains(codexItems, p.Type) && p.UUID == "" && len(p.Message) == 0
	switch {
	case p.Event != "":
		return own, nil
	case len(p.Messages) > 0 && len(p.Info) > 0:
		return opencode, nil
	case strings.HasPrefix(p.Schema, "ATIF-"):
		return atif, nil
	case len(p.Messages) > 0:
		return chat, nil
	case p.Type != "" && len(p.Payload) > 0, item:
		return codex, nil
	case p.UUID == "" && (slices.Contains(piTypes, p.Type) || p.Type == "message" && len(p.Message) > 0):
		return pi, nil
	case p.UUID != "", p.Type != "" && len(p.Message) > 0, p.Type == "summary",
		p.Type == "attachment", strings.HasSuffix(p.Type, "-title"):
		return claude, nil
	case p.Role != "":
		return chat, nil
	case p.Type != "", p.State != "", len(p.Timestamp) > 0:
		return "", nil
	}
	return "", errors.New("no messages")
}

// object reads a JSON object in its format, or the one that the options force.
func (r *Reader) object(raw []byte, p *probe) error {
	format, err := r.options.Format, error(nil)
	if format == "" {
		format, err = p.format()
	}
	if format != "" {
		r.formats[format] = true
	}
	switch format {
	case chat:
		if len(p.Messages) > 0 {
			return r.run(raw)
		}
		return r.say(&r.chat, raw, place{line: r.n})
	case claude:
		return r.claude(raw)
	case codex:
		return r.codex(raw, p)
	case pi:
		return r.pi(raw)
	case opencode:
		return r.opencode(raw)
	case atif:
		return r.atif(raw)
	case own:
		return r.trace(raw)
	}
	return err
}

// End adds the runs that the lines of the file make together, and returns what the reader did.
func (r *Reader) End() *Report {
	if len(r.chat.said) > 0 {
		r.add(&r.chat)
	}
	r.sessions(claude, r.session.runs(r.report)...)
	r.sessions(codex, r.rollout.runs()...)
	r.sessions(pi, r.tree.runs(r.report)...)
	for _, t := range r.traced {
		t.Created = r.started
		r.sessions(own, t.draft)
	}
	r.report.Format = strings.Join(slices.Sorted(maps.Keys(r.formats)), ", ")
	return r.report
}

// sessions adds runs of an agent. Those without an answer have nothing to continue.
func (r *Reader) sessions(source string, drafts ...draft) {
	for i := range drafts {
		d := &drafts[i]
		if d.answered() {
			d.ID, d.Source = cmp.Or(d.ID, r.name), source
			r.add(d)
		} else if len(d.said) > 0 {
			r.report.add(unanswered, d.said[len(d.said)-1].at)
		}
	}
}

// keep counts bytes of the current run.
func (r *Reader) keep(n int) error {
	if r.kept += n; r.kept > r.most {
		return errTooLarge
	}
	return nil
}

// add adds a run, unless nobody wants more.
func (r *Reader) add(d *draft) {
	if r.kept = 0; !r.stopped {
		r.stopped = !r.yield(d.finish(r.report))
	}
}
