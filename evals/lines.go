package evals

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/jsonlines"
)

// maxLine is the longest line that [EachLine] accepts, in bytes.
const maxLine = 256 << 20

// EachLine calls read with every non-blank line of files of JSON lines. A line for which read returns an error is
// listed in skipped as "file:line: error", and so is the end of a torn file. A file that is one JSON value over several
// lines counts as one line. A path is a file, compressed if its name ends in .gz, or a folder whose *.jsonl and
// *.jsonl.gz files are read in the order of their names, subfolders included. The slice line is valid only during the
// call. EachLine returns errors of the file system and of the context.
func EachLine(ctx context.Context, paths []string,
	read func(file string, line []byte) error) (skipped []string, err error) {
	for _, path := range paths {
		files, err := filesAt(path)
		if err != nil {
			return nil, fmt.Errorf("finding recordings: %w", err)
		}
		for _, file := range files {
			more, err := eachLineOf(ctx, file, read)
			if err != nil {
				return nil, fmt.Errorf("reading %s: %w", file, err)
			}
			skipped = append(skipped, more...)
		}
	}
	return skipped, nil
}

func filesAt(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	var files []string
	err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".jsonl.gz")) {
			files = append(files, name)
		}
		return err
	})
	slices.Sort(files)
	return files, err
}

func eachLineOf(ctx context.Context, file string,
	read func(file string, line []byte) error) (skipped []string, err error) {
	err = jsonlines.Each(ctx, file, maxLine, func(n int, line []byte, err error) bool {
		if err == nil {
			err = read(file, line)
		}
		if err != nil {
			skipped = append(skipped, fmt.Sprintf("%s:%d: %v", filepath.Base(file), n, err))
		}
		return true
	})
	return skipped, err
}
