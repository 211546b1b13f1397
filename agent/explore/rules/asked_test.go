package rules_test

import (
	"strings"
	"testing"
)

// TestWaysToAsk: the first sentence answers what is asked of names in passing, in part of the project, or of something
// that only what it calls, exports or documents says.
func TestWaysToAsk(t *testing.T) {
	files := map[string]string{
		"package.json": "{\n  \"version\": \"2.1.0\",\n  \"license\": \"MIT\",\n  \"engines\": {\n    \"node\": \">=18\"\n  },\n" +
			"  \"scripts\": {\n    \"unit\": \"node --test\"\n  }\n}\n",
		"lib/is-kiln.js": "'use strict'\n\nmodule.exports = (x) => x.hot === true\n",
		"lib/oven.js": "const isKiln = require('./is-kiln.js')\n\n" +
			"class Oven extends Heater {\n  bake() {\n    return isKiln(this)\n  }\n}\n",
		"lib/grill.js":   "class Grill extends Oven {\n}\n",
		"test/fake.js":   "class FakeOven extends Heater {\n}\n",
		"lib/heater.js":  "class Heater {\n}\n",
		"lib/types.d.ts": "declare class Oven extends Heater {\n}\n",
		"py/store.py": "class Store:\n    def __init__(self, depth=7):\n        self.depth = depth\n\n" +
			"    def set_depth(self, depth):\n        self.depth = depth\n\n    def put(self, item):\n        self._check(item)\n\n" +
			"    def _check(self, item):\n        if item is None:\n            raise ValueError('nothing to put')\n",
		"test/test_all.py": "class TestStore:\n    def test_put(self):\n        self.store.put(1)\n",
		"src/Part.java":    "public @interface Part {\n  String encoding() default \"binary\";\n}\n",
		"src/lib.rs": "/// Takes one.\n///\n/// # Panics\n///\n/// If the jar is empty.\n" +
			"pub fn take_one(jar: Jar) -> i32 {\n    jar.pop().unwrap()\n}\n",
		"src/Cold.cs": "/// <summary>\n/// Keeps things cold.\n/// </summary>\n[Serializable]\n" +
			"public class ColdStore\n{\n}\n",
		"conf/make_pots.sh": "#!/bin/sh\nset -eu\nspin clay\n",
	}
	for question, want := range map[string]string{
		"we package it: which licence, and what node is the minimum?": "package.json, licence: `\"license\": \"MIT\",`",
		"where is isKiln defined, and what passes as one":             "`isKiln` is what lib/is-kiln.js exports, line 3",
		"which classes extend Heater?":                                "2 types extend `Heater`: `Oven`, `FakeOven`",
		"what extends Heater in lib?":                                 "One type of `lib` extends `Heater`: `Oven`",
		"which classes derive from Heater (leaving out the tests)?": "One type outside of tests extends `Heater`: `Oven` in lib/oven.js, line 3: `class Oven " +
			"extends Heater {`. Indirectly also `Grill` (through `Oven`)",
		"when does Store.put raise?":                                      "`Store.put` in py/store.py calls functions that raise errors: `_check` (py/store.py, line 13)",
		"how deep is it unless somebody calls set_depth?":                 "`depth` is `7`",
		"which depth does Store.__init__ use if I dont pass depth":        "is `7`",
		"encoding of @Part when omitted?":                                 "The default of `encoding` in `Part` is `\"binary\"`",
		"when does take_one panic?":                                       "The documentation of `take_one` in src/lib.rs says: “Panics: If the jar is empty.”",
		"where are the tests for Store?":                                  "`TestStore` in test/test_all.py, line 1, is named after it",
		"coldstore: what is it":                                           "“Keeps things cold.”",
		"conf/make_pots.sh - why does it exist when there is lib/oven.js": "`conf/make_pots.sh` (3 lines)",
	} {
		rep := asked(t, files, question)
		if got := rep.Summary[0].Text; !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", question, got, want)
		}
	}
}
