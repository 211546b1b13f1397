package store

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Path returns where the database of the user of this process is: foray/foray.db in $XDG_DATA_HOME if that is an absolute
// path, and otherwise in the folder for data of the system, ~/.local/share, ~/Library/Application Support or
// %LocalAppData%. It does not look whether it is there.
func Path() (string, error) {
	base, err := dataHome()
	if err != nil {
		return "", fmt.Errorf("finding the folder for data: %w; give the path of the database", err)
	}
	return filepath.Join(base, "foray", "foray.db"), nil
}

// dataHome is to data what os.UserConfigDir is to configuration.
func dataHome() (string, error) {
	if base := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(base) {
		return base, nil
	}
	switch runtime.GOOS {
	case "windows":
		return os.UserCacheDir() // %LocalAppData%
	case "darwin", "ios":
		return os.UserConfigDir() // ~/Library/Application Support
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "share"), nil
}
