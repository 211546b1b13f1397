package textsearch

// parties say who talks to whom.
type parties struct {
	user, assistant int32 // speakers; unknown between people
	long            int32 // a speaker whose turns are long, of whom the others are found first; unknown if none is
}

const unknown = -1

// The names of roles.
var roleNames = struct{ user, assistant map[string]bool }{
	set("user human 用户"), set("assistant ai 助手"),
}

const (
	roleRatio = 3   // the turns of an assistant are that many times as long as those of the user, at least
	longRatio = 2   // the same for a long speaker
	longTurn  = 50  // and that many terms long, on average
	bystander = .05 // a speaker with a smaller share of the turns is neither
)

// parties returns who talks to whom. Unless roles are named, the assistant is the one of two speakers whose turns are
// much longer.
func (x *Index) parties() parties {
	p := parties{unknown, unknown, unknown}
	var of []int32 // speakers, but for bystanders
	for i, s := range x.speakers {
		switch {
		case roleNames.user[s.name]:
			p.user = int32(i)
		case roleNames.assistant[s.name]:
			p.assistant = int32(i)
		}
		if float64(s.turns) >= bystander*float64(len(x.turns)) {
			of = append(of, int32(i))
		}
	}
	if len(of) != 2 {
		return p
	}
	short, long := of[0], of[1]
	if x.meanTurn(short) > x.meanTurn(long) {
		short, long = long, short
	}
	ratio := x.meanTurn(long) / max(x.meanTurn(short), 1)
	if ratio >= longRatio && x.meanTurn(long) >= longTurn {
		p.long = long
	}
	if p.user == unknown && p.assistant == unknown && ratio >= roleRatio {
		p.user, p.assistant = short, long
	}
	return p
}

func (x *Index) meanTurn(speaker int32) float64 {
	s := &x.speakers[speaker]
	return s.terms / max(float64(s.turns), 1)
}

// roles reports whether one speaker is a user or an assistant.
func (p parties) roles() bool { return p.user != unknown || p.assistant != unknown }

// Roles returns the names of the speakers that are a user and an assistant, as [Index.Exchanges] takes them; "" for one
// that there seems not to be, such as between people.
func (x *Index) Roles() (user, assistant string) {
	name := func(speaker int32) string {
		if speaker == unknown {
			return ""
		}
		return x.speakers[speaker].name
	}
	p := x.parties()
	return name(p.user), name(p.assistant)
}
