//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package ui

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// byKeys lets a terminal give each key as it is typed, without showing it, and returns a function that makes the
// terminal what it was. A process that was stopped sets it again when it continues, since the shell has changed it.
func byKeys(fd int) (restore func(), err error) {
	was, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, err
	}
	keys := *was
	keys.Lflag &^= unix.ICANON | unix.ECHO | unix.IEXTEN
	keys.Iflag &^= unix.ICRNL | unix.INLCR | unix.IGNCR // a paste has its own line breaks
	keys.Cc[unix.VMIN], keys.Cc[unix.VTIME] = 1, 0
	keys.Cc[unix.VQUIT] = disabled // Ctrl-\ would end the process before it restores the terminal
	if err := unix.IoctlSetTermios(fd, setTermios, &keys); err != nil {
		return nil, err
	}
	continued, done, joined := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
	signal.Notify(continued, syscall.SIGCONT)
	go func() {
		defer close(joined)
		for {
			select {
			case <-continued:
				_ = unix.IoctlSetTermios(fd, setTermios, &keys) // lines still work, if it fails
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(continued)
		close(done)
		<-joined
		_ = unix.IoctlSetTermios(fd, setTermios, was) // fails if the terminal is gone
	}, nil
}
