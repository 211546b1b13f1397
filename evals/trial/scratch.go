package trial

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// scratchPrefix begins the names of folders of working copies. They are outside of the folder of results, which may be
// in a repository, so that no subject takes that repository for its own.
const scratchPrefix = "foray-trials-"

// A scratch holds the working copies of a run, in a folder that it makes for the first of them.
type scratch struct {
	lock *os.File // where the folder is noted for the next run, should this one be killed; nil: nowhere

	mu  sync.Mutex // guards what follows
	dir string     // "" until the first copy
}

// make makes an empty folder.
func (s *scratch) make() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		dir, err := os.MkdirTemp("", scratchPrefix)
		if err != nil {
			return "", fmt.Errorf("making a folder for working copies: %w", err)
		}
		s.dir = dir
		if s.lock != nil {
			if _, err := s.lock.WriteAt([]byte(dir), 0); err != nil {
				return "", fmt.Errorf("noting the folder of working copies: %w", err)
			}
		}
	}
	dir, err := os.MkdirTemp(s.dir, "")
	if err != nil {
		return "", fmt.Errorf("making a working copy: %w", err)
	}
	return dir, nil
}

func (s *scratch) remove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir != "" {
		removeAll(s.dir)
	}
}

// clearScratch removes the working copies of a killed run, and forgets them.
func clearScratch(lock *os.File) {
	if lock == nil {
		return
	}
	raw, err := io.ReadAll(io.NewSectionReader(lock, 0, 4096))
	dir := string(raw)
	if err != nil || filepath.Dir(dir) != filepath.Clean(os.TempDir()) ||
		!strings.HasPrefix(filepath.Base(dir), scratchPrefix) {
		return
	}
	removeAll(dir)
	_ = lock.Truncate(0) // a folder that is gone is removed again without harm
}

// removeAll removes a folder, with what is in folders that nobody may write. What remains even then, such as files that
// an abandoned subject still writes, stays in the folder for temporary files.
func removeAll(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
			if err != nil {
				return fs.SkipDir
			}
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}
