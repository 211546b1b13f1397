package config

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/internal/line"
)

// New returns the command config.
func New() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show and write the settings that you keep in a file",
		Long: `Settings are flags that you do not want to type each time, in TOML:

  model = "openai/gpt-4.1"
  fallback = ["anthropic/claude-sonnet-4-5"]
  max-cost = 2

explore, chat, serve, mcp and insight take them: first what the command line
says, then the environment, then the project's .foray/config.toml, in the
directory of --repo or above it, then your own file. What belongs to a model,
such as base-url and window, counts only if the same file chooses the model.

The file of a project may limit what a run uses. Anything else in it, such as a
model, a host, a program or a secret, needs your approval: foray config trust.
` + variable + ` names a file to read in place of yours; ` + off + ` reads no file.

Settings:
` + settingsHelp(),
		Example: `  foray config init
  foray config show
  foray config trust --repo ../service`,
		Args: cobra.ArbitraryArgs,
		RunE: cli.Group,
	}
	cmd.AddCommand(newShow(), newInit(), newTrust())
	return cmd
}

// settingsHelp lists the settings.
func settingsHelp() string {
	var b strings.Builder
	for _, s := range settings {
		fmt.Fprintf(&b, "  %-15s %s\n", s.name, s.help)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// checkDir refuses a --repo that is not a directory.
func checkDir(dir string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return cli.Usage("--repo .", "no directory %q", dir)
	}
	return nil
}

func repoFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "repo", ".", "include the settings of the project in `DIR`")
	cli.Must(cmd.MarkFlagDirname("repo"))
}

// A shown is a setting in the JSON form.
type shown struct {
	Name    string   `json:"name"`
	Values  []string `json:"values"`
	From    string   `json:"from"`
	Ignored string   `json:"ignored,omitempty"` // why
}

func newShow() *cobra.Command {
	var repo, format string
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Print each setting, and where it comes from",
		Example: `  foray config show
  foray config show --repo ../service --format json`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkDir(repo); err != nil {
				return err
			}
			l, err := load(repo, "")
			if err != nil {
				return err
			}
			values, err := l.values()
			if err != nil {
				return err
			}
			list := []shown{}
			if l.broken != nil {
				cli.Notice(cmd, "%v; it is left out", l.broken)
			}
			if l.from == "$"+modelVariable {
				list = append(list, shown{Name: "model", Values: []string{os.Getenv(modelVariable)}, From: l.from})
			}
			for _, v := range values {
				list = append(list, shown{v.name, v.texts, v.file.path, v.why})
			}
			return cli.PrintAs(cmd, format, list, func(w io.Writer) error { return printSettings(w, repo, list) })
		},
	}
	repoFlag(cmd, &repo)
	cli.FormatFlag(cmd, &format, cli.TextOrJSON)
	return cmd
}

// printSettings writes settings as a table, after the files that are read.
func printSettings(w io.Writer, repo string, list []shown) error {
	for _, at := range []struct{ what, path string }{{"project", projectPath(repo)}, {"yours", userPath()}} {
		state := ""
		if _, err := os.Stat(at.path); err != nil {
			state = " (not there)"
		}
		if at.path == "" {
			at.path = "none"
			state = ""
		}
		fmt.Fprintf(w, "%-8s %s%s\n", at.what+":", line.Printable(at.path), state)
	}
	rows := [][]string{{"SETTING", "VALUE", "FROM", ""}}
	for _, s := range list {
		why := ""
		if s.Ignored != "" {
			why = "ignored: " + s.Ignored
		}
		text := line.Truncate(line.Printable(strings.Join(s.Values, ", ")), 60)
		rows = append(rows, []string{s.Name, text, s.From, why})
	}
	if len(list) == 0 {
		hint := "Nothing is set; foray config init writes a file of examples."
		if _, err := os.Stat(userPath()); err == nil {
			hint = "Nothing is set; each line of your file that begins with # is a comment."
		}
		_, err := fmt.Fprintln(w, hint)
		return err
	}
	fmt.Fprintln(w)
	return ui.Table(w, "", rows)
}

// noFile says why [userPath] returns none.
func noFile() error {
	if _, err := os.UserConfigDir(); err != nil && os.Getenv(variable) != off {
		return cli.Usage("export "+variable+"=FILE", "finding the folder of settings: %v", err)
	}
	return cli.Usage("unset "+variable, "%s=%s: no file is read", variable, off)
}

func newInit() *cobra.Command {
	return &cobra.Command{
		Use:     "init",
		Short:   "Write a settings file in which every line is a comment",
		Example: "  foray config init",
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path := userPath()
			if path == "" {
				return noFile()
			}
			if _, err := os.Lstat(path); err == nil {
				return cli.Usage("foray config show", "%s exists; nothing was changed", path)
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return cli.Usage(variable+"=FILE foray config init", "%v", err)
			}
			if err := cli.Replace(path, template(), 0o600); err != nil {
				return cli.Usage(variable+"=FILE foray config init", "%v", err)
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), path)
			return err
		},
	}
}

// samples are values to begin with.
var samples = map[string]string{
	"model": `"openai/gpt-4.1"`, "base-url": `"http://localhost:8080/v1"`, "allow-http": "false", "window": "32768",
	"calls": `"auto"`, "compaction": `"server"`, "fallback": `["anthropic/claude-sonnet-4-5"]`,
	"fast": `"openai/gpt-4.1-mini"`, "embed": `"ollama/nomic-embed-text"`, "max-cost": "2.0",
	"prices": `"prices.json"`, "mcp": `"mcp.json"`, "mcp-allow": `["list_*"]`, "allow-secret": `["*.sample"]`,
	"otel": "false", "profile": `"lean"`, "budget": "60000", "max-steps": "24", "timeout": `"5m"`,
	"context-tokens": "48000", "context-turns": "20", "plain": "false",
}

// template is the file that init writes.
func template() string {
	var b strings.Builder
	b.WriteString("# Settings of foray: flags that you do not want to type. foray config show says what counts.\n")
	for _, s := range settings {
		fmt.Fprintf(&b, "\n# %s\n# %s = %s\n", s.help, s.name, samples[s.name])
	}
	return b.String()
}

func newTrust() *cobra.Command {
	var repo string
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Approve the settings of a project as they are now",
		Long: `Print the settings of the project in --repo, and approve all of them. If the
file changes, or a file that mcp or prices names, they need a new approval. Read
them first: they can send your keys to other hosts, start programs, show secrets
to a model, and spend money.`,
		Example: "  foray config trust",
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkDir(repo); err != nil {
				return err
			}
			f, err := read(projectPath(repo), false)
			if err != nil {
				return err
			}
			if f == nil {
				return cli.Usage("--repo DIR", "no .foray/config.toml in %s or above it", repo)
			}
			if userPath() == "" {
				return noFile()
			}
			for _, name := range names() {
				if v := f.values[name]; v != nil {
					fmt.Fprintf(cmd.OutOrStdout(), "%s = %s\n", name, line.Printable(strings.Join(v, ", ")))
				}
				if name == "mcp" {
					printPrograms(cmd, f)
				}
			}
			if err := f.trust(); err != nil {
				return err
			}
			cli.Notice(cmd, "the settings of %s apply from now on, until the file changes", f.path)
			return nil
		},
	}
	repoFlag(cmd, &repo)
	return cmd
}

// printPrograms prints the file of MCP servers that a project's settings name: the approval covers the programs in it.
func printPrograms(cmd *cobra.Command, f *file) {
	for _, path := range f.values["mcp"] {
		text, err := readNamed(path)
		if err != nil {
			cli.Notice(cmd, "%v", err)
			continue
		}
		for l := range strings.Lines(string(text)) {
			fmt.Fprintf(cmd.OutOrStdout(), "    %s\n", line.Printable(strings.TrimRight(l, "\r\n")))
		}
	}
}
