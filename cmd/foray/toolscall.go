package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
)

// callFlags are the flags of tools call.
type callFlags struct {
	repo, rev, format string
	maxTokens         int
	allowSecrets      bool
}

func newToolsCall() *cobra.Command {
	f := &callFlags{}
	cmd := &cobra.Command{
		Use:   "call NAME [JSON]",
		Short: "Call one tool and print its result as a model sees it",
		Long: `call makes one call of a tool with JSON arguments, {} when there are none, - to read them from standard input, and
prints its result as a model sees it.

Exit codes: 0 done, 1 the tool refused or found nothing there, 2 bad usage, 3 cancelled.`,
		Example: `  foray tools call list_dir
  foray tools call search '{"pattern":"func (\\w+) Next","include":["*.go"]}'
  foray tools call read_file '{"path":"go.mod"}' --repo ../service --format json
  foray tools call git_log '{"path":"go.mod","limit":5}' --repo service.git --rev v1.2.0
  echo '{"path":"."}' | foray tools call outline - --max-tokens 500`,
		ValidArgsFunction: completeTools,
		RunE:              func(cmd *cobra.Command, args []string) error { return callTool(cmd, f, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.repo, "repo", ".", "let the tool work in `DIR`")
	flags.StringVar(&f.rev, "rev", "", "let it work on the commit `REV` instead of the files as they are")
	flags.StringVar(&f.format, "format", "text", "print the result as `FORM`: text or json")
	flags.IntVar(&f.maxTokens, "max-tokens", 0, "shorten the result to `N` tokens as a window would; default: whole")
	flags.BoolVar(&f.allowSecrets, "allow-secrets", false, "read files with a secret's name, and do not redact tokens")
	complete(cmd, "format", words(textOrJSON))
	if err := cmd.MarkFlagDirname("repo"); err != nil {
		panic(err) // a flag that is not defined above
	}
	return cmd
}

func callTool(cmd *cobra.Command, f *callFlags, args []string) error {
	if err := oneOf("format", f.format, textOrJSON); err != nil {
		return err
	}
	if f.maxTokens < 0 {
		return usage("--max-tokens 500", "--max-tokens %d is below 0", f.maxTokens)
	}
	if len(args) == 0 {
		return usage("foray tools list", "no tool is named")
	}
	if len(args) > 2 {
		return usage("foray tools call "+args[0]+" '{…}'", "there are %d arguments: put the JSON into quotes", len(args))
	}
	raw, err := callArguments(cmd.InOrStdin(), args[1:])
	if err != nil {
		return err
	}
	t, err := openTree(cmd.Context(), f.repo, f.rev)
	if err != nil {
		return err
	}
	defer t.Close()
	set, err := toolSet(t, codebase.Options{JSON: f.format == "json", AllowSecrets: f.allowSecrets})
	if err != nil {
		return err
	}
	text, err := callOne(cmd.Context(), set, args[0], raw, f.maxTokens)
	if err != nil {
		return err
	}
	_, err = io.WriteString(cmd.OutOrStdout(), strings.TrimSuffix(text, "\n")+"\n")
	return err
}

// maxArguments is the most JSON that standard input may hold, in bytes.
const maxArguments = 1 << 20

func callArguments(in io.Reader, args []string) (json.RawMessage, error) {
	text := cmp.Or(append(args, "{}")...)
	if text != "-" {
		return json.RawMessage(text), nil
	}
	raw, err := io.ReadAll(io.LimitReader(in, maxArguments+1))
	switch {
	case err != nil:
		return nil, usage("echo '{}' | foray tools call list_dir -", "standard input cannot be read")
	case len(raw) > maxArguments:
		return nil, usage("shorter arguments", "the arguments are longer than %s bytes", count(maxArguments))
	}
	return raw, nil
}

// callOne makes a call as the loop does: the tool is looked up, its arguments are checked, its result is rendered.
func callOne(ctx context.Context, set *tools.Set, name string, args json.RawMessage, maxTokens int) (string, error) {
	tool, ok := set.Lookup(name)
	if !ok {
		return "", usage("foray tools call "+set.Nearest(name), "there is no tool %q", name)
	}
	if err := set.Validate(name, args); err != nil {
		return "", usage("foray tools list", "%v", err)
	}
	value, err := tool.Call(ctx, args)
	if err != nil {
		return "", refused(err)
	}
	kind, text := tools.Render(value)
	if maxTokens > 0 {
		text, _ = toollimit.Truncate(kind, text, toollimit.Quota{MaxTokens: maxTokens})
	}
	return printable(text), nil
}

// refused is the end of a call that the tool refused: its words are the error, what it offers is the hint.
func refused(err error) error {
	problem := (*tools.Problem)(nil)
	switch {
	case errors.As(err, &problem) && strings.HasPrefix(problem.Code, "bad_"):
		return &exit{code: exitUsage, err: errors.New(problem.Message), hint: problem.Try}
	case errors.As(err, &problem):
		return &exit{code: exitNothing, err: errors.New(problem.Message), hint: problem.Try}
	case errors.Is(err, context.Canceled):
		return &exit{code: exitPartial, err: errors.New("cancelled")}
	}
	return &exit{code: exitNothing, err: err}
}

// completeTools offers the names of the tools for the first argument.
func completeTools(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	set, err := toolSet(anyTree(), codebase.Options{})
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, t := range set.All() {
		names = append(names, t.Name+"\t"+t.Description)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
