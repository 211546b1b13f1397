package cli

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A shell says how completions get into a shell.
type shell struct {
	script func(root *cobra.Command, w io.Writer) error
	base   string   // the variable that moves the directory of user
	user   []string // where the shell looks by default, below the user's home
	path   []string // of the script, below that directory
	then   string   // what the user has left to do; {file} is the script, and {dir} where it is
}

var shells = map[string]shell{
	"bash": {
		script: func(root *cobra.Command, w io.Writer) error { return bashScript(root, w, true) },
		base:   "XDG_DATA_HOME", user: []string{".local", "share"},
		path: []string{"bash-completion", "completions", "foray"},
		then: "bash reads {file} when it starts, if the package bash-completion is installed; if not, add this line to " +
			".bashrc: . '{file}'",
	},
	"fish": {
		script: func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
		base:   "XDG_CONFIG_HOME", user: []string{".config"},
		path: []string{"fish", "completions", "foray.fish"},
		then: "fish reads {file} when it starts",
	},
	"zsh": {
		script: func(root *cobra.Command, w io.Writer) error { return root.GenZshCompletion(w) },
		base:   "XDG_DATA_HOME", user: []string{".local", "share"},
		path: []string{"zsh", "site-functions", "_foray"},
		then: "add this line to .zshrc, unless it is there: fpath=('{dir}' $fpath); autoload -Uz compinit; compinit",
	},
	"powershell": {
		script: func(root *cobra.Command, w io.Writer) error { return root.GenPowerShellCompletionWithDesc(w) },
		base:   "XDG_CONFIG_HOME", user: []string{".config"},
		path: []string{"powershell", "foray.ps1"},
		then: "add this line to $PROFILE, unless it is there: . '{file}'",
	},
}

// bashAlone makes the script of bash complete without the package bash-completion, too.
//
//go:embed bashalone.sh
var bashAlone string

// bashScript writes the script of bash.
func bashScript(root *cobra.Command, w io.Writer, descriptions bool) error {
	err := root.GenBashCompletionV2(w, descriptions)
	_, failed := io.WriteString(w, "\n"+bashAlone)
	return errors.Join(err, failed)
}

// AddCompletion adds the commands that print and install completion scripts.
func AddCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd("completion")
	c, _, err := root.Find([]string{"completion"})
	if err != nil || c == root {
		return
	}
	c.Short, c.Args, c.RunE = "Print or install a completion script for a shell", cobra.ArbitraryArgs, Group
	c.Long = "Complete foray's commands and flags in a shell, with descriptions: install puts\n" +
		"the script where your shell looks for it, and the other commands print it."
	c.Example = "  foray completion install\n  source <(foray completion bash)"
	c.AddCommand(newInstall())
	if bash, _, err := c.Find([]string{"bash"}); err == nil && bash != c {
		bash.RunE = func(cmd *cobra.Command, _ []string) error {
			bare, err := cmd.Flags().GetBool("no-descriptions")
			return errors.Join(err, bashScript(cmd.Root(), cmd.OutOrStdout(), !bare))
		}
	}
}

func newInstall() *cobra.Command {
	names := slices.Sorted(maps.Keys(shells))
	return &cobra.Command{
		Use:   "install [SHELL]",
		Short: "Put the completion script where your shell looks for it",
		Long: `Write the completion script of SHELL, one of ` + strings.Join(names, ", ") + `
(default: that of $SHELL), to your own files, over an older one, and print where
it is.`,
		Example:   "  foray completion install\n  foray completion install zsh",
		ValidArgs: names,
		Args:      cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := strings.TrimSuffix(filepath.Base(os.Getenv("SHELL")), ".exe")
			if len(args) > 0 {
				name = args[0]
			}
			s, known := shells[name]
			switch {
			case len(args) > 1:
				return Usage("foray completion install "+Quote(name), "install takes one shell, not %q too", args[1])
			case len(args) == 0 && os.Getenv("SHELL") == "":
				return Usage("foray completion install bash", "$SHELL is not set; known are %s", strings.Join(names, ", "))
			case !known:
				hint := "foray completion install " + cmp.Or(Nearest(name, names), "bash")
				return Usage(hint, "no completions for the shell %.80q; known are %s", name, strings.Join(names, ", "))
			}
			return s.install(cmd)
		},
	}
}

// install writes the script and says what is left to do.
func (s shell) install(cmd *cobra.Command) error {
	base := os.Getenv(s.base)
	if !filepath.IsAbs(base) { // the XDG Base Directory Specification: others are to be ignored
		home, err := os.UserHomeDir()
		if err != nil {
			return Usage("export HOME=DIR", "%w", err)
		}
		base = filepath.Join(append([]string{home}, s.user...)...)
	}
	path := filepath.Join(append([]string{base}, s.path...)...)
	var script bytes.Buffer
	if err := s.script(cmd.Root(), &script); err != nil {
		return err
	}
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = Replace(path, script.String(), 0o644)
	}
	if err != nil {
		return Usage("export "+s.base+"=DIR", "%w", err)
	}
	if _, err := fmt.Fprintln(cmd.OutOrStdout(), path); err != nil {
		return err
	}
	Notice(cmd, "%s", strings.NewReplacer("{file}", path, "{dir}", filepath.Dir(path)).Replace(s.then))
	return nil
}
