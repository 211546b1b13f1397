package peak_test

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/forayhq/foray/internal/peak"
)

// TestOf takes memory, and gives it back: the peak shows it until it is reset.
func TestOf(t *testing.T) {
	if runtime.GOOS != "linux" {
		if _, err := peak.Of(os.Getpid()); err == nil {
			t.Error("no error where nothing is known")
		}
		t.Skip("only Linux tells the peak")
	}
	const size = 128 << 20
	before := of(t)
	taken := make([]byte, size)
	for i := range taken {
		taken[i] = byte(i)
	}
	after := of(t)
	runtime.KeepAlive(taken)
	if after-before < size/2 {
		t.Errorf("%d bytes before and %d after taking %d", before, after, size)
	}
	taken = nil
	debug.FreeOSMemory()
	if held := of(t); held < after {
		t.Errorf("the peak fell from %d to %d", after, held)
	}
	if err := peak.Reset(os.Getpid()); err != nil {
		t.Fatal(err)
	}
	if rest := of(t); after-rest < size/2 {
		t.Errorf("%d bytes before and %d after a reset", after, rest)
	}
	if _, err := peak.Of(-1); err == nil {
		t.Error("no error for a process that does not exist")
	}
}

func of(t *testing.T) int64 {
	t.Helper()
	n, err := peak.Of(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	return n
}
