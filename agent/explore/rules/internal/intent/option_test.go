package intent

import "testing"

func TestOptionOf(t *testing.T) {
	for _, tt := range []struct {
		question  string
		may, says bool
	}{
		{"which flag hides colours?", true, true},
		{"which configuration file is read first?", false, false},
		{"is there an option to print json?", true, true},
		{"what environment variable sets the proxy?", true, true},
		{"Welche Option blendet Farben aus?", true, true},
		{"哪个选项关闭颜色？", true, true},
		{"how do I turn off colours?", true, false},
		{"can it ignore duplicates?", true, false},
		{"如何关闭颜色？", true, false},
		{"how are colours printed?", false, false},
		{"which value does a flag get without one?", false, false},
		{"how long may a parameter be?", false, false},
		{"are there settings for colours?", true, true},
		{"any flag that hides colours?", true, true},
		{"重定向是怎么跟随的？", false, false},
		{"who calls hideColours?", false, false},
		{"what happens when the input has a property that nobody knows?", false, false},
		{"what happens if a flag is given twice?", false, false},
		{"why does an option have two names?", false, false},
		{"which option decides what happens when it is full?", true, true},
	} {
		if may, says, _ := OptionOf(tt.question); may != tt.may || says != tt.says {
			t.Errorf("%s: %v, %v", tt.question, may, says)
		}
	}
}
