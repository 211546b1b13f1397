package ostest

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
)

var peakLine = regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB$`)

// Peak returns the largest resident memory that a process has had, in bytes. It knows only Linux: elsewhere, and for a
// process that has ended, it returns an error.
func Peak(pid int) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, fmt.Errorf("reading the memory of a process: %w", err)
	}
	found := peakLine.FindSubmatch(status)
	if found == nil {
		return 0, fmt.Errorf("reading the memory of process %d: it has ended", pid)
	}
	kilobytes, err := strconv.ParseInt(string(found[1]), 10, 64)
	return kilobytes << 10, err
}

// ResetPeak forgets the largest memory of a process: from now on, [Peak] returns the largest since then.
func ResetPeak(pid int) error {
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil {
		return fmt.Errorf("resetting the memory of a process: %w", err)
	}
	return nil
}
