package jsonlines

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
	"strings"
)

// Each calls read with every line of a file that is not blank, and its number from 1. The name of a compressed file
// ends in .gz. A file that is one JSON value over several lines, of at most maxLine bytes, counts as one line. For a
// line of more than maxLine bytes, and for the torn end of a compressed file, read gets an error instead of the line.
// The slice line is valid only during the call; read returns false to end. Each returns errors of the file system and
// of the context.
func Each(ctx context.Context, path string, maxLine int, read func(n int, line []byte, err error) bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(bufio.NewReader(f))
		if err != nil {
			return err
		}
		defer z.Close()
		r = z
	}
	return EachOf(ctx, r, maxLine, read)
}

// Unzip returns what a compressed file holds. Closing that closes the file, and so does an error.
func Unzip(file io.ReadCloser) (io.ReadCloser, error) {
	z, err := gzip.NewReader(file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{z, file}, nil
}

// EachOf is [Each] for what is open and not compressed.
func EachOf(ctx context.Context, r io.Reader, maxLine int, read func(n int, line []byte, err error) bool) error {
	whole, r := document(r, maxLine)
	if whole != nil {
		read(1, whole, nil)
		return nil
	}
	in := bufio.NewReaderSize(r, 1<<16)
	var line []byte
	for n := 1; ; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		line, err = readLine(in, line[:0], maxLine)
		if system := (*fs.PathError)(nil); errors.As(err, &system) {
			return err
		}
		end := err != nil && !errors.Is(err, errTooLong)
		if len(bytes.TrimSpace(line)) > 0 && !read(n, bytes.TrimRight(line, "\r\n"), nil) {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			if len(line) > 0 {
				n++ // the line is torn, and what follows it is missing
			}
			if !read(n, nil, err) {
				return nil
			}
		}
		if end {
			return nil
		}
	}
}

var errTooLong = errors.New("the line is too long")

// readLine appends the next line to buffer, and skips one of more than most bytes.
func readLine(in *bufio.Reader, buffer []byte, most int) ([]byte, error) {
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(buffer)+len(part) > most; !long {
			buffer = append(buffer, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long && (err == nil || errors.Is(err, io.EOF)) {
			buffer, err = buffer[:0], fmt.Errorf("%w: more than %d bytes", errTooLong, most) // the end comes at the next call
		}
		return buffer, err
	}
}

// document returns what r holds if that is one JSON value over several lines, of at most most bytes. Otherwise, it
// returns a reader of the same bytes.
func document(r io.Reader, most int) (whole []byte, same io.Reader) {
	in := bufio.NewReader(r)
	head, _ := in.Peek(in.Size()) // whoever reads on gets the error
	first, _, more := bytes.Cut(bytes.TrimSpace(head), []byte("\n"))
	if !more || json.Valid(first) || len(first) == 0 || first[0] != '[' && first[0] != '{' {
		return nil, in
	}
	whole, err := io.ReadAll(io.LimitReader(in, int64(most)+1))
	if err == nil && len(whole) <= most && json.Valid(whole) {
		return whole, nil
	}
	return nil, io.MultiReader(bytes.NewReader(whole), in)
}
