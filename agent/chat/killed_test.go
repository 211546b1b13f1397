package chat_test

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// looker calls a tool once a turn and then answers with the message.
func looker() *scripted.Model {
	return scripted.New(scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
		if last := req.Messages[len(req.Messages)-1]; last.Role != "tool" {
			return scripted.Calls(scripted.Call{Name: "look"})
		}
		return scripted.Text("seen")
	})))
}

// newTalk returns the chat of a process that a test starts.
func newTalk(path string) (*chat.Chat, error) {
	ctx := context.Background()
	s, err := store.Open(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	l, err := longterm.Open(ctx, &longterm.Options{Store: s.Memories()})
	if err != nil {
		return nil, err
	}
	look := tools.New("look", "Look.", func(context.Context, struct{}) (string, error) { return "something", nil })
	return chat.New(chat.Config{Store: s, Memory: l, Agent: agent.Config{Model: looker(), Tools: []tools.Tool{look}},
		Wait: 5 * time.Minute})
}

// talkForEver sends messages to three threads side by side, and says which turns are over.
func talkForEver(path string) error {
	ctx := context.Background()
	h, err := newTalk(path)
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	for i := range 3 {
		id := fmt.Sprint("t", i)
		if _, err := h.Thread(ctx, id); err != nil {
			if _, err := h.Create(ctx, chat.Thread{ID: id, User: "ada"}); err != nil {
				return err
			}
		}
		all.Go(func() {
			for n := rand.IntN(1 << 30); ; n++ {
				text := fmt.Sprintf("I prefer number %d.", n)
				if _, err := h.Do(ctx, id, text); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				mu.Lock()
				fmt.Println(id + " " + text)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return nil
}

// A process may be killed at any moment of a turn: at most the turns in flight are lost, and all threads go on.
func TestKilledInTheMiddleOfTurns(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process that was killed cannot be told from one that failed")
	}
	kills := 4
	if n, err := strconv.Atoi(os.Getenv("FORAY_KILL")); err == nil {
		kills = n
	}
	path := ""
	var over []string // turns that were said to be over
	total := 0
	for i := range kills {
		if i%10 == 0 {
			path = filepath.Join(t.TempDir(), "f.db")
			over = nil
		}
		over = append(over, killTalk(t, talkEnv, path)...)
		checkTalk(t, path, over, i%10+1)
		total = max(total, len(over))
		if t.Failed() {
			t.Fatalf("after %d kills", i+1)
		}
	}
	if total == 0 {
		t.Error("no turn was over before a kill")
	}
	t.Logf("%d kills, up to %d turns that were over", kills, total)
}

// talkTogether sends messages to a thread to which other processes send messages, too, and says which turns are over.
func talkTogether(path string) error {
	h, err := newTalk(path)
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		text := fmt.Sprintf("I prefer number %d of %d.", n, os.Getpid())
		turn, err := h.Do(context.Background(), "t0", text)
		if err != nil {
			return err
		}
		first, last := 0, 0
		for _, e := range turn.Result.Transcript {
			if e.Unit != nil && e.Unit.Step > 0 {
				first, last = cmp.Or(first, e.Unit.Step), e.Unit.Step
			}
		}
		fmt.Printf("t0 %s\t%d %d\n", text, first, last)
	}
}

// Processes that talk in one thread at once, each killed at some moment, leave one valid conversation: the turns do not
// mix, those that were over are there once, and the next process goes on without anyone's help.
func TestWritersOfOneThreadKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process that was killed cannot be told from one that failed")
	}
	kills := 6
	if n, err := strconv.Atoi(os.Getenv("FORAY_KILL")); err == nil {
		kills = n
	}
	const writers = 3
	path := filepath.Join(t.TempDir(), "f.db")
	h := beside(t, path, scripted.New(scripted.Repeat(0, scripted.Text("seen"))))
	create(t, h, chat.Thread{ID: "t0", User: "ada"})
	var mu sync.Mutex
	var over []string
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for range (kills + writers - 1) / writers {
				turns := killTalk(t, togetherEnv, path)
				mu.Lock()
				over = append(over, turns...)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	checkSteps(t, over)
	complete := checkTalk(t, path, over, kills+writers)
	if len(over) == 0 {
		t.Error("no turn was over before a kill")
	}
	for turn, n := range complete {
		if n != 1 {
			t.Errorf("%s is there %d times", turn, n)
		}
	}
	t.Logf("%d turns were over, %d are complete", len(over), len(complete))
}

// checkSteps checks that no two turns have used a number of a step, which is the id of its texts. It cuts the numbers off.
func checkSteps(t *testing.T, over []string) {
	t.Helper()
	var spans [][2]int
	for i, line := range over {
		var span [2]int
		text, numbers, _ := strings.Cut(line, "\t")
		if _, err := fmt.Sscan(numbers, &span[0], &span[1]); err != nil || span[0] == 0 {
			t.Fatalf("%q: %v", line, err)
		}
		over[i], spans = text, append(spans, span)
	}
	slices.SortFunc(spans, func(a, b [2]int) int { return a[0] - b[0] })
	for i := range spans[:max(len(spans)-1, 0)] {
		if spans[i][1] >= spans[i+1][0] {
			t.Errorf("one turn has the steps %v and another one %v", spans[i], spans[i+1])
		}
	}
}

// killTalk starts a process that talks, kills it at a random time and returns the turns that it said were over.
func killTalk(t *testing.T, env, path string) (over []string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Error(err)
		return nil
	}
	other := exec.CommandContext(t.Context(), self)
	other.Env = append(os.Environ(), env+"="+path)
	other.Stderr = os.Stderr
	out, err := other.StdoutPipe()
	if err == nil {
		err = other.Start()
	}
	if err != nil {
		t.Error(err)
		return nil
	}
	after := rand.IntN(12)
	killer := time.AfterFunc(time.Minute, func() { _ = other.Process.Kill() })
	defer killer.Stop()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if over = append(over, lines.Text()); len(over) == after+1 {
			killer.Reset(time.Duration(rand.IntN(int(10 * time.Millisecond))))
		}
	}
	if err := other.Wait(); err == nil || other.ProcessState.ExitCode() > 0 {
		t.Errorf("it ended by itself: %v", err)
	}
	return over
}

// checkTalk checks that what was over is there, and that all else is whole turns and at most one question a kill.
// It returns how often each whole turn is there, and adds a turn to each thread.
func checkTalk(t *testing.T, path string, over []string, kills int) (whole map[string]int) {
	t.Helper()
	ctx := t.Context()
	s, err := store.Open(ctx, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h, err := chat.New(chat.Config{Store: s, Agent: agent.Config{Model: scripted.New(scripted.Repeat(0, scripted.Text("seen")))}})
	if err != nil {
		t.Fatal(err)
	}
	whole = make(map[string]int)
	for i := range 3 {
		id, torn := fmt.Sprint("t", i), 0
		if _, err := h.Thread(ctx, id); err != nil {
			continue // killed before it was there
		}
		lines := linesOf(t, h, id)
		for len(lines) > 0 {
			switch {
			case len(lines) > 3 && strings.HasPrefix(lines[3], "assistant: seen") && lines[2] == "tool: something":
				whole[id+" "+strings.TrimPrefix(lines[0], "user: ")]++
				lines = lines[4:]
			case len(lines) > 1 && lines[0] == "user: go on" && lines[1] == "assistant: seen":
				lines = lines[2:]
			case strings.HasPrefix(lines[0], "user: I prefer"):
				torn++
				lines = lines[1:]
			default:
				t.Fatalf("thread %s has %.200q", id, lines)
			}
		}
		if torn > kills {
			t.Errorf("thread %s has %d questions without an answer after %d kills", id, torn, kills)
		}
		ask(t, h, id, "go on")
	}
	for _, turn := range over {
		if whole[turn] == 0 {
			t.Errorf("%s was over, and is not whole", turn)
		}
	}
	if err := h.Close(ctx); err != nil {
		t.Error(err)
	}
	return whole
}
