package evals

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	whole, r, err := document(r)
	if err != nil {
		return nil, err
	}
	if whole != nil {
		if err := read(file, whole); err != nil {
			skipped = append(skipped, fmt.Sprintf("%s:1: %v", filepath.Base(file), err))
		}
		return skipped, nil
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	n := 1
	for ; lines.Scan(); n++ {
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
	err = lines.Err()
	if system := (*fs.PathError)(nil); err != nil && !errors.As(err, &system) { // torn, or a line that is too long
		return append(skipped, fmt.Sprintf("%s:%d: %v", filepath.Base(file), n, err)), nil
	}
	return skipped, err
}

// document returns what r holds if that is one JSON value over several lines, of at most maxLine bytes. Otherwise, it
// returns a reader of the same bytes.
func document(r io.Reader) (whole []byte, same io.Reader, err error) {
	in := bufio.NewReader(r)
	head, _ := in.Peek(in.Size()) // whoever reads on gets the error
	first, _, more := bytes.Cut(bytes.TrimSpace(head), []byte("\n"))
	if !more || json.Valid(first) || first[0] != '[' && first[0] != '{' {
		return nil, in, nil
	}
	whole, err = io.ReadAll(io.LimitReader(in, maxLine))
	if err != nil || json.Valid(whole) {
		return whole, nil, err
	}
	return nil, io.MultiReader(bytes.NewReader(whole), in), nil
}
