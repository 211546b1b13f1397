package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Version says what this program was built from: "foray v1.2.3 go1.26 linux/amd64" after go install, and
// "foray (devel) (revision 0123abc, modified) go1.26 linux/amd64" after go build in a checkout.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	version := info.Main.Version
	if version == "" {
		version = "(devel)"
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if revision := settings["vcs.revision"]; revision != "" {
		if settings["vcs.modified"] == "true" {
			revision += ", modified"
		}
		version += " (revision " + revision + ")"
	}
	return fmt.Sprintf("foray %s %s %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
