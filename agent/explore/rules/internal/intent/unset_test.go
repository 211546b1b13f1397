package intent

import "testing"

// A question about what holds if nobody sets something is recognised by its name and by words for that.
func TestUnset(t *testing.T) {
	for _, tt := range []struct{ question, name, of string }{
		{"which port does reload_port have if it is not given?", "reload_port", ""},
		{"compiler_check: what is used if I set nothing", "compiler_check", ""},
		{"what is connectTimeout of SocketHandler when it is left null?", "connectTimeout", "SocketHandler"},
		{"where does temporary_dir point by default?", "temporary_dir", ""},
		{"BIG_CACHE_TIMEOUT default value", "BIG_CACHE_TIMEOUT", ""},
		{"what is :on_replace for a relation when not set?", "on_replace", ""},
		{"why is temporary_dir removed if a run fails?", "", ""},
		{"How does the logger behave if log.transports is left empty?", "", ""},
		{"what is read when package.json is not found?", "", ""},
		{"how does it work by default?", "", ""},
		{"does a_b override c_d if not set?", "", ""},
	} {
		in, ok := Parse(tt.question)
		if tt.name == "" {
			if ok && in.Kind == Default {
				t.Errorf("%s: %+v", tt.question, in)
			}
		} else if in.Kind != Default || in.Name != tt.name || in.Of != tt.of {
			t.Errorf("%s: %+v", tt.question, in)
		}
	}
}

// Conditions that mean the default say "by default", and others stay.
func TestByDefault(t *testing.T) {
	for question, want := range map[string]string{
		"How many are open at most if I configure nothing?":     "How many are open at most by default ?",
		"If I don't set it, which port is used?":                " by default  which port is used?",
		"which port is used out of the box?":                    "which port is used by default ?",
		"how long does it wait unless I say so?":                "how long does it wait by default ?",
		"how long does it wait if nobody sets it?":              "how long does it wait by default ?",
		"wie lange wartet es, wenn ich nichts einstelle?":       "wie lange wartet es by default ?",
		"如果不配置，最多有多少个连接？":                                       " by default 最多有多少个连接？",
		"how many are open if I configure two pools?":           "how many are open if I configure two pools?",
		"how long does it wait if nothing happens, or forever?": "how long does it wait if nothing happens, or forever?",
	} {
		if got := ByDefault(question); got != want {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
	}
}
