package subject

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/internal/process"
	"github.com/forayhq/foray/internal/strict"
	"github.com/forayhq/foray/providers"
)

// Bounds of what a program writes, in bytes.
const (
	maxOutput = 64 << 20
	maxLine   = 16 << 20
	errorTail = 2_000 // of standard error, that a failure shows
)

// Bounds of what a program reports, so that sums of many trials hold.
const (
	maxCounted = 1_000_000_000_000 // steps or tokens
	maxDollars = 1_000_000_000
)

// A program is an agent of somebody else.
type program struct{ words []string }

func openExec(_ context.Context, args string, env Env) (do, error) {
	words, err := splitWords(args)
	if err != nil {
		return nil, err
	}
	for i, word := range words {
		path := filepath.Join(env.Dir, word)
		if filepath.IsAbs(word) {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			if i == 0 && !strings.ContainsRune(word, filepath.Separator) {
				continue // a shell would look it up, too
			}
			if words[i], err = filepath.Abs(path); err != nil {
				return nil, err
			}
		}
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil, err
	}
	return program{words}.do, nil
}

// splitWords splits a command as a shell does: at blanks outside of quotes.
func splitWords(command string) (words []string, err error) {
	var word strings.Builder
	within, quote, escaped := false, rune(0), false
	for _, r := range command {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			within, escaped = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			within, quote = true, r
		case r == ' ' || r == '\t' || r == '\n':
			if within {
				words = append(words, word.String())
				word.Reset()
				within = false
			}
		default:
			within = true
			word.WriteRune(r)
		}
	}
	if quote != 0 || escaped {
		return nil, fmt.Errorf("the command %q ends inside a quote", command)
	}
	if within {
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("it names no command")
	}
	return words, nil
}

// An order is what a program reads.
type order struct {
	ID       string               `json:"id"`
	Prompt   string               `json:"prompt"`
	System   string               `json:"system,omitempty"`
	Messages []transcript.Message `json:"messages,omitempty"`
	Dir      string               `json:"dir"`
	Budget   task.Budget          `json:"budget"`
	Trial    int                  `json:"trial"`
}

// A reply is a line that a program writes.
type reply struct {
	Answer *string              `json:"answer"`
	Stop   string               `json:"stop"`
	Steps  *int                 `json:"steps"`
	Calls  []check.Call         `json:"calls"`
	Usage  *providers.Usage     `json:"usage"`
	Cost   *float64             `json:"cost"`
	View   []transcript.Message `json:"view"`
	Class  trial.Class          `json:"class"`

	// Of an event: done has the text, and tool_ended the call. Error is a text of both kinds of lines.
	Event string      `json:"event"`
	Text  *string     `json:"text"`
	Call  *check.Call `json:"call"` // its arguments are a text that holds JSON
	Error string      `json:"error"`
}

func (p program) do(ctx context.Context, in trial.Input) (*check.Outcome, error) {
	dir := in.Dir
	if dir == "" {
		var err error
		if dir, err = in.TempDir(); err != nil {
			return nil, &trial.Failure{Class: trial.Harness, Text: err.Error()}
		}
		defer func() { _ = os.RemoveAll(dir) }() // of temporary files
	}
	t := in.Task
	line, err := json.Marshal(order{t.ID, t.Prompt, t.System, t.Messages, dir, t.Budget, in.Trial})
	if err != nil {
		return nil, &trial.Failure{Class: trial.Harness, Text: err.Error()}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	said := &replies{trace: in.Trace, flood: cancel}
	stderr := &process.Tail{Keep: errorTail}
	cmd := exec.CommandContext(ctx, p.words[0], p.words[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, bytes.NewReader(append(line, '\n')), said, stderr
	runtime.LockOSThread() // see Isolate
	defer runtime.UnlockOSThread()
	process.Mark(cmd)
	process.Isolate(cmd)
	if err := cmd.Start(); err != nil {
		return nil, &trial.Failure{Class: trial.Harness, Text: err.Error()}
	}
	err = cmd.Wait()
	process.End(cmd)
	said.end()
	return said.outcome(ctx, err, stderr.String())
}

// implausible says which reported figures cannot be; "" if all can.
func implausible(o *check.Outcome) string {
	switch u := o.Usage; {
	case min(o.Steps, u.Input, u.Cached, u.Output) < 0 || o.Cost < 0:
		return "it reports a negative number of steps, tokens or dollars"
	case int64(max(o.Steps, u.Input, u.Output)) > maxCounted || o.Cost > maxDollars:
		return fmt.Sprintf("it reports an impossible number: %d steps, %d and %d tokens, %g dollars", o.Steps, u.Input,
			u.Output, o.Cost)
	case u.Cached > u.Input:
		return fmt.Sprintf("it reports %d cached of %d input tokens: input must include them", u.Cached, u.Input)
	}
	return ""
}

// replies takes what a program writes, line by line.
type replies struct {
	trace io.Writer
	flood context.CancelCauseFunc

	o        check.Outcome
	answered bool
	failure  *trial.Failure
	rest     []byte // of a line whose end has not come
	size     int
	strange  string // the first line that was ignored, and why
	traceErr error
}

// errNoObject says why a line is ignored.
var errNoObject = errors.New("it begins with no brace")

// errFlood ends a program that writes too much.
var errFlood = errors.New("it wrote too much")

func (r *replies) Write(p []byte) (int, error) {
	n := len(p)
	for r.size += n; ; {
		line, rest, ended := bytes.Cut(p, []byte("\n"))
		if r.rest = append(r.rest, line...); len(r.rest) > maxLine || r.size > maxOutput {
			r.flood(errFlood)
			return 0, errFlood
		}
		if !ended {
			return n, nil
		}
		r.line(r.rest)
		r.rest, p = r.rest[:0], rest
	}
}

// end takes a last line without its end.
func (r *replies) end() {
	r.line(r.rest)
	r.rest = nil
}

func (r *replies) line(raw []byte) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return
	}
	var one reply
	err := errNoObject
	if raw[0] == '{' {
		if err = json.Unmarshal(raw, &one); err != nil {
			err = strict.Explain(raw, err, &one)
		}
	}
	if err != nil {
		if r.strange == "" {
			r.strange = fmt.Sprintf("%.80q (%v)", raw, err)
		}
		return
	}
	if one.Event != "" {
		r.event(&one, raw)
		return
	}
	r.o.Calls = append(r.o.Calls, one.Calls...)
	r.take(&one, one.Answer)
	if one.Error != "" {
		class := trial.Agent
		if slices.Contains([]trial.Class{trial.Tool, trial.Provider, trial.Harness}, one.Class) {
			class = one.Class
		}
		r.failure = &trial.Failure{Class: class, Text: one.Error}
	}
}

// take takes over what two kinds of lines have in common.
func (r *replies) take(one *reply, answer *string) {
	if answer != nil {
		r.o.Answer, r.answered = *answer, true
	}
	if one.Steps != nil {
		r.o.Steps = *one.Steps
	}
	if one.Usage != nil {
		r.o.Usage = *one.Usage
	}
	if one.Cost != nil {
		r.o.Cost, r.o.Priced = *one.Cost, true
	}
	if one.View != nil {
		r.o.View = one.View
	}
	r.o.Stop = cmp.Or(one.Stop, r.o.Stop)
}

// event passes an event on to the trace.
func (r *replies) event(one *reply, raw []byte) {
	if r.traceErr == nil {
		_, r.traceErr = r.trace.Write(append(bytes.Clone(raw), '\n'))
	}
	switch one.Event {
	case "tool_ended":
		if one.Call != nil {
			one.Call.Failed = one.Error != ""
			if text := ""; json.Unmarshal(one.Call.Args, &text) == nil && json.Valid([]byte(text)) {
				one.Call.Args = json.RawMessage(text)
			}
			r.o.Calls = append(r.o.Calls, *one.Call)
		}
	case "done":
		r.take(one, one.Text)
	}
}

// outcome makes the outcome of a program that ended with err.
func (r *replies) outcome(ctx context.Context, err error, stderr string) (*check.Outcome, error) {
	o := &r.o
	said := ""
	if stderr = strings.TrimSpace(stderr); stderr != "" {
		said = "; standard error ends with: " + stderr
	}
	wrong := implausible(o)
	if wrong != "" {
		o.Steps, o.Usage, o.Cost, o.Priced = 0, providers.Usage{}, 0, false // totals would be wrong
	}
	switch {
	case errors.Is(context.Cause(ctx), errFlood):
		return o, fmt.Errorf("it wrote more than %d MB, or a line of more than %d MB, and was killed",
			maxOutput>>20, maxLine>>20)
	case ctx.Err() != nil:
		return o, errors.New("it was killed" + said)
	case r.failure != nil:
		return o, r.failure
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // that is a child which kept the output open
		return o, fmt.Errorf("%w%s", err, said)
	case wrong != "":
		return o, errors.New(wrong + said)
	case !r.answered:
		text := "it wrote no line with an answer, such as {\"answer\":\"…\"}"
		if r.strange != "" {
			text += "; the first line that was ignored: " + r.strange
		}
		return o, errors.New(text + said)
	}
	o.Stop = cmp.Or(o.Stop, "answered")
	return o, nil
}
