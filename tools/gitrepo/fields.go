package gitrepo

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// fields reads strings that end in NUL.
type fields struct{ in *bufio.Reader }

// maxField is the longest field, in bytes.
const maxField = 1 << 20

// next returns the next field, or io.EOF. It truncates fields longer than maxField.
func (f *fields) next() (string, error) {
	var long []byte
	for {
		part, err := f.in.ReadSlice(0)
		switch {
		case err == nil && long == nil:
			return string(part[:len(part)-1]), nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			if err == io.EOF && len(long)+len(part) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return "", err
		}
		if room := maxField - len(long); room > 0 {
			long = append(long, part[:min(len(part), room)]...)
		}
		if err == nil {
			return string(bytes.TrimSuffix(long, []byte{0})), nil
		}
	}
}

// unexpected turns an early end of the output into io.ErrUnexpectedEOF.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// isHash reports whether s is a full object name, in SHA-1 or SHA-256.
func isHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}
