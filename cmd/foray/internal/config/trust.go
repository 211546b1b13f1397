package config

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
)

// trustPath is where the approvals of files of projects are kept: beside the user's settings.
func trustPath() string { return filepath.Join(filepath.Dir(userPath()), "trusted.json") }

// trusted returns the sums of the files that the user has approved, by path.
func trusted() (map[string]string, error) {
	raw, err := os.ReadFile(trustPath())
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}, nil
	}
	all := map[string]string{}
	if err == nil {
		err = json.Unmarshal(raw, &all)
	}
	if err != nil {
		return nil, broken(trustPath(), err)
	}
	return all, nil
}

// isTrusted reports whether the user has approved these very bytes of the file, or it is the user's own.
func (f *file) isTrusted() (bool, error) {
	if f.user {
		return true, nil
	}
	all, err := trusted()
	return all[f.path] == f.sum, err
}

// trust remembers the user's approval.
func (f *file) trust() error {
	all, err := trusted()
	if err != nil {
		return err
	}
	all[f.path] = f.sum
	if err := os.MkdirAll(filepath.Dir(trustPath()), 0o700); err != nil {
		return err
	}
	return cli.Replace(trustPath(), cli.JSONText(all), 0o600)
}
