package replay_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/replay"
	"github.com/forayhq/foray/providers/scripted"
)

// An answer is recorded once and given again without the model.
func Example() {
	question := func(text string) *providers.Request {
		return &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: text}}}
	}
	var file bytes.Buffer
	recorder := replay.Record(scripted.New(scripted.Text("Fine, thank you.")), &file)
	answer, _ := providers.Ask(context.Background(), recorder, question("How are you?"))
	fmt.Println(answer.Message.Text, recorder.Err())

	model, err := replay.Open(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, _ = providers.Ask(context.Background(), model, question("How are you?"))
	fmt.Println(answer.Message.Text)
	_, err = providers.Ask(context.Background(), model, question("Who are you?"))
	fmt.Println(err)
	// Output:
	// Fine, thank you. <nil>
	// Fine, thank you.
	// scripted/script: invalid: this request is not recorded; from the nearest one, line 1 of the recording, it differs in: message 1 of 1 (user): text
}
