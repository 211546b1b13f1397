package exact

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// amounts finds the line that gives a described setting its value.
type amounts struct{ *Search }

// Bounds of the search.
const (
	maxAmounts     = 2000 // lines with a word
	maxAmountsEach = 300  // of a file
	maxAmountWords = 5
	commentsAbove  = 4 // lines that may describe it
)

// An amount is a line that gives a name a value.
type amount struct {
	assignment
	name   string
	about  string   // what describes it: comments and the value
	passed bool     // it is an argument of a call
	within []string // the words of the key whose value it is a part of

	help       string // of an option or a setting with this name
	documented bool   // it is what a comment or a document says

	first, last int  // lines of the block of defaults that it is in; 0: none is known
	numbered    bool // it continues a run of consecutive numbers, as in an enumeration
}

// flagForm matches a call that declares a flag, up to its name, as [flagCall] does.
const flagForm = `\.(?:U?[Ii]nt(?:16|32|64)?|Float64|String|Duration)(?:Var)?P?\((?:&?[\w.]+,\s*)?`

// declaring matches the keywords and types before a name that is declared.
const declaring = `(?:\b(?:var|let|const|val|static|final|mut|local|my|pub|int|long|unsigned|size_t)\s+)*`

// typeForm matches the type that a name is declared with after a colon, or a part of it.
const typeForm = `[^=,;(){}"'\s|]{1,40}`

var (
	// given matches a name that is given a value, up to the value.
	given = lazyregexp.New(declaring + `([\pL_$][\w$-]*)["'\]]?(?:\s*=>\s*|` +
		`(?:\s+(?:[\w\[]|\*\w)[\w.*\[\]<>]{0,30}|\s*:\s*` + typeForm + `(?:\s*\|\s*` + typeForm + `)*)?` +
		`\s*(?::=|\|\|=|=)\s*|\s*:\s*)`)
	// called matches the same in a call that takes both, and defined in a macro.
	called  = lazyregexp.New(`(?i)(?:set|default|define|option)\w*\s*\(?\s*[:"']([\pL_][\w.-]*)["']?\s*,\s*`)
	defined = lazyregexp.New(`#\s*define\s+(\w+)\s+`)
	// flagged matches the same in the declaration of a flag, which may have a short name before the value.
	flagged = lazyregexp.New(flagForm + `"([\w.-]+)",\s*(?:"\w?",\s*)?`)
	// configured matches the same in a file that puts no sign between.
	configured = lazyregexp.New(`^\s*([a-z][\w-]*)\s+\b`)
	configFile = lazyregexp.New(`\.(?:conf|cfg|ini|properties)$`)
	// passing matches a line up to an argument of a call.
	passing = lazyregexp.New(`\w\([^()]*$`)
	remark  = lazyregexp.New(`(?://|#|/\*|--).*`)

	// numeral matches a number that is no part of a name and no index.
	numeral     = lazyregexp.New(`(?:^|[^\w.$\[])-?\d[\d_]*`)
	noAmount    = lazyregexp.New(`^(?:[:={\[>"']|0x)|\w = `)
	plainNumber = lazyregexp.New(`^["']\d[\d_]*["']$`)
	quoted      = lazyregexp.New(`^(?:"[^"\s]+"|'[^'\s]+')$`)
	endsInPort  = lazyregexp.New(`:\d{2,5}["']?$`)

	// example matches a line of a session, which sets nothing.
	example = lazyregexp.New(`^\s*(?:>>>|\.\.\. |\$ )`)
)

// givenIn returns the names that a line gives a number, or a text if one may be asked for.
func (s amounts) givenIn(text string, forms []*lazyregexp.Regexp) (all []amount) {
	for _, re := range forms {
		for _, at := range re.FindAllStringSubmatchIndex(text, -1) {
			v := firstValue(text[at[1]:])
			own := strings.EqualFold(strings.Trim(v, `"'`), text[at[2]:at[3]]) // a constant with its own name
			if own || inText(text, at[2], at[3]) || !s.measures(v) {
				continue
			}
			about := v + " " + remark.FindString(text[at[1]+strings.Index(text[at[1]:], v)+len(v):])
			if endsInPort.MatchString(v) {
				about += " port address"
			}
			all = append(all, amount{assignment: assignment{value: v, text: text, declared: re == flagged},
				name: text[at[2]:at[3]], about: about,
				passed: re != flagged && passing.MatchString(text[:at[2]]) && !parameter.MatchString(text)})
		}
	}
	return all
}

// measures reports whether a value may answer the question.
func (s amounts) measures(value string) bool {
	if quoted.MatchString(value) {
		return s.measure.Text && !versions.MatchString(value) || plainNumber.MatchString(value)
	}
	return numeral.MatchString(value) && !noAmount.MatchString(value)
}

// inText reports whether a name is inside of a quoted text, and not all of it.
func inText(text string, from, to int) bool {
	quote := byte(0)
	for i := range from {
		switch c := text[i]; {
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == quote && text[max(i-1, 0)] != '\\':
			quote = 0
		}
	}
	return quote != 0 && (to == len(text) || text[to] != quote)
}

// commentAbove returns the comment that ends before a line.
func commentAbove(before []string) string {
	at := len(before)
	for at > 0 && comments(before[at-1]) > 0 {
		at--
	}
	return strings.Join(before[at:], " ")
}

// opens matches the line before the parts of a value. Its group is the key.
var opens = lazyregexp.New(`^\s*["']?([\pL_$][\w$-]*)["']?\s*(?:=>|:)\s*[\w&*.<>:]*[{(\[]?\s*$`)

// keyAbove returns the key whose value has a line as a part: server of port, in server: {port: 80}. It is "" if none of
// the lines before it is that key.
func keyAbove(before []string, text string) string {
	for _, above := range slices.Backward(before) {
		if strings.TrimSpace(above) == "" || indent(above) >= indent(text) {
			continue
		}
		if m := opens.FindStringSubmatch(above); m != nil {
			return m[1]
		}
		break
	}
	return ""
}
