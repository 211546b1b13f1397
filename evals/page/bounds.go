package page

import "fmt"

// bounds are the most that goes into a page.
type bounds struct {
	rows     int // of the table
	page     int // bytes of the details of all trials, compressed, in base64
	trial    int // bytes of the texts of one trial
	text     int // bytes of one text
	events   int // of one trial
	requests int // of one trial that are shown message by message
}

// defaults let a browser open the page in a second or two, and make one of a long trial in a few.
var defaults = bounds{rows: 50_000, page: 24 << 20, trial: 24 << 20, text: 64 << 10, events: 100_000, requests: 400}

// omissions are sentences about what is not in a page, each once.
type omissions []string

func (o *omissions) add(format string, args ...any) {
	*o = append(*o, fmt.Sprintf(format, args...))
}
