package ostest_test

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/forayhq/foray/internal/ostest"
)

// TestPeak takes memory, and gives it back: the peak shows it until it is reset.
func TestPeak(t *testing.T) {
	if runtime.GOOS != "linux" {
		if _, err := ostest.Peak(os.Getpid()); err == nil {
			t.Error("no error where nothing is known")
		}
		t.Skip("only Linux tells the peak")
	}
	const size = 128 << 20
	before := peakOf(t)
	taken := make([]byte, size)
	for i := range taken {
		taken[i] = byte(i)
	}
	after := peakOf(t)
	runtime.KeepAlive(taken)
	if after-before < size/2 {
		t.Errorf("%d bytes before and %d after taking %d", before, after, size)
	}
	taken = nil
	debug.FreeOSMemory()
	if held := peakOf(t); held < after-size/8 { // the system counts per processor
		t.Errorf("the peak fell from %d to %d", after, held)
	}
	if err := ostest.ResetPeak(os.Getpid()); err != nil {
		t.Fatal(err)
	}
	if rest := peakOf(t); after-rest < size/2 {
		t.Errorf("%d bytes before and %d after a reset", after, rest)
	}
	if _, err := ostest.Peak(-1); err == nil {
		t.Error("no error for a process that does not exist")
	}
}

func peakOf(t *testing.T) int64 {
	t.Helper()
	n, err := ostest.Peak(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	return n
}
