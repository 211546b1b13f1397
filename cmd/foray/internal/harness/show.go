package harness

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent/trace"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
)

// showFlags are the flags of eval show.
type showFlags struct {
	subject, format string
	trial           int
	long            bool
}

func newShow() *cobra.Command {
	var f showFlags
	cmd := &cobra.Command{
		Use:   "show DIR [TASK]",
		Short: "Show the totals of a run, or one of its trials",
		Long: `Show the totals of a run of foray eval run. With a task, show a trial of it:
prompt, answer, verdicts with their reasons, calls, and the window at the end.
Without --subject and --trial this is the first trial that did not pass, else
the first.

Exit codes: 0 done, 1 the run has no such trial, 2 bad usage, 3 an error.`,
		Example: `  foray eval show foray-evals/smoke-20260102-150405
  foray eval show results/ fix-retry --subject rules --trial 2`,
		Args: cli.Arguments(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return f.totals(cmd, args[0])
			}
			return f.run(cmd, args[0], args[1])
		},
	}
	cmd.Flags().StringVar(&f.subject, "subject", "", "show a trial of the subject `NAME`")
	cli.NumberFlag(cmd, &f.trial, "trial", 0, 1, "show trial `N`")
	cmd.Flags().BoolVar(&f.long, "long", false, "do not shorten texts")
	cli.FormatFlag(cmd, &f.format, cli.MarkdownOrJSON)
	return cmd
}

func (f *showFlags) totals(cmd *cobra.Command, dir string) error {
	s, err := trial.Summarize(dir)
	if err != nil {
		return noRun(err)
	}
	return cli.PrintAs(cmd, f.format, s, summaryWriter(s))
}

// noRun words an error of reading a run.
func noRun(err error) error {
	if errors.Is(err, trial.ErrNoRun) {
		return cli.Usage("foray eval ls", "%w", err)
	}
	return &cli.Exit{Code: cli.ExitPartial, Err: err}
}

// A shown is what eval show prints of a trial.
type shown struct {
	*trial.Row
	Prompt string               `json:"prompt"`
	Window []transcript.Message `json:"window,omitempty"` // the last request, without its system prompt
	// Earlier are the messages before the prompt, for a trial without a window.
	Earlier []transcript.Message `json:"earlier,omitempty"`
}

func (f *showFlags) run(cmd *cobra.Command, dir, task string) error {
	info, err := trial.ReadInfo(dir)
	if err != nil {
		return noRun(err)
	}
	row, err := f.find(dir, task, info.Subjects)
	if err != nil {
		return err
	}
	s := &shown{Row: row}
	for t, err := range trial.Tasks(dir) {
		if err == nil && t.ID == task {
			s.Prompt, s.Earlier = t.Prompt, t.Messages
		}
	}
	if row.Trace != "" {
		if s.Window, err = lastRequest(dir, row.Trace); err != nil {
			cli.Notice(cmd, "the trace is incomplete: %v", err)
		}
	}
	if len(s.Window) > 0 {
		s.Earlier = nil // the window has them
	}
	return cli.PrintAs(cmd, f.format, s, func(w io.Writer) error { return f.write(w, s) })
}

// find returns the trial that the flags select: of several, the first that did not pass, or else the first, by number
// and by the order of the subjects.
func (f *showFlags) find(dir, task string, order []string) (best *trial.Row, err error) {
	var tasks, subjects []string
	first := func(a, b *trial.Row) int {
		return cmp.Or(compareBool(a.Passed, b.Passed), cmp.Compare(a.Trial, b.Trial),
			cmp.Compare(slices.Index(order, a.Subject), slices.Index(order, b.Subject)))
	}
	last := 0
	for r, err := range trial.Rows(dir) {
		if err != nil {
			continue
		}
		if !slices.Contains(tasks, r.Task) {
			tasks = append(tasks, r.Task)
		}
		if r.Task != task {
			continue
		}
		if !slices.Contains(subjects, r.Subject) {
			subjects = append(subjects, r.Subject)
		}
		last = max(last, r.Trial)
		if f.subject != "" && r.Subject != f.subject || f.trial > 0 && r.Trial != f.trial {
			continue
		}
		if best == nil || first(r, best) < 0 {
			best = r
		}
	}
	switch {
	case best != nil:
		return best, nil
	case len(tasks) == 0:
		return nil, cli.Usage("foray eval run", "%s has no results", dir)
	case len(subjects) == 0:
		return nil, &cli.Exit{Code: cli.ExitNothing, Err: fmt.Errorf("%s has no trial of a task %q", dir, task),
			Hint: showTrial(dir, cli.Suggest(task, tasks))}
	case f.trial > last:
		return nil, &cli.Exit{Code: cli.ExitNothing, Err: fmt.Errorf("%s has %s", task, numbers(last)),
			Hint: fmt.Sprint("--trial ", last)}
	}
	return nil, &cli.Exit{Code: cli.ExitNothing,
		Err:  fmt.Errorf("%s has no such trial of %s; it has the subjects %s", dir, task, strings.Join(subjects, ", ")),
		Hint: "the same without --subject and --trial"}
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// numbers says which trials a task has, up to the last.
func numbers(last int) string {
	if last == 1 {
		return "only trial 1"
	}
	return fmt.Sprint("trials 1 to ", last)
}

// lastRequest returns the messages of the last request of a trace.
func lastRequest(dir, name string) (last []transcript.Message, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	file, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	events, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	for r, err := range trace.Read(events) {
		if err != nil {
			return last, err
		}
		last = r.Request.Messages
	}
	return last, nil
}

// How much of texts a trial shows without --long, in runes.
const (
	longText  = 4_000
	shortText = 160
)

// quoted returns a text as a quotation in Markdown, so that its headings are not those of what is around it.
func quoted(text string) string {
	return "> " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n> ")
}

// write writes a trial as Markdown.
func (f *showFlags) write(w io.Writer, s *shown) error {
	cut := func(text string, max int) string {
		if f.long {
			return text
		}
		return line.Truncate(text, max)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s, %s, trial %d: %s\n\n", s.Task, s.Subject, s.Trial, verdict(s.Row))
	if s.Failure != nil {
		fmt.Fprintf(&b, "Failure (%s): %s\n\n", s.Failure.Class, cut(s.Failure.Text, longText))
	}
	known, anew := 0, ""
	if s.Priced {
		known = 1
	}
	if s.Usage.Cached > 0 {
		anew = " (" + line.Number(s.Usage.Input-s.Usage.Cached) + " anew)"
	}
	fmt.Fprintf(&b, "Score %s, %s, %s, %s read%s, %s written, cost %s", line.Decimals(s.Score, 3), line.Seconds(s.Seconds),
		line.Count(s.Steps, "step"), line.Count(s.Usage.Input, "token"), anew, line.Number(s.Usage.Output),
		line.Cost(s.Cost, known, 1))
	if s.Stop != "" {
		fmt.Fprintf(&b, ", ended: %s", s.Stop)
	}
	b.WriteString("\n")
	if len(s.Earlier) > 0 {
		writeMessages(&b, "Before the prompt", s.Earlier, cut)
	}
	fmt.Fprintf(&b, "\n## Prompt\n\n%s\n\n## Answer\n\n", quoted(cut(s.Prompt, longText)))
	if s.Answer == "" {
		b.WriteString("(none)")
	} else {
		b.WriteString(quoted(cut(s.Answer, longText)))
	}
	b.WriteString("\n\n## Checks\n\n")
	for _, v := range s.Checks {
		b.WriteString(checkLine(v))
	}
	if len(s.Checks) == 0 {
		b.WriteString("None ran.\n")
	}
	fmt.Fprintf(&b, "\n## Calls\n\n%s\n", line.Count(len(s.Calls), "call"))
	for i, c := range s.Calls {
		failed := ""
		if c.Failed {
			failed = " (failed)"
		}
		fmt.Fprintf(&b, "%3d. %s %s%s\n", i+1, c.Name, cut(line.Flat(string(c.Args)), shortText), failed)
	}
	if len(s.Window) > 0 {
		writeMessages(&b, "Window at the end", s.Window, cut)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeMessages writes a section with a line for each message.
func writeMessages(b *strings.Builder, title string, all []transcript.Message, cut func(string, int) string) {
	total := 0
	rows := [][]string{}
	for _, m := range all {
		tokens := toollimit.Tokens(m.Text)
		text := line.Flat(m.Text)
		for _, c := range m.Calls {
			tokens += toollimit.Tokens(c.Name) + toollimit.Tokens(string(c.Args))
			text = strings.TrimSpace(text + " " + c.Name + " " + line.Flat(string(c.Args)))
		}
		total += tokens
		rows = append(rows, []string{string(m.Role), line.Number(tokens), cut(text, shortText)})
	}
	fmt.Fprintf(b, "\n## %s\n\n%s, about %s\n", title, line.Count(len(rows), "message"),
		line.Count(total, "token"))
	_ = ui.Table(b, "  ", rows) // a Builder takes everything
}

func verdict(r *trial.Row) string {
	switch {
	case r.Passed:
		return "passed"
	case r.Failure != nil:
		return "failed"
	}
	return "wrong"
}

func checkLine(v check.Verdict) string {
	word := "FAIL"
	switch {
	case v.Err != "":
		return fmt.Sprintf("- error %s: %s\n", v.Check, v.Err)
	case v.Passed:
		word = "ok"
	}
	text := fmt.Sprintf("- %s %s (%.2f)", word, v.Check, v.Score)
	if v.Why != "" {
		text += ": " + v.Why
	}
	return text + "\n"
}
