package reread_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/reread"
)

func Example() {
	texts := working.New(nil).Open()
	if err := texts.Put("s2.1", "one\ntwo\nthree\n"); err != nil {
		fmt.Println(err)
	}
	tool := reread.Tool(func(context.Context) contextwindow.Store { return texts })
	for _, args := range []string{`{"id":"s2.1","limit":2}`, `{"id":"s2.1","find":"ee"}`, `{"id":"s2.7"}`} {
		out, err := tool.Call(context.Background(), json.RawMessage(args))
		if err != nil {
			fmt.Println(err)
			continue
		}
		_, text := tools.Render(out)
		fmt.Print(text)
	}
	// Output:
	// one
	// two
	// [lines 1-2 of 3 of s2.1; next: start_line=3]
	// L3 three
	// [1 found in lines 1-3 of 3 of s2.1; end of s2.1]
	// unknown_id: nothing is stored under "s2.7": nothing was shortened so far; try: look further up: everything is shown whole
}
