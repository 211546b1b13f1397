package recording

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/sessionfile"
)

// faults are repairs that lose or move what a message says.
var faults = []string{sessionfile.Late, sessionfile.Orphan, sessionfile.Duplicate}

// Messages reads an array of the messages of one conversation, in the form of package transcript or of chat services,
// and returns the system messages apart. It repairs what [Load] repairs, except results that answer no call, answer one
// twice or come too late: these are errors.
func Messages(raw json.RawMessage) (system string, all []transcript.Message, err error) {
	run, report, err := sessionfile.Messages(raw)
	if err != nil {
		return "", nil, err
	}
	for _, f := range report.Findings {
		if slices.Contains(faults, f.What) {
			return "", nil, fmt.Errorf("messages have %s", f.What)
		}
	}
	return run.System, run.Messages, nil
}
