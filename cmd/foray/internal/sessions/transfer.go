package sessions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/jsonlines"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/sessionfile"
)

// version is the version of exported files.
const version = 1

// A header is the first line of an exported file.
type header struct {
	Foray   string `json:"foray"` // "session"
	Version int    `json:"version"`
	ID      string `json:"id"`
	Records int    `json:"records"`
}

const kind = "session"

// Export writes a session as JSON lines: a header, then all records, those of other branches too, with their texts.
func (s *Session) Export(w io.Writer) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	err := out.Encode(header{kind, version, s.ID, len(s.Records)})
	for i := range s.Records {
		err = errors.Join(err, out.Encode(&s.Records[i]))
	}
	return err
}

// An Imported is a session that a file held.
type Imported struct {
	ID      string // of the file; may be empty
	Records []session.Record
}

// ErrInvalid says that a file cannot be imported.
var ErrInvalid = errors.New("the file cannot be imported")

const maxLine = 256 << 20 // bytes

// Import reads the sessions of a file: that of an export, or those of other agents, as package sessionfile knows them.
// Report says, a line each, what was repaired and left out. The error is [ErrInvalid] or that of the file system.
func Import(ctx context.Context, path string) (all []Imported, report []string, err error) {
	r := &reader{}
	err = jsonlines.Each(ctx, path, maxLine, r.line)
	if r.head.Foray == "" && (err != nil || r.err == nil) { // an export begins with its header
		return foreign(ctx, path)
	}
	if err == nil {
		err = r.end()
	}
	if err != nil {
		return nil, nil, err
	}
	return []Imported{{r.head.ID, r.records}}, r.report, nil
}

// A reader reads an exported file.
type reader struct {
	head    header
	records []session.Record
	lines   []int // of the records
	report  []string
	torn    error // of the last line
	err     error
}

// line takes a line, and reports whether to continue.
func (r *reader) line(n int, text []byte, err error) bool {
	switch {
	case r.head.Foray == "":
		if json.Unmarshal(text, &r.head) != nil || r.head.Foray != kind {
			r.head = header{}
			return false
		}
		if r.head.Version != version {
			r.err = fmt.Errorf("%w: it has version %d, and this foray reads version %d: update foray", ErrInvalid,
				r.head.Version, version)
		}
		return r.err == nil
	case r.torn != nil: // the line before was not the last one
		r.err, r.torn = r.torn, nil
		return false
	}
	var rec session.Record
	if err == nil {
		err = decode(text, &rec)
	}
	if err != nil {
		r.torn = fmt.Errorf("%w: line %d%w", ErrInvalid, n, err)
		return true
	}
	for _, e := range rec.Entries {
		r.mend(e.Unit, n)
	}
	r.records, r.lines = append(r.records, rec), append(r.lines, n)
	return true
}

// decode decodes a line. Its error begins with the column.
func decode(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	err := d.Decode(to)
	at := d.InputOffset()
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil && len(bytes.TrimSpace(text[at:])) > 0:
		return fmt.Errorf(", column %d: unexpected data after the record", at+1)
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &wrong):
		at = wrong.Offset
	case errors.Is(err, io.ErrUnexpectedEOF):
		at = int64(len(text))
	}
	return fmt.Errorf(", column %d: %w", max(at, 1), err)
}

// mend repairs the roles and the results of a unit.
func (r *reader) mend(u *contextwindow.Unit, n int) {
	if u == nil || len(u.Messages) == 0 {
		return
	}
	say := func(format string, args ...any) {
		r.report = append(r.report, fmt.Sprintf("line %d: ", n)+fmt.Sprintf(format, args...))
	}
	head := &u.Messages[0]
	if want := roleOf(head); head.Role != want {
		say("a message of the role %q became one of the role %q", head.Role, want)
		head.Role = want
	}
	results := make(map[string]transcript.Message)
	for _, m := range u.Messages[1:] {
		if m.Role != transcript.Tool {
			say("a result of the role %q became one of the role %q", m.Role, transcript.Tool)
			m.Role = transcript.Tool
		}
		results[m.CallID] = m
	}
	whole := []transcript.Message{*head}
	for _, c := range head.Calls {
		m, ok := results[c.ID]
		if delete(results, c.ID); !ok {
			say("the call %s of %s had no result", c.ID, c.Name)
			m = transcript.Message{Role: transcript.Tool, CallID: c.ID, Name: c.Name, Failed: true}
			m.Text = "The result is missing."
		}
		whole = append(whole, m)
	}
	for id := range results {
		say("the result %q without a call was left out", id)
	}
	u.Messages = whole
}

// roleOf returns the role that the head of a unit must have.
func roleOf(m *transcript.Message) transcript.Role {
	switch {
	case len(m.Calls) > 0:
		return transcript.Assistant
	case m.Role == transcript.User || m.Role == transcript.Assistant:
		return m.Role
	}
	return transcript.User
}

// end checks what was read as a whole. Of a file that was cut, it drops the last transaction.
func (r *reader) end() error {
	if r.err != nil {
		return r.err
	}
	if r.torn != nil || len(r.records) < r.head.Records {
		n := len(r.records)
		for n > 0 && !r.endsTransaction(n-1) {
			n--
		}
		r.records = r.records[:n]
		r.report = append(r.report, fmt.Sprintf("the file is cut: it has %d of %s; the last transaction is lost", n,
			line.Count(r.head.Records, "record")))
	}
	state, err := session.Fold(r.records)
	if err == nil {
		_, err = contextwindow.Load(state.Entries, contextwindow.Budget{}, nil)
	}
	if err != nil {
		return fmt.Errorf("%w: %w (record 0 is in line 2)", ErrInvalid, err)
	}
	return nil
}

// endsTransaction reports whether a record is the last one of its transaction.
func (r *reader) endsTransaction(i int) bool {
	rec := &r.records[i]
	return rec.Run == nil && (rec.Entries == nil || i > 0 && r.records[i-1].Run != nil)
}

// foreign reads the sessions of another agent.
func foreign(ctx context.Context, path string) (all []Imported, report []string, err error) {
	runs, found, err := sessionfile.Read(ctx, path, nil)
	if errors.Is(err, sessionfile.ErrUnrecognized) {
		return nil, nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, run := range runs {
		records, err := recordsOf(run)
		if err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		all = append(all, Imported{run.ID, records})
	}
	return all, strings.Split(found.String(), "\n"), nil
}
