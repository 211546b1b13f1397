package store

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Path returns the default path of the database, whether or not it exists: foray/foray.db in $XDG_DATA_HOME if that
// is an absolute path, or else in ~/.local/share, ~/Library/Application Support or %LocalAppData%.
func Path() (string, error) {
	base, err := dataHome()
	if err != nil {
		return "", fmt.Errorf("finding the data folder: %w; give the path of the database", err)
	}
	return filepath.Join(base, "foray", "foray.db"), nil
}

// dataHome is for data what [os.UserConfigDir] is for configuration.
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
