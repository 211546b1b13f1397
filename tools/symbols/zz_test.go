package symbols

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestSpeed(t *testing.T) {
	size, dur, count := map[string]int{}, map[string]time.Duration{}, map[string]int{}
	worst := map[string]string{}
	wd := map[string]time.Duration{}
	filepath.WalkDir(os.Getenv("TREE"), func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && Language(p) != "" {
			s, _ := os.ReadFile(p)
			l := Language(p)
			if len(s) > maxBytes || minified(s) {
				return nil
			}
			b := time.Now()
			count[l] += len(Of(p, s))
			x := time.Since(b)
			dur[l] += x
			size[l] += len(s)
			if x > wd[l] {
				wd[l] = x
				worst[l] = p
			}
		}
		return nil
	})
	for l := range size {
		fmt.Printf("%-12s %8d kB %6.1f MB/s %6d symbols worst %v %s\n", l, size[l]/1000, float64(size[l])/1e6/dur[l].Seconds(), count[l], wd[l], worst[l])
	}
}
