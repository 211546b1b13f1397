package replay

import (
	"context"
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/forayhq/foray/providers"
)

// A Recorder is a model that passes on the answers of another and records them. It is safe for concurrent use: a mutex
// orders the lines and is free while an answer arrives.
type Recorder struct {
	model providers.Model

	mu  sync.Mutex
	w   io.Writer
	err error
}

// Record returns a model that answers as m does and writes each finished answer to w, as one line in one call of Write.
// If w has a method Flush, like bufio.Writer, it calls Flush after each line. A failed write does not fail the answer:
// check [Recorder.Err] at the end.
func Record(m providers.Model, w io.Writer) *Recorder { return &Recorder{model: m, w: w} }

// Info returns the recorded model's.
func (r *Recorder) Info() providers.Info { return r.model.Info() }

// Err returns why the recording stopped, or nil if every answer was written. Nothing is written after an error, so only
// the last line can be incomplete.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Stream passes on the answer of the recorded model as it arrives.
func (r *Recorder) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		l := recordedLine{Version: version, Model: r.model.Info(), Request: fingerprintOf(req), Answer: []delta{}}
		finished := false
		for d, err := range r.model.Stream(ctx, req) {
			switch {
			case err == nil && d.Reading != nil: // depends on the speed of the machine
			case err == nil:
				l.Answer = append(l.Answer, deltaOf(d))
				finished = finished || d.Finish != ""
			case ctx.Err() != nil || providers.ClassOf(err) == providers.Cancelled:
				yield(d, err)
				return
			default:
				l.Error = failureOf(err)
				finished = true
			}
			if !yield(d, err) {
				if finished {
					r.write(&l)
				}
				return
			}
		}
		r.write(&l)
	}
}

// write writes a line, unless an earlier write failed.
func (r *Recorder) write(l *recordedLine) {
	text, err := l.text()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return
	}
	if err == nil {
		_, err = r.w.Write(text)
	}
	if f, ok := r.w.(interface{ Flush() error }); ok && err == nil {
		err = f.Flush()
	}
	if err != nil {
		r.err = fmt.Errorf("recording an answer: %w", err)
	}
}
