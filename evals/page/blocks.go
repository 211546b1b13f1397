package page

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
)

// blockSize is about how many bytes of details one script element holds.
const blockSize = 1 << 20

// A blockWriter writes values into script elements that are not run: one value a line, as base64 of compressed JSON.
type blockWriter struct {
	w     io.Writer
	block int // the open one, from 0; -1 before the first
	line  int // the next one in it
	size  int // of the open one
	total int
}

// pack is v as a line of a block.
func pack(v any) (string, error) {
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	if err := json.NewEncoder(zipped).Encode(v); err != nil {
		return "", err
	}
	if err := zipped.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

// put writes a line and returns where it is.
func (w *blockWriter) put(text string) (block, line int, err error) {
	if w.block < 0 || w.size > blockSize {
		if err := w.close(); err != nil {
			return 0, 0, err
		}
		w.block, w.line, w.size = w.block+1, 0, 0
		if _, err := fmt.Fprintf(w.w, "<script type=\"text/plain\" id=\"block-%d\">", w.block); err != nil {
			return 0, 0, err
		}
	}
	if _, err := io.WriteString(w.w, text+"\n"); err != nil {
		return 0, 0, err
	}
	w.line, w.size, w.total = w.line+1, w.size+len(text)+1, w.total+len(text)+1
	return w.block, w.line - 1, nil
}

// close ends the open element.
func (w *blockWriter) close() error {
	if w.block < 0 {
		return nil
	}
	_, err := io.WriteString(w.w, "</script>\n")
	return err
}
