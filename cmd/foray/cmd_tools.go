package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	guide "github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/gitrepo"
	"github.com/forayhq/foray/tools/recall"
)

func newTools() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "List the tools of the model, or call one",
		Example: `  foray tools list
  foray tools call search '{"pattern":"func main"}'`,
		Args: cobra.ArbitraryArgs,
		RunE: cli.Group,
	}
	cmd.AddCommand(newToolsList(), newToolsCall())
	return cmd
}

// toolSet returns the tools that a model gets in explore. Outside a repository it includes the history tools too.
func toolSet(t *guide.Tree, json bool) (*tools.Set, error) {
	all := t.Tools(json)
	if t.Repo == nil {
		all = append(all, gitrepo.Tools(nil, "", &gitrepo.Options{JSON: json})...)
	}
	return tools.NewSet(append(all, recall.ReadWorkingMemory(working.New(nil)))...)
}

// anyTree returns a tree for listing the tools.
func anyTree() *guide.Tree { return &guide.Tree{Files: os.DirFS(".")} }

func newToolsList() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List each tool with its parameters",
		Long:  "List each tool with its description and parameters. A * marks a required one.",
		Example: `  foray tools list
  foray tools list --format json`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			set, err := toolSet(anyTree(), false)
			if err != nil {
				return err
			}
			return listTools(cmd, set.All(), format)
		},
	}
	cli.FormatFlag(cmd, &format, cli.TextOrJSON)
	return cmd
}

// A listedTool is a tool in the JSON form.
type listedTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

func listTools(cmd *cobra.Command, all []tools.Tool, format string) error {
	listed := make([]listedTool, len(all))
	for i, t := range all {
		listed[i] = listedTool{t.Name, t.Description, t.Schema}
	}
	return cli.PrintAs(cmd, format, listed, func(w io.Writer) error {
		for i, t := range all {
			if i > 0 {
				fmt.Fprintln(w)
			}
			if err := listTool(w, t); err != nil {
				return err
			}
		}
		return nil
	})
}

func listTool(w io.Writer, t tools.Tool) error {
	fmt.Fprintf(w, "%s\n  %s\n", t.Name, t.Description)
	parameters, err := parametersOf(t.Schema)
	if err != nil {
		return fmt.Errorf("tool %s: %w", t.Name, err)
	}
	var rows [][]string
	for _, p := range parameters {
		rows = append(rows, []string{p.name, p.kind(), p.Description})
	}
	return ui.Table(w, "    ", rows)
}

// A parameter is one property of a tool's schema.
type parameter struct {
	name        string
	Type        string
	Description string
	Enum        []string
	Items       *parameter
}

// parametersOf returns the properties of an object's schema in their order. It appends a * to required names.
func parametersOf(schema json.RawMessage) ([]parameter, error) {
	var object struct {
		Properties json.RawMessage
		Required   []string
	}
	if err := json.Unmarshal(schema, &object); err != nil || len(object.Properties) == 0 {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(object.Properties))
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	var all []parameter
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		p := parameter{name: fmt.Sprint(name)}
		if err := decoder.Decode(&p); err != nil {
			return nil, err
		}
		if slices.Contains(object.Required, p.name) {
			p.name += "*"
		}
		all = append(all, p)
	}
	return all, nil
}

// kind writes the type of a parameter: string, a|b, [string].
func (p parameter) kind() string {
	switch {
	case len(p.Enum) > 0:
		return strings.Join(p.Enum, "|")
	case p.Items != nil:
		return "[" + p.Items.kind() + "]"
	}
	return p.Type
}

// callFlags are the flags of tools call.
type callFlags struct {
	repoFlags
	format    string
	maxTokens int
}

func newToolsCall() *cobra.Command {
	f := &callFlags{}
	cmd := &cobra.Command{
		Use:   "call NAME [JSON]",
		Short: "Call a tool and print its result as a model sees it",
		Long: `Call a tool with JSON arguments and print its result as a model sees it. The
arguments default to {}; with -, read them from standard input.

Exit codes: 0 done, 1 what the call names does not exist, 2 bad usage, 3 the
result is partial, or an error or a signal came first.`,
		Example: `  foray tools call list_dir
  foray tools call search '{"pattern":"func (\\w+) Next","include":["*.go"]}'
  foray tools call read_file '{"path":"go.mod"}' --repo ../service
  foray tools call git_log '{"path":"go.mod","limit":5}' --rev v1.2.0
  echo '{"path":"."}' | foray tools call outline - --max-tokens 500`,
		ValidArgsFunction: completeTools,
		RunE:              func(cmd *cobra.Command, args []string) error { return callTool(cmd, f, args) },
	}
	f.repoFlags.define(cmd, true)
	cli.FormatFlag(cmd, &f.format, cli.TextOrJSON)
	cli.NumberFlag(cmd, &f.maxTokens, "max-tokens", 0, 0,
		"truncate the result to `N` tokens, as a window does (default: whole)")
	return cmd
}

func callTool(cmd *cobra.Command, f *callFlags, args []string) error {
	if len(args) == 0 {
		return cli.Usage("foray tools list", "tools call needs the name of a tool")
	}
	if len(args) > 2 {
		return cli.Usage("foray tools call "+args[0]+" '{…}'",
			"tools call takes a name and JSON, not %d arguments: quote the JSON", len(args))
	}
	raw, err := callArguments(cmd.InOrStdin(), args[1:])
	if err != nil {
		return err
	}
	t, err := openTree(cmd.Context(), &f.repoFlags)
	if err != nil {
		return err
	}
	defer t.Close()
	set, err := toolSet(t, f.format == "json")
	if err != nil {
		return err
	}
	text, lack, err := callOne(cmd.Context(), set, args[0], raw, f.maxTokens)
	if err != nil {
		return err
	}
	printed := []byte(strings.TrimSuffix(text, "\n") + "\n")
	if f.format == "json" {
		printed = line.EscapeJSON(printed)
	} else {
		printed = []byte(line.Printable(string(printed)))
	}
	if _, err = cmd.OutOrStdout().Write(printed); err == nil && lack != nil {
		err = &cli.Exit{Code: cli.ExitPartial, Err: errors.New("the result is partial: " + lack.Message), Hint: lack.Try}
	}
	return err
}

// maxInput is how much of standard input is read, in bytes: more than the tools take, so that they refuse the rest.
const maxInput = 2 << 20

func callArguments(in io.Reader, args []string) (json.RawMessage, error) {
	text := cmp.Or(append(args, "{}")...)
	if text != "-" {
		return json.RawMessage(text), nil
	}
	raw, err := io.ReadAll(io.LimitReader(in, maxInput))
	if err != nil {
		return nil, cli.Usage("echo '{}' | foray tools call list_dir -", "standard input is not readable")
	}
	return raw, nil
}

// callOne calls a tool as the loop does: look it up, check its arguments, render its result. lack says why the result
// is partial; it is nil for a whole one.
func callOne(
	ctx context.Context, set *tools.Set, name string, args json.RawMessage, maxTokens int,
) (text string, lack *tools.Problem, err error) {
	tool, ok := set.Lookup(name)
	if !ok {
		return "", nil, cli.Usage("foray tools call "+set.Nearest(name), "unknown tool %.80q", name)
	}
	if err := set.Validate(name, args); err != nil {
		return "", nil, cli.Usage("foray tools list", "%v", err)
	}
	value, err := tool.Call(ctx, args)
	if err != nil {
		return "", nil, cli.Refused(err)
	}
	kind, text := tools.Render(value)
	if maxTokens > 0 {
		text, _ = toollimit.Truncate(kind, text, toollimit.Quota{MaxTokens: maxTokens})
	}
	if page, ok := value.(interface{ Incomplete() *tools.Problem }); ok {
		lack = page.Incomplete()
	}
	return text, lack, nil
}

// completeTools completes the name of a tool.
func completeTools(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	set, err := toolSet(anyTree(), false)
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, t := range set.All() {
		names = append(names, t.Name+"\t"+t.Description)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
