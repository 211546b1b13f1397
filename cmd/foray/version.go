package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of foray, its revision and Go's version",
		Example: "  foray version",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, ok := debug.ReadBuildInfo()
			if !ok {
				info = &debug.BuildInfo{}
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), versionLine(info))
			return err
		},
	}
}

// versionLine says what this program was built from: "foray v1.2.3 (revision 0123abc, modified) go1.26 linux/amd64".
func versionLine(info *debug.BuildInfo) string {
	version, revision, modified := info.Main.Version, "", ""
	if version == "" {
		version = "(devel)"
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = ", modified"
		}
	}
	if revision == "" {
		revision = "not recorded"
	}
	return fmt.Sprintf("foray %s (revision %s%s) %s %s/%s", version, revision, modified, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// noArgs refuses arguments in the words of this command.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(cmd.CommandPath(), "%s takes no arguments, not even %q", cmd.CommandPath(), args[0])
	}
	return nil
}
