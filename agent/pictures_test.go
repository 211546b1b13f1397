package agent_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// A shot is a picture with words.
type shot struct {
	text string
	im   toollimit.Image
}

func (s shot) Text() (toollimit.Kind, string) { return toollimit.Text, s.text }

func (s shot) Images() []toollimit.Image {
	if s.im.Name == "panics" {
		panic("no picture")
	}
	return []toollimit.Image{s.im}
}

func picture(name string) toollimit.Image {
	return toollimit.Image{Name: name, Type: "image/png", Width: 100, Height: 100, Data: []byte("data of " + name)}
}

// look shows a picture to a model that takes pictures.
var look = tools.New("look", "Look at a picture.", func(ctx context.Context, in struct {
	Name string `json:"name"`
}) (any, error) {
	if !tools.RunFrom(ctx).Sees {
		return "only words", nil
	}
	return shot{"the picture " + in.Name, picture(in.Name)}, nil
})

func callLook(name string) scripted.Line {
	return scripted.Calls(scripted.Call{Name: "look", Args: map[string]string{"name": name}})
}

func picturesOf(req providers.Request) (names []string) {
	for _, m := range req.Messages {
		for i := range m.Images {
			names = append(names, m.Images[i].Name)
		}
	}
	return names
}

var goneMark = regexp.MustCompile(`\[picture, no longer shown: \S+, PNG, 100×100 pixels; see it again: ` + toollimit.ReadTool + ` id=(s\d+\.1)\]`)

// Rule: in a run of many pictures every request fits and is valid, the newest picture is in it and so is the prompt's,
// one that was evicted is named with an id that shows it again, and a run that is resumed sends the same.
func TestManyPictures(t *testing.T) {
	const steps = 14
	lines := make([]scripted.Line, 0, steps+2)
	for i := range steps {
		lines = append(lines, callLook(fmt.Sprintf("p%d.png", i)))
	}
	again, gone := "", ""
	lines = append(lines, scripted.Func(func(req *providers.Request) scripted.Line {
		for _, m := range req.Messages {
			if found := goneMark.FindStringSubmatch(m.Text); found != nil {
				gone, again = found[0], found[1]
			}
		}
		return scripted.Calls(callRead(again))
	}), scripted.Text("seen"))
	config := agent.Config{
		Tools: []tools.Tool{look}, Budget: contextwindow.Budget{Limit: 12_000},
		Limits: agent.Limits{Steps: 40},
	}
	info := providers.Info{Vision: providers.Vision{Base: 1_200}}
	model := scripted.Options{Info: info}.New(lines...)
	config.Model = model
	a, err := agent.New(config)
	if err != nil {
		t.Fatal(err)
	}
	tape := new(tape)
	task := agent.Task{Prompt: "Look.", Images: []toollimit.Image{picture("first.png")},
		Session: &agent.Session{Store: tape, ID: "s"}}
	result, err := a.Do(t.Context(), task)
	if err != nil || result.Text != "seen" || len(result.Compactions) == 0 {
		t.Fatalf("%v, %+v", err, result)
	}
	requests := model.Requests()
	for i, req := range requests {
		names := picturesOf(req)
		if i > 0 && i <= steps && names[len(names)-1] != fmt.Sprintf("p%d.png", i-1) || names[0] != "first.png" {
			t.Errorf("request %d shows %v", i, names)
		}
		if err := transcript.Check(req.Messages, transcript.AnyProvider); err != nil {
			t.Errorf("request %d: %v", i, err)
		}
		if n := providers.Size(&req); n > 12_000 || n < 1_200*len(names) {
			t.Errorf("request %d has %d tokens, with %d pictures", i, n, len(names))
		}
	}
	shown := requests[len(requests)-1].Messages
	if last := shown[len(shown)-1]; gone == "" || len(last.Images) != 1 || !goneMark.MatchString("[picture, no longer shown: "+
		last.Images[0].String()+"; see it again: "+toollimit.ReadTool+" id="+again+"]") {
		t.Errorf("reading %s again (%s) gives %+v", again, gone, last)
	}
	records := recordsOf(t, tape, "s")
	for _, end := range []int{tape.ends[0], tape.ends[len(tape.ends)/3], tape.ends[len(tape.ends)-4]} {
		store := new(session.InMemory)
		must(t, store.AppendRecords(t.Context(), "s", 0, records[:end]...))
		done := 0 // whole steps
		for _, r := range records[:end] {
			if r.Step != nil {
				done++
			}
		}
		config.Model = scripted.Options{Info: info}.New(lines[done:]...)
		resumed, err := agent.New(config)
		must(t, err)
		got, err := resumed.Resume(t.Context(), store, "s")
		if err != nil || got.Text != "seen" {
			t.Fatalf("after %d records: %v, %+v", end, err, got)
		}
		sent := config.Model.(*scripted.Model).Requests()
		if diff := cmp.Diff(requests[len(requests)-len(sent):], sent); diff != "" {
			t.Errorf("after %d records, the requests differ:\n%s", end, diff)
		}
	}
}

// A model that takes no pictures gets them described, and tools know.
func TestPicturesForABlindModel(t *testing.T) {
	a, model := start(t, agent.Config{Tools: []tools.Tool{look}}, callLook("a.png"), scripted.Text("done"))
	result, err := a.Do(t.Context(), agent.Task{Prompt: "Look.", Images: []toollimit.Image{picture("first.png")}})
	if err != nil {
		t.Fatal(err)
	}
	requests := model.Requests()
	if last := lastText(requests[len(requests)-1]); last != "only words" {
		t.Errorf("the tool said %q", last)
	}
	if n := result.Context.Tokens; n > 400 {
		t.Errorf("%d tokens, though no picture is sent", n)
	}
}

// A tool whose pictures panic is a tool without pictures.
func TestPicturesThatPanic(t *testing.T) {
	broken := tools.New("look", "Look.", func(context.Context, struct{}) (any, error) {
		return shot{"words", toollimit.Image{Name: "panics"}}, nil
	})
	_, requests := run(t, agent.Config{Tools: []tools.Tool{broken}}, scripted.Calls(scripted.Call{Name: "look", Args: map[string]string{}}), scripted.Text("done"))
	last := requests[len(requests)-1].Messages
	if m := last[len(last)-1]; m.Text != "words" || len(m.Images) > 0 || slices.ContainsFunc(last, func(m transcript.Message) bool { return m.Failed }) {
		t.Errorf("%+v", m)
	}
}
