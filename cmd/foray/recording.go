package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/replay"
)

// A recordFile takes the answers of a run. The zero value takes nothing.
type recordFile struct {
	file     *os.File
	recorder *replay.Recorder
}

// record has the answers of the model written to a file that only its owner may read.
func (c *choice) record(file *os.File) {
	if file != nil {
		recorder := replay.Record(c.model, file)
		c.model, c.recorded = recorder, recordFile{file, recorder}
	}
}

// close ends the recording, and says why it is not whole.
func (r recordFile) close() error {
	if r.file == nil {
		return nil
	}
	return errors.Join(r.recorder.Err(), r.file.Close())
}

// choosePlayed makes the model that answers as it is recorded. The meter says what the answers cost when they came.
func choosePlayed(f *modelFlags, say func(string)) (*choice, error) {
	file, err := os.Open(f.replay)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usage("--record "+quote(f.replay)+" with a --model makes it", "there is no recording %q", f.replay)
	}
	if err != nil {
		return nil, usage("--replay FILE", "the recording cannot be read: %v", err)
	}
	defer file.Close()
	m, err := replay.Open(file)
	if err != nil {
		return nil, usage("--replay with a FILE that --record wrote", "%s: %v", f.replay, err)
	}
	info := m.Info()
	c := &choice{model: m, played: m, rules: info.Provider == plannerProvider}
	say(fmt.Sprintf("replay of %s: nobody is asked", c.name()))
	if m.Warning() != "" {
		say("warning: the recording: " + m.Warning())
	}
	if asked := f.spec(); f.model != "" && asked != info.Provider+"/"+info.Name {
		say(fmt.Sprintf("warning: --model %s is not asked: the recording is of %s", asked, c.name()))
	}
	if !c.rules {
		c.meter = providers.NewMeter(nil)
		c.model = c.meter.Watch(m)
	}
	return c, nil
}

// left is how many recorded answers nobody asked for.
func (c *choice) left() int {
	if c.played == nil {
		return 0
	}
	return c.played.Left()
}
