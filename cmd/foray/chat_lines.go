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

// maxLine is the longest line of a conversation, in bytes: more than a file pasted by mistake, less than a chat refuses.
const maxLine = 8 << 20

// A typed is a message as it was typed, or why there are no more.
type typed struct {
	text string
	err  error
}

// readLines reads messages until the input ends. Nobody can wait for its goroutine: a read from a terminal ends with the
// process.
func readLines(in io.Reader) <-chan typed {
	lines := make(chan typed)
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
			lines <- typed{text: strings.ToValidUTF8(strings.ReplaceAll(text.String(), "\x00", "\uFFFD"), "\uFFFD")}
			text.Reset()
		}
		if text.Len() > 0 {
			lines <- typed{text: strings.ToValidUTF8(text.String(), "\uFFFD")}
		}
		switch err := scanner.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			lines <- typed{err: usage("put it into a file in --repo", "a line is longer than %s", line.Bytes(maxLine))}
		case err != nil:
			lines <- typed{err: usage("foray chat < FILE", "standard input cannot be read")}
		}
	}()
	return lines
}

// signals are the interrupts of a session: the first cancels what is under way, the second ends, and a third ends the
// process whatever it does.
type signals struct {
	came  chan os.Signal
	count int // since the last message
}

// enough is how many interrupts end a session; a signal to terminate counts as so many.
const enough = 2

func listenForSignals() *signals {
	s := &signals{came: make(chan os.Signal, enough)}
	signal.Notify(s.came, os.Interrupt, syscall.SIGTERM)
	return s
}

func (s *signals) stop() { signal.Stop(s.came) }

// took counts a signal.
func (s *signals) took(sig os.Signal) {
	if s.count++; sig == syscall.SIGTERM {
		s.count = enough
	}
	if s.ended() {
		s.stop()
	}
}

func (s *signals) ended() bool { return s.count >= enough }

// during runs fn with a context that the first signal ends, and waits for it.
func (s *signals) during(fn func(context.Context) bool) bool {
	ctx, cancel := context.WithCancel(context.Background())
	done, joined := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(joined)
		for {
			select {
			case sig := <-s.came:
				s.took(sig)
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
