package intent

import (
	_ "embed" // the forms
	"strings"
	"sync"
)

// formList has a block for each row: its kind, and the forms below it, indented by two. What continues a form is
// indented by six. See the package documentation for how to add one.
//
//go:embed forms.txt
var formList string

// A row is a kind of question and the forms that people give it.
type row struct {
	kind  Kind
	weak  bool // the forms also match other questions
	forms []form
}

// table is tried in order.
var table = sync.OnceValue(func() (all []row) {
	list := strings.ReplaceAll(strings.TrimSpace(formList), "\n      ", " ")
	for block := range strings.SplitSeq(list, "\n\n") {
		title, forms, _ := strings.Cut(block, ":\n")
		kind, weak := strings.CutSuffix(title, ", weak")
		all = append(all, row{Kind(kind), weak, compileAll(strings.Split(forms, "\n"))})
	}
	return all
})
