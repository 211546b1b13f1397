package evals

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxLine is the longest line that EachLine takes, in bytes.
const maxLine = 256 << 20

// EachLine calls read with every line of files of JSON lines that is not blank, and collects what read returns: a line
// that read has an error for is named in skipped, as "file:line: error", and the next is read. A path is a file,
// compressed if its name ends in .gz, or a folder, below which all *.jsonl and *.jsonl.gz are read in the order of
// their names. Line is valid during the call only. The error is the file system's, or the context's.
func EachLine(ctx context.Context, paths []string, read func(file string, line []byte) error) (skipped []string, err error) {
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

func eachLineOf(ctx context.Context, file string, read func(file string, line []byte) error) (skipped []string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		z, err := gzip.NewReader(bufio.NewReader(f))
		if err != nil {
			return nil, err
		}
		defer z.Close()
		r = z
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := read(file, lines.Bytes()); err != nil {
			skipped = append(skipped, fmt.Sprintf("%s:%d: %v", filepath.Base(file), n, err))
		}
	}
	return skipped, lines.Err()
}
