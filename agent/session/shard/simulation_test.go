package shard_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/forayhq/foray/agent/session/shard"
)

// simulateEnv, as a number, is how many sessions the simulations have.
const simulateEnv = "FORAY_SIMULATE"

func simulatedSessions() int {
	if n, err := strconv.Atoi(os.Getenv(simulateEnv)); err == nil {
		return max(n, 10_000)
	}
	return 100_000
}

// TestSimulationOfShards spreads sessions over databases, and adds one.
func TestSimulationOfShards(t *testing.T) {
	sessions := simulatedSessions()
	t.Logf("%8s %10s %10s %10s %9s %12s", "shards", "sessions", "mean", "largest", "max/mean", "moved by +1")
	for _, n := range []int{2, 4, 16, 64} {
		names := shardNames(n + 1)
		counts, moved := make(map[string]int), 0
		for i := range sessions {
			before := shard.Place(fmt.Sprint("s-", i), names[:n])
			counts[before]++
			if i%10 == 0 && shard.Place(fmt.Sprint("s-", i), names) != before {
				moved += 10
			}
		}
		mean := float64(sessions) / float64(n)
		largest := 0
		for _, count := range counts {
			largest = max(largest, count)
		}
		balance, share := float64(largest)/mean, float64(moved)/float64(sessions)
		t.Logf("%8d %10d %10.0f %10d %9.3f %11.2f%%", n, sessions, mean, largest, balance, 100*share)
		if limit := 1 + 5/math.Sqrt(mean); len(counts) != n || balance > limit {
			t.Errorf("%d shards: %d are used, the largest has %.3f of the mean, more than %.3f", n, len(counts), balance, limit)
		}
		if want := 1 / float64(n+1); math.Abs(share-want) > want/4 {
			t.Errorf("%d shards: one more moves %.4f of the sessions, want %.4f", n, share, want)
		}
	}
}

// A fleet is workers that take steps of sessions from one queue, as those of Temporal do: a worker asks for a step while
// it has a free slot, so that a step goes to any of those. Time is in ticks of a tenth of a second. All sessions always
// have a step to make, so the fleet is under full load.
type fleet struct {
	random  *rand.Rand
	slots   int     // steps that a worker makes at a time
	running []int   // steps of each worker
	epoch   []int   // of each worker: how often it died
	dead    []bool  // it takes no steps
	due     [][]end // steps that end, by tick
	back    [][]int // workers that come back, by tick
	waiting []int32 // sessions without a worker, in order
	made    int     // steps that ended
	again   int     // steps that died with their worker
}

// An end is a step that ends, on a worker that did not die since it began.
type end struct {
	session       int32
	worker, epoch int32
}

const (
	second    = 10            // ticks
	meanStep  = 8 * second    // of a model that answers in some seconds; exponentially distributed
	heartbeat = 30 * second   // until the queue notices that a worker died, the default of package agent/temporal
	restart   = 2 * heartbeat // until a dead worker is back
	simulated = 90 * second   // in all
)

func newFleet(sessions, workers, slots int) *fleet {
	f := &fleet{
		random: rand.New(rand.NewPCG(1, 2)), slots: slots, running: make([]int, workers), epoch: make([]int, workers),
		dead: make([]bool, workers), due: make([][]end, simulated+20*meanStep+heartbeat),
		back: make([][]int, simulated+restart),
	}
	for i := range sessions {
		f.waiting = append(f.waiting, int32(i))
	}
	return f
}

// take gives steps to workers with a free slot, as long as there are some.
func (f *fleet) take(now int) {
	for len(f.waiting) > 0 {
		w := f.random.IntN(len(f.running))
		for tries := 0; f.dead[w] || f.running[w] >= f.slots; tries++ {
			if tries > 200 {
				return // nobody asks
			}
			w = f.random.IntN(len(f.running))
		}
		took := min(1+int(f.random.ExpFloat64()*meanStep), 19*meanStep)
		f.due[now+took] = append(f.due[now+took], end{f.waiting[0], int32(w), int32(f.epoch[w])})
		f.waiting = f.waiting[1:]
		f.running[w]++
	}
}

// tick ends the steps that are due. The queue notices a step of a dead worker one heartbeat after it would have ended,
// somewhat later than in truth.
func (f *fleet) tick(now int) {
	for _, w := range f.back[now] {
		f.dead[w] = false
	}
	for _, e := range f.due[now] {
		switch {
		case e.worker < 0: // the queue notices
			f.waiting = append(f.waiting, e.session)
		case int(e.epoch) != f.epoch[e.worker]: // its worker died
			f.again++
			f.due[now+heartbeat] = append(f.due[now+heartbeat], end{e.session, -1, 0})
		default:
			f.running[e.worker]--
			f.made++
			f.waiting = append(f.waiting, e.session)
		}
	}
	f.due[now] = nil
	f.take(now)
}

// kill ends a worker with its steps. It comes back empty.
func (f *fleet) kill(now, w int) {
	f.dead[w], f.running[w] = true, 0
	f.epoch[w]++
	f.back[now+restart] = append(f.back[now+restart], w)
}

// load returns the mean and the largest number of steps that living workers make.
func (f *fleet) load() (mean float64, largest int) {
	all, alive := 0, 0
	for w, n := range f.running {
		if !f.dead[w] {
			all, alive, largest = all+n, alive+1, max(largest, n)
		}
	}
	return float64(all) / float64(alive), largest
}

// TestSimulationOfWorkers has sessions that are always in a step, and a worker of 125 slots for each hundred of them, of
// which some die: none, one in a thousand each second, or a tenth at once.
func TestSimulationOfWorkers(t *testing.T) {
	sessions := simulatedSessions()
	workers := sessions / 100
	t.Logf("%18s %9s %9s %9s %9s %9s %9s", "deaths", "steps/s", "mean", "largest", "max/mean", "again", "waiting")
	for _, c := range []struct {
		name  string
		dying func(second int) int // how many die in a second
	}{
		{"none", func(int) int { return 0 }},
		{"0.1% each second", func(int) int { return workers / 1000 }},
		{"a tenth at once", func(s int) int { return map[bool]int{true: workers / 10}[s == 40] }},
	} {
		f := newFleet(sessions, workers, 125)
		f.take(0)
		mean, largest, worst, waiting := 0.0, 0, 0.0, 0
		for now := 1; now < simulated; now++ {
			if now%second == 0 {
				for range c.dying(now / second) {
					f.kill(now, f.random.IntN(workers))
				}
			}
			f.tick(now)
			if m, l := f.load(); now >= simulated/4 && now%second == 0 && float64(l)/m > worst {
				mean, largest, worst = m, l, float64(l)/m
			}
			waiting = max(waiting, len(f.waiting))
		}
		rate, again := float64(f.made)/(simulated/second), float64(f.again)/float64(f.made)
		t.Logf("%18s %9.0f %9.1f %9d %9.2f %8.2f%% %9d", c.name, rate, mean, largest, worst, 100*again, waiting)
		if worst > 1.5 || again > .05 || waiting > sessions/50 {
			t.Errorf("%s: a worker has %.2f of the mean; %.3f of the steps are made again; %d sessions wait", c.name, worst,
				again, waiting)
		}
		if least := .85 * float64(sessions) / (meanStep / second); rate < least {
			t.Errorf("%s: %.0f steps a second, want %.0f", c.name, rate, least)
		}
	}
}
