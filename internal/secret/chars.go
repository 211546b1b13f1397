package secret

// A set is a set of bytes.
type set [256]bool

// newSet returns the set of the bytes in the ranges, each two bytes, and in the rest.
func newSet(ranges, rest string) *set {
	s := &set{}
	for i := 0; i+1 < len(ranges); i += 2 {
		for c := int(ranges[i]); c <= int(ranges[i+1]); c++ {
			s[c] = true
		}
	}
	for i := range len(rest) {
		s[rest[i]] = true
	}
	return s
}

const (
	digitRange = "09"
	lowerRange = "az"
	upperRange = "AZ"
	alnumRange = digitRange + lowerRange + upperRange
)

var (
	none       = newSet("", "")
	digits     = newSet(digitRange, "")
	lowerSet   = newSet(lowerRange, "")
	hex        = newSet(digitRange+"afAF", "")
	hexDash    = newSet(digitRange+"afAF", "-")
	base32     = newSet("27AZ", "")
	alnum      = newSet(alnumRange, "")
	lowerAlnum = newSet(digitRange+lowerRange, "")
	upperAlnum = newSet(digitRange+upperRange, "")
	upperDash  = newSet(digitRange+upperRange, "-")
	word       = newSet(alnumRange, "_")
	urlSafe    = newSet(alnumRange, "_-")
	dotted     = newSet(alnumRange, "_-.=")
	tilde      = newSet(alnumRange, "_-.~")
	base64Set  = newSet(alnumRange, "+/=")
	base64Word = newSet(alnumRange, "+/=_")
	percent    = newSet(alnumRange, "%-_.=+/")
	slash      = newSet(alnumRange, "/_-")
	slashAt    = newSet(alnumRange, "/_-@")
	dollar     = newSet(alnumRange, "$")
)

// span returns how many bytes at the start of data are in s, up to most.
func (s *set) span(data []byte, most int) int {
	data = data[:min(len(data), most)]
	for i, c := range data {
		if !s[c] {
			return i
		}
	}
	return len(data)
}

// spanBack returns how many bytes at the end of data are in s, up to most.
func (s *set) spanBack(data []byte, most int) int {
	n := 0
	for n < len(data) && n < most && s[data[len(data)-1-n]] {
		n++
	}
	return n
}
