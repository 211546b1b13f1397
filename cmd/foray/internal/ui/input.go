package ui

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// MaxLine limits a line of a conversation, in bytes. It is more than a chat accepts as a message.
const MaxLine = 8 << 20

// ErrLineTooLong ends the input after a line longer than [MaxLine].
var ErrLineTooLong = bufio.ErrTooLong

// An Input is a typed message, or the error that ends the input.
type Input struct {
	Text string
	Err  error
}

// ReadLines reads messages until the input ends. Nothing waits for its goroutine, because a read from a terminal only
// ends with the process.
func ReadLines(in io.Reader) <-chan Input {
	lines := make(chan Input)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(in)
		scanner.Buffer(nil, MaxLine)
		var text strings.Builder
		for scanner.Scan() {
			if part, more := strings.CutSuffix(scanner.Text(), `\`); more {
				text.WriteString(part + "\n")
				continue
			}
			text.WriteString(scanner.Text())
			lines <- Input{Text: strings.ToValidUTF8(strings.ReplaceAll(text.String(), "\x00", "\uFFFD"), "\uFFFD")}
			text.Reset()
		}
		if text.Len() > 0 {
			lines <- Input{Text: strings.ToValidUTF8(text.String(), "\uFFFD")}
		}
		if err := scanner.Err(); err != nil {
			lines <- Input{Err: err}
		}
	}()
	return lines
}

// Interrupts are the signals of a session: the first cancels the answer, the second ends the session, the third kills
// the process.
type Interrupts struct {
	C      chan os.Signal // for [Interrupts.Add]
	Ending func()         // is called when the signals end the session; may be nil
	count  int            // since the last message
}

// endsSession is how many interrupts end a session. SIGTERM counts as that many.
const endsSession = 2

// ListenForInterrupts starts to catch signals, until [Interrupts.Stop].
func ListenForInterrupts() *Interrupts {
	s := &Interrupts{C: make(chan os.Signal, endsSession)}
	signal.Notify(s.C, os.Interrupt, syscall.SIGTERM)
	return s
}

// Stop ends catching signals.
func (s *Interrupts) Stop() { signal.Stop(s.C) }

// Reset starts counting anew, with the next message.
func (s *Interrupts) Reset() { s.count = 0 }

// Add counts a signal.
func (s *Interrupts) Add(sig os.Signal) {
	if s.count++; sig == syscall.SIGTERM {
		s.count = endsSession
	}
	if s.Ended() {
		if s.Ending != nil {
			s.Ending()
		}
		s.Stop()
	}
}

// Ended reports whether the signals end the session.
func (s *Interrupts) Ended() bool { return s.count >= endsSession }

// During runs fn with a context that the first signal cancels, and waits for fn.
func (s *Interrupts) During(fn func(context.Context) bool) bool {
	ctx, cancel := context.WithCancel(context.Background())
	done, joined := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(joined)
		for {
			select {
			case sig := <-s.C:
				s.Add(sig)
				cancel()
			case <-done:
				return
			}
		}
	}()
	over := fn(ctx)
	close(done)
	<-joined
	cancel()
	return over
}
