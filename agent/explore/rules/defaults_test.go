package rules_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// The default of a setting is what its declaration, a file of settings or a document says, and not what some line sets
// on its way.
func TestDefaultIsDeclared(t *testing.T) {
	for _, tt := range []struct{ question, want, files string }{
		// A file of settings
		{"what is the default wait?", "In the settings of oven.conf, line 2, `wait` is `30`",
			`
-- oven.conf --
# Seconds.
wait 30
-- src/oven.c --
void open(oven *o) {
    o->wait = 9;
}
`},
		// A file of settings to copy
		{"what is the default of bake_time?", "In the settings of etc/oven.ini.example",
			`
-- etc/oven.ini.example --
[oven]
;bake_time = 12
-- src/oven.py --
def f(o):
    o.bake_time = 3
`},
		// A setting in a comment
		{"what is the default of bake-time?", "In the settings of oven.conf, line 1, `bake-time` is `12`",
			`
-- oven.conf --
# bake-time 12
-- a.py --
def f(o):
    o.bake_time = 3
`},
		// A document
		{"what is the default of bake_time?", "By the documentation, the default of `bake_time` is “4.0”",
			`
-- oven.py --
class Oven:
    def __init__(self):
        self.app.conf.bake_time = None
-- docs/conf.rst --
` + "`" + `` + "`" + `bake_time` + "`" + `` + "`" + `
~~~~~~~~~~~~~

Default: 4.0.
`},
		// A manual page
		{"what is the default of --bake-time", "By the documentation, the default of `--bake-time` is “as long as it takes”",
			`
-- oven.rs --
struct Opts {
    pub bake_time: Option<u8>,
}
-- doc/oven.1 --
.TP
.BI "\-b, \-\-bake\-time " num
How long to bake (default: as long as it takes).
`},
		// A document before an example
		{"what is the default of bake_time?", "By the documentation",
			`
-- examples/a.py --
app.update(
    bake_time=9
)
-- docs/conf.md --
# bake_time

The default is 4.
`},
		// No change log
		{"what is the default of bake_time?", "The default of `bake_time` is `8`",
			`
-- CHANGELOG.md --
- bake_time now defaults to 3
-- oven.py --
def bake(
    bake_time=8,
):
    pass
`},
		// A call that sets it
		{"what is the default of crust?", "The default of `crust` is `'weak'`",
			`
-- oven.js --
app.defaultConfiguration = function () {
  this.set('crust', 'weak');
};
-- lib.js --
var crust = require('crust');
`},
		// A setter
		{"what is the default of crust?", "The default of `crust` is `None`",
			`
-- oven.rs --
impl Default for Oven {
    fn default() -> Oven {
        Oven {
            crust: None,
        }
    }
}
-- build.rs --
impl Builder {
    fn crust(&mut self, limit: u8) {
        self.config.crust = limit;
    }
}
`},
		// A stub
		{"what is the default of crust?", "The default of `crust` is `crust_none()` in all 2 places",
			`
-- oven.py --
def bake(
    crust: Crust = ...,
):
    pass


def bake(
    crust: Crust = crust_none(),
):
    pass


def roast(
    crust: Crust = oven.crust.crust_none(),
):
    pass
`},
		// Only set on its way
		{"what is the default of crust?", "`crust` is set to `9` in `Oven.heat`",
			`
-- oven.py --
class Oven:
    def heat(self, other):
        other.crust = 9
`},
		// Only in an example
		{"what is the default of crust?", "No default of `crust` was found in the source",
			`
-- bench/a.py --
crust = 9
-- oven.py --
def heat(o):
    return o.crust
`},
		// Of something else
		{"what is the default of crust in roast?", "No line of `roast` gives `crust` a fixed value. `crust` is set to `9`",
			`
-- oven.py --
def roast(n):
    return n


class Cake:
    crust = 9
`},
		// What a function computes
		{"what is the default of crust in bake?", "No line of `bake` gives `crust` a fixed value. `crust` is set to `9`",
			`
-- oven.py --
def bake(o):
    crust = parse(o.text("crust"))
    return crust


class Cake:
    crust = 9
`},
		// A comment
		{"what is the default of crust?", "By the documentation, the default of `crust` is “false” (src/oven.rs, line 2)",
			`
-- src/oven.rs --
pub struct Oven {
    /// Bake a crust. *Default:* ` + "`" + `false` + "`" + `.
    pub crust: Option<bool>,
}
`},
		// A variable of a constructor
		{"what is the default of max crumbs?", "The default of `max crumbs` is `10`",
			`
-- oven.go --
package oven

func newOven(os ...Option) *Oven {
	maxCrumbs := 10
	return &Oven{maxCrumbs}
}
`},
		// A getter that takes a type
		{"what is the default of crust?", "`crust` is `False`",
			`
-- oven.py --
OVEN_CRUST = env("OVEN_CRUST", bool, False)
`},
		// A script that sets up an example of it
		{"what is the default heat?", "`heat` has no single default: 2 places set it differently.",
			`
-- lib/oven.rb --
module Oven
  class Config
    DEFAULTS = {
      heat: 5,
    }
  end
end
-- lib/grill.rb --
class Grill
  DEFAULTS = {
    heat: 9,
  }
end
-- bare/boot.rb --
Oven.run do |o|
  o.heat = 1
end
`},
		// A value that is missing at first
		{"what is the default of maxCrumbs?", "The default of `maxCrumbs` is `DEFAULT_CRUMBS`, in `Oven.check`",
			`
-- Oven.java --
class Oven {
    private static final int DEFAULT_CRUMBS = 12;
    private int maxCrumbs;

    Oven() {
        maxCrumbs = -1;
    }

    void check() {
        if (maxCrumbs < 1) {
            maxCrumbs = DEFAULT_CRUMBS;
        }
    }
}
`},
		{"what is the default of crust?", "The default of `crust` is `4`",
			`
-- oven.py --
def bake(crust=None):
    if crust is None:
        crust = 4
    return crust
`},
		{"what is the default of crust in bake?", "The default of `crust` in `bake` is `4`",
			`
-- oven.py --
def bake(crust=None):
    if crust is None:
        crust = 4
    return crust
`},
		{"what is the default of crust?", "The default of `crust` is `-1`",
			`
-- Oven.java --
class Oven {
    private int crust = -1;

    void check() {
        if (hot) {
            crust = 5;
        }
    }
}
`},
		// A module of tests, and a default that is made
		{"what is the default of crust?", "The default of `crust` is `\"thin\"`",
			`
-- src/oven.rs --
const DEFAULT_CRUST: &str = "thin";

mod tests {
    fn bakes() {
        let o = Oven {
            "crust",
            ..Default::default()
        };
    }
}
`},
	} {
		files := map[string]string{"tools/start": "#!/bin/sh\nWAIT=2000\n"}
		for _, f := range txtar.Parse([]byte(tt.files)).Files {
			files[f.Name] = string(f.Data)
		}
		rep := asked(t, files, tt.question)
		if got := rep.Summary[0].Text; !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %s", tt.question, got)
		}
		declared := strings.Contains(tt.want, "default of") || strings.HasPrefix(tt.want, "`crust` is `") && !strings.HasPrefix(tt.want, "No") ||
			strings.HasPrefix(tt.want, "In the settings") || strings.HasPrefix(tt.want, "By the documentation")
		if first := rep.Places[0].Confidence; !declared && first >= .6 {
			t.Errorf("%s: %.2f is too sure", tt.question, first)
		}
	}
}
