//go:build !unix

package ostest

import (
	"errors"
	"time"
)

func Fifo(string) error { return errors.ErrUnsupported }

func CPUTime() (time.Duration, error) { return 0, errors.ErrUnsupported }
