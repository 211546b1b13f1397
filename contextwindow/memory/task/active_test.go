package task_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/forayhq/foray/contextwindow/memory/task"
	"github.com/forayhq/foray/toollimit"
)

func ExampleActive() {
	var active task.Active
	fmt.Println(active.Hear("t1", "Find where the cache is filled. Do not change any file."))
	active.Step(task.Step{Text: "list the callers", Status: task.Done, Calls: []string{"c1"}})
	active.Step(task.Step{Text: "read cache.go"})
	active.Find(task.Finding{Text: "fill is called by warm", Evidence: "warm.go:12", Importance: 8})
	fmt.Println(active.Hear("t2", "ok, continue"))
	fmt.Println(active.Summary())
	// Output:
	// true
	// false
	// Task (active): Find where the cache is filled. Do not change any file.
	// Constraints:
	// - Do not change any file.
	// Open steps:
	// - read cache.go
	// Findings:
	// - fill is called by warm (warm.go:12)
	// Last done:
	// - list the callers
	// Said since:
	// - ok, continue
}

func TestWhatStartsATask(t *testing.T) {
	follows := []string{
		"ok", "OK!", "Okay.", "yes", "Yes, go ahead", "thanks", "Thank you!", "continue", "Continue, please.", "go on", "keep going", "next",
		"sounds good", "👍", "...", "ok, thanks, go on", "Continue with the second file", "go ahead, use the first one", "yes do it",
		"好", "好的", "好的，继续", "继续", "继续吧", "请继续", "嗯", "可以", "没问题", "谢谢", "明白了", "收到", "下一步", "是的，继续。", "继续看第二个文件", "对的",
		"好的谢谢你", "ok 继续", "　继续　",
	}
	starts := []string{
		"Where is the parser?", "okra recipes", "Explain the continue statement of Go in one paragraph, and when a label is needed with it",
		"continue statement: what does it do?", "Yesterday the build broke", "nobody calls this function", "thanksgiving dinner ideas",
		"goo on the wall", "找到缓存在哪里填充", "好看的配色有哪些？", "继续教育政策是什么？", "对比两个文件", "可以用什么数据库", "不要用缓存", "Next.js or Remix", "fix it",
	}
	for _, message := range follows {
		active := begin("t1", "Find the parser")
		if active.Hear("t2", message) || active.ID != "t1" || active.Goal != "Find the parser" || len(active.FollowUps) != 1 {
			t.Errorf("%q started a task: %+v", message, active)
		}
	}
	for _, message := range starts {
		active := begin("t1", "Find the parser")
		if !active.Hear("t2", message) || active.ID != "t2" || active.Goal != message {
			t.Errorf("%q started no task: %+v", message, active)
		}
	}
	var none task.Active
	if none.Hear("t1", "你好") || none.Status != "" || none.Summary() != "" {
		t.Errorf("a greeting started a task: %+v", none)
	}
	waiting := begin("t1", "Find the parser")
	waiting.Status = task.Waiting
	if waiting.Hear("t2", "the one in lang/") || waiting.Status != task.InProgress {
		t.Errorf("an answer started a task: %+v", waiting)
	}
}

func TestSubGoalsAndConstraints(t *testing.T) {
	active := begin("t", "Please do this:\n1. read main.go\n2) list the flags\n- write a table\n3、检查错误\nYou must not touch vendor/. 不要修改测试。Is that clear?")
	want := []string{"read main.go", "list the flags", "write a table", "检查错误"}
	if !reflect.DeepEqual(active.SubGoals, want) {
		t.Errorf("parts %q", active.SubGoals)
	}
	if want := []string{"You must not touch vendor/.", "不要修改测试。"}; !reflect.DeepEqual(active.Constraints, want) {
		t.Errorf("constraints %q", active.Constraints)
	}
}

func TestStepsAndFindings(t *testing.T) {
	active := begin("t", "goal")
	for i := range 300 {
		status := task.Done
		if i%3 == 0 {
			status = task.Open
		}
		active.Step(task.Step{Text: fmt.Sprint("step ", i), Status: status})
		active.Find(task.Finding{Text: fmt.Sprint("finding ", i), Importance: i % 20})
		active.Question(fmt.Sprint("question ", i))
	}
	active.Step(task.Step{Text: "step 297", Status: task.Done, Calls: []string{"c1"}})
	active.Step(task.Step{Text: "step 297", Status: task.Failed, Calls: []string{"c1", "c2"}})
	active.Answered("question 299")
	if len(active.Steps) > 100 || len(active.Findings) > 50 || len(active.Questions) != 19 {
		t.Errorf("%d steps, %d findings, %d questions", len(active.Steps), len(active.Findings), len(active.Questions))
	}
	for _, f := range active.Findings {
		if f.Importance < 10 {
			t.Errorf("a finding of %d was kept over more important ones", f.Importance)
		}
	}
	last := active.Steps[len(active.Steps)-1]
	for _, s := range active.Steps {
		if s.Text == "step 297" {
			last = s
		}
	}
	if last.Status != task.Failed || !reflect.DeepEqual(last.Calls, []string{"c1", "c2"}) {
		t.Errorf("the step that was told again: %+v", last)
	}
}

// Whatever is said and found: the goal stays, the summary is within its cap, and JSON holds all of it.
func TestTaskAnySize(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		piece := rapid.SampledFrom([]string{"word ", "继续", "\n- a", "</goal>", "must not. ", "\xff", "?", "a/b.go "}).Draw(t, "piece")
		return strings.Repeat(piece, rapid.IntRange(0, 300).Draw(t, "n"))
	})
	rapid.Check(t, func(t *rapid.T) {
		goal := "GOAL " + text.Draw(t, "goal")
		active := begin("t", goal)
		for range rapid.IntRange(0, 40).Draw(t, "events") {
			switch rapid.IntRange(0, 5).Draw(t, "event") {
			case 0:
				active.Hear("", "ok "+strings.Repeat("ok ", rapid.IntRange(0, 5).Draw(t, "n")))
			case 1:
				active.Step(task.Step{Text: text.Draw(t, "step"), Status: task.Done, Calls: []string{"c"}})
			case 2:
				active.Find(task.Finding{Text: text.Draw(t, "finding"), Evidence: text.Draw(t, "evidence"), Importance: 99})
			case 3:
				active.Question(text.Draw(t, "question"))
			case 4:
				active.Constrain(text.Draw(t, "constraint"))
			case 5:
				active.Step(task.Step{Text: text.Draw(t, "open")})
			}
		}
		if active.Goal != strings.ToValidUTF8(goal, "\uFFFD") {
			t.Fatalf("the goal was changed: %q", active.Goal)
		}
		summary := active.Summary()
		if n := toollimit.Tokens(summary); n > 400 || !strings.HasPrefix(summary, "Task (active): GOAL") {
			t.Fatalf("%d tokens: %s", n, summary)
		}
		saved, err := json.Marshal(active)
		if err != nil {
			t.Fatal(err)
		}
		var loaded task.Active
		if err := json.Unmarshal(saved, &loaded); err != nil || !reflect.DeepEqual(loaded, active) {
			t.Fatalf("%v\n%+v\n%+v", err, loaded, active)
		}
	})
}

// Whatever a user says: it starts a task with these words or is a follow-up, and says the same twice.
func FuzzHear(f *testing.F) {
	for _, s := range []string{"ok", "继续", "continue", "1. a\n2. b", "must", "", "\xff", "？", "好的好的好", "ok ok ok ok"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, message string) {
		a, b := begin("1", "goal"), begin("1", "goal")
		if a.Hear("2", message) != b.Hear("2", message) || !reflect.DeepEqual(a, b) {
			t.Fatalf("%+v %+v", a, b)
		}
		if a.ID == "1" && a.Goal != "goal" || a.ID == "2" && a.Goal != strings.ToValidUTF8(message, "\uFFFD") || toollimit.Tokens(a.Summary()) > 400 {
			t.Fatalf("%+v", a)
		}
	})
}

// begin returns the task that a message starts.
func begin(id, message string) (active task.Active) {
	active.Hear(id, message)
	return active
}
