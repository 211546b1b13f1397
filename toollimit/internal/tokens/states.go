package tokens

// The classes of bytes. A lead byte of UTF-8 determines the script, so no rune is decoded.
const (
	vowel = iota
	consonant
	rare // letters that are rare inside an English token
	upper
	digit
	blank
	tab
	newline
	carriage
	under
	dot
	comma
	apos
	quote
	openers
	closers
	rule // characters that make long lines: - = * # ~ +
	slash
	colon
	other
	control
	continuation
	latin // from here on: lead bytes
	cyrillic
	semitic // and Greek: scripts with a token for about every letter
	indic
	sign // U+2000 to U+2FFF: dashes, quotes, arrows, boxes
	kana
	han
	hangul
	private
	astral
	classes
)

// classRuns names the class of every ASCII character that is neither other nor control.
var classRuns = [...]struct {
	class uint16
	chars string
}{
	{vowel, "aeiouy"}, {consonant, "bcdfghlmnprst"}, {rare, "jkqvwxz"},
	{upper, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}, {digit, "0123456789"},
	{blank, " "}, {tab, "\t"}, {newline, "\n"}, {carriage, "\r"},
	{under, "_"}, {dot, "."}, {comma, ","}, {apos, "'"}, {quote, "\"`"},
	{openers, "([{"}, {closers, ")]}"}, {rule, "-=*#~+"}, {slash, "/\\"}, {colon, ":;!?"},
}

// leadRuns gives the class of each range of bytes by its start; a range ends where the next one starts.
var leadRuns = [...]struct {
	from  int
	class uint16
}{
	{0x20, other}, {0x7f, control}, {0x80, continuation}, {0xc0, latin}, {0xcc, semitic}, {0xd0, cyrillic},
	{0xd6, semitic}, {0xe0, indic}, {0xe2, sign}, {0xe3, kana}, {0xe4, han}, {0xea, hangul},
	{0xee, private}, {0xf0, astral},
}

func classTable() (t [256]uint16) {
	for b := range 0x20 {
		t[b] = control
	}
	for _, r := range leadRuns {
		for b := r.from; b < len(t); b++ {
			t[b] = r.class
		}
	}
	for _, r := range classRuns {
		for _, c := range []byte(r.chars) {
			t[c] = r.class
		}
	}
	return t
}

// The states describe the preceding bytes. A numbered run counts its characters; the last number covers longer runs.
// Mixed runs occur in hex, base64 and version numbers: letters and digits alternate after fewer than three characters.
const (
	afterLine = iota // also the start, so lines add up exactly
	afterIndent
	afterBlank
	afterBlanks
	afterLow1
	afterLow2
	afterLow3
	afterLow4
	afterLow5
	afterLow6
	afterLow7
	afterLow8
	afterMix1
	afterMix2
	afterMix3
	afterAcc1 // lower letters that follow an accented one
	afterAcc2
	afterAcc3
	afterUp1
	afterUp2
	afterUp3
	afterMixUp1
	afterMixUp2
	afterMixUp3
	afterDig1 // digits go by three, as the tokenizers group them
	afterDig2
	afterDig3
	afterMixDig1
	afterMixDig2
	afterMixDig3
	afterUnder // one punctuation character, in the order of the classes
	afterDot
	afterComma
	afterApos
	afterQuote
	afterOpen
	afterShut
	afterRule
	afterSlash
	afterColon
	afterOther
	afterCtrl
	afterPunct2
	afterPunct3
	afterPunctR // punctuation whose last character may begin a line of rules
	afterRun2
	afterRun4
	afterStray
	afterLatin // a rune, in the order of the lead classes
	afterCyrillic
	afterSemitic
	afterIndic
	afterSign
	afterKana
	afterHan
	afterHangul
	afterPrivate
	afterAstral
	afterSigns // two signs or more
	states
)

// Each kind of rune has three more states: one, two or three continuation bytes are still to come.
const (
	kinds     = afterSigns - afterLatin + 1
	allStates = states + 3*kinds
)

// tails holds the number of continuation bytes for each kind of rune.
var tails = [kinds]int{1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 2}

// outside returns the state whose weights apply in s. Inside an incomplete rune these are the weights after the rune.
func outside(s int) int {
	if s < states {
		return s
	}
	return afterLatin + (s-states)/3
}

func next(s, c int) int {
	if s >= states && c == continuation {
		if (s-states)%3 == 0 {
			return outside(s)
		}
		return s - 1
	}
	s = outside(s)
	switch {
	case c <= rare:
		return nextLower(s)
	case c == upper:
		return nextUpper(s)
	case c == digit:
		return nextDigit(s)
	case c == blank || c == tab:
		return nextBlank(s, c)
	case c == newline:
		return afterLine
	case c == carriage || c == control:
		return afterCtrl
	case c == continuation:
		return afterStray
	case c == sign && (s == afterSign || s == afterSigns):
		return states + 3*(kinds-1) + tails[kinds-1] - 1
	case c >= latin:
		return states + 3*(c-latin) + tails[c-latin] - 1
	}
	return nextPunct(s, c)
}

func nextLower(s int) int {
	switch {
	case s == afterLow8:
		return afterLow8
	case s == afterMix3, s == afterAcc3:
		return afterLow4
	case s >= afterLow1 && s < afterAcc3:
		return s + 1
	case s >= afterUp1 && s <= afterUp3:
		return afterLow2
	case s >= afterMixUp1 && s <= afterMixUp3:
		return afterMix2
	case s >= afterDig1 && s <= afterMixDig3:
		return afterMix1
	case s == afterLatin:
		return afterAcc1
	}
	return afterLow1
}

func nextUpper(s int) int {
	switch s {
	case afterUp1:
		return afterUp2
	case afterUp2, afterUp3, afterMixUp3:
		return afterUp3
	case afterMixUp1, afterMixUp2:
		return s + 1
	case afterLow1, afterLow2, afterMix1, afterMix2:
		return afterMixUp1
	}
	if s >= afterDig1 && s <= afterMixDig3 {
		return afterMixUp1
	}
	return afterUp1
}

func nextDigit(s int) int {
	switch {
	case s == afterDig3, s == afterMixDig3:
		return afterDig1
	case s >= afterDig1 && s < afterMixDig3:
		return s + 1
	case s >= afterLow1 && s < afterDig1:
		return afterMixDig1
	}
	return afterDig1
}

func nextBlank(s, c int) int {
	switch {
	case s == afterLine, s == afterIndent:
		return afterIndent
	case s == afterBlank, s == afterBlanks, c == tab:
		return afterBlanks
	}
	return afterBlank
}

func nextPunct(s, c int) int {
	line := c == rule || c == under || c == dot
	after := s >= afterUnder && s <= afterOther || s >= afterPunct2 && s <= afterRun4
	switch {
	case line && (s == afterRule || s == afterUnder || s == afterDot || s == afterPunctR):
		return afterRun2
	case line && (s == afterRun2 || s == afterRun4):
		return afterRun4
	case line && after:
		return afterPunctR
	case s >= afterPunct2 && s <= afterRun4:
		return afterPunct3
	case after:
		return afterPunct2
	}
	return afterUnder + c - under
}
