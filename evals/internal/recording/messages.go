package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// faults are repairs that lose or move what a message says.
var faults = []string{repairLate, repairOrphan, repairDuplicate}

// Messages reads an array of the messages of one conversation, in the form of package transcript or of chat services,
// and returns the system messages apart. It repairs what [Load] repairs, except results that answer no call, answer one
// twice or come too late: these are errors.
func Messages(raw json.RawMessage) (system string, all []transcript.Message, err error) {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return "", nil, errors.New("must be an array of messages")
	}
	var run recordedRun
	for i, item := range items {
		if err := run.line(item); err != nil {
			return "", nil, fmt.Errorf("message %d: %w", i+1, plain(err))
		}
	}
	repairs := make(map[string]int)
	var t Trajectory
	t.arrange(run, repairs)
	for _, fault := range faults {
		if repairs[fault] > 0 {
			return "", nil, fmt.Errorf("messages have %s", fault)
		}
	}
	return t.System, slices.Concat(t.Units...), nil
}
