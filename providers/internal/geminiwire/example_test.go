package geminiwire_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/forayhq/foray/providers/internal/geminiwire"
)

// A stream is read event by event, whatever form it comes in.
func Example() {
	service, err := geminiwire.New("gemini", geminiwire.Config{Name: "gemini-2.5-flash", Key: "a-key"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, body := range []string{": hello\r\n\r\ndata: {\"n\":1}\r\n\r\ndata: {\"n\":2}", `[{"n":1}, {"n":2}]`, "<html>"} {
		events := service.Events(&http.Response{Body: io.NopCloser(strings.NewReader(body))})
		for event, err := events.Next(); err != io.EOF; event, err = events.Next() {
			if err != nil {
				fmt.Println(err)
				break
			}
			fmt.Println(string(event.Data))
		}
	}
	fmt.Println(geminiwire.Finish("STOP", true), geminiwire.Finish("SPII", true))
	// Output:
	// {"n":1}
	// {"n":2}
	// {"n":1}
	// {"n":2}
	// gemini/gemini-2.5-flash: malformed: the server answered with a web page; is the base URL https://generativelanguage.googleapis.com right? It must not include the version
	// calls filtered
}
