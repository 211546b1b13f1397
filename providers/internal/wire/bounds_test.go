package wire

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// TestBoundsAreDocumented compares the bounds with the table for users.
func TestBoundsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{
		fmt.Sprintf("| text and reasoning, in bytes | %d MB;", maxText/mega),
		fmt.Sprintf("| one call of a tool: id, name and arguments | %d MB |", maxCall/mega),
		fmt.Sprintf("| calls of one answer | %d |", maxCalls),
		fmt.Sprintf("| all calls, and data that the service wants back | %d MB |", maxHeld/mega),
		fmt.Sprintf("| name of a call | %d bytes,", maxCallName),
		fmt.Sprintf("| id of a call | %d KB,", maxCallID>>10),
		fmt.Sprintf("| one event of a stream | %d MB and %d,000 JSON values |", maxEvent/mega, maxValues/1000),
		fmt.Sprintf("| events of a stream | %d,000 |", maxEvents/1000),
		fmt.Sprintf("| body, after decompression | %d MB;", maxBody/mega),
		fmt.Sprintf("| body after the finish of a complete answer | %d KB and %d seconds;", maxRest>>10, restTime/time.Second),
		fmt.Sprintf("| body of an error | %d KB are read, %d characters", maxErrorBody>>10, maxCause),
	} {
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/models.md lacks %q", row)
		}
	}
}
