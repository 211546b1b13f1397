package replay

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/models"
)

// A Model replays recorded answers. It is safe for concurrent use: a mutex guards which answers were used, and is free
// while an answer plays.
type Model struct {
	info    providers.Info
	warning string
	lines   []*recorded
	answers map[string][]*recorded // by key, in the order of the recording

	mu    sync.Mutex
	given map[string]int // by key: how many of its answers were used
}

// A recorded answer knows its line number.
type recorded struct {
	*recordedLine
	number int // in the file, from 1
}

// Open returns a model that replays the answers in r, which it reads to the end. An error names the line that does not
// parse. A recording without answers is an error too.
func Open(r io.Reader) (*Model, error) {
	m := &Model{answers: map[string][]*recorded{}, given: map[string]int{}}
	buffered := bufio.NewReader(r)
	for number := 1; ; number++ {
		text, err := buffered.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("reading a recording, line %d: %w", number, err)
		}
		last := err == io.EOF
		if len(bytes.TrimSpace(text)) > 0 {
			l, err := parse(text)
			switch {
			case err == nil:
				m.add(&recorded{l, number})
			case last && torn(err):
				m.warning = fmt.Sprintf(
					"line %d, the last, is torn and left out: the recording ended in the middle of an answer", number,
				)
			default:
				return nil, fmt.Errorf("reading a recording, line %d: %w", number, err)
			}
		}
		if last {
			break
		}
	}
	if len(m.lines) == 0 {
		err := errors.New("it contains no answers")
		if m.warning != "" {
			err = fmt.Errorf("it contains no complete answer: %s", m.warning)
		}
		return nil, fmt.Errorf("reading a recording: %w", err)
	}
	m.info = models.Complete(m.lines[0].Model)
	return m, nil
}

// torn reports whether a line ends too early.
func torn(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) }

func (m *Model) add(l *recorded) {
	m.lines = append(m.lines, l)
	m.answers[l.Key] = append(m.answers[l.Key], l)
}

// Info returns the recorded model, or the first one if several were recorded. It is completed by what is known about
// the model now.
func (m *Model) Info() providers.Info { return m.info }

// Warning says that the last line was incomplete and is ignored; "" if the recording is complete.
func (m *Model) Warning() string { return m.warning }

// Left returns how many recorded answers are unused.
func (m *Model) Left() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.lines)
	for _, given := range m.given {
		n -= given
	}
	return n
}

// Stream replays the next recorded answer to req, which it takes when the iteration starts.
func (m *Model) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		if ctx.Err() != nil {
			m.fail(providers.Cancelled, ctx.Err(), yield)
			return
		}
		l, err := m.take(req)
		if err != nil {
			m.fail(providers.Invalid, err, yield)
			return
		}
		for _, d := range l.Answer {
			if ctx.Err() != nil {
				m.fail(providers.Cancelled, ctx.Err(), yield)
				return
			}
			if !yield(d.delta(), nil) {
				return
			}
		}
		if l.Error != nil {
			yield(providers.Delta{}, l.Error.error())
		}
	}
}

func (m *Model) fail(class providers.Class, cause error, yield func(providers.Delta, error) bool) {
	yield(providers.Delta{}, &providers.Error{Class: class, Provider: m.info.Provider, Model: m.info.Name, Err: cause})
}

// take returns the next answer to req.
func (m *Model) take(req *providers.Request) (*recorded, error) {
	f := fingerprintOf(req)
	key, err := f.key()
	if err != nil {
		return nil, err
	}
	all := m.answers[key]
	if len(all) == 0 {
		return nil, m.missing(f)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.given[key] == len(all) {
		return nil, fmt.Errorf("the recording has this request %d times, and it was sent once more", len(all))
	}
	m.given[key]++
	return all[m.given[key]-1], nil
}
