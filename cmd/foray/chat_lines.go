package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/forayhq/foray/toollimit/line"
)

// maxLine limits a line of a conversation, in bytes. It is more than a chat accepts as a message.
const maxLine = 8 << 20

// An input is a typed message, or the error that ends the input.
type input struct {
	text string
	err  error
}

// readLines reads messages until the input ends. Nothing waits for its goroutine, because a read from a terminal only ends
// with the process.
func readLines(in io.Reader) <-chan input {
	lines := make(chan input)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(in)
		scanner.Buffer(nil, maxLine)
		var text strings.Builder
		for scanner.Scan() {
			if part, more := strings.CutSuffix(scanner.Text(), `\`); more {
				text.WriteString(part + "\n")
				continue
			}
			text.WriteString(scanner.Text())
			lines <- input{text: strings.ToValidUTF8(strings.ReplaceAll(text.String(), "\x00", "\uFFFD"), "\uFFFD")}
			text.Reset()
		}
		if text.Len() > 0 {
			lines <- input{text: strings.ToValidUTF8(text.String(), "\uFFFD")}
		}
		switch err := scanner.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			lines <- input{err: usage("put it into a file in --repo", "a line is longer than %s", line.Bytes(maxLine))}
		case err != nil:
			lines <- input{err: usage("foray chat < FILE", "standard input is not readable")}
		}
	}()
	return lines
}

// signals are the interrupts of a session: the first cancels the answer, the second ends the session, the third kills the
// process.
type signals struct {
	came  chan os.Signal
	count int // since the last message
}

// endsSession is how many interrupts end a session. SIGTERM counts as that many.
const endsSession = 2

func listenForSignals() *signals {
	s := &signals{came: make(chan os.Signal, endsSession)}
	signal.Notify(s.came, os.Interrupt, syscall.SIGTERM)
	return s
}

func (s *signals) stop() { signal.Stop(s.came) }

// add counts a signal.
func (s *signals) add(sig os.Signal) {
	if s.count++; sig == syscall.SIGTERM {
		s.count = endsSession
	}
	if s.ended() {
		s.stop()
	}
}

func (s *signals) ended() bool { return s.count >= endsSession }

// during runs fn with a context that the first signal cancels, and waits for fn.
func (s *signals) during(fn func(context.Context) bool) bool {
	ctx, cancel := context.WithCancel(context.Background())
	done, joined := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(joined)
		for {
			select {
			case sig := <-s.came:
				s.add(sig)
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
