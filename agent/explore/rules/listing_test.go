package rules_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

const oven = `
-- README.md --
# Oven

Bakes bread. It reads OVEN_HOME.
-- src/oven.py --
import os
from enum import Enum

STATES = frozenset({
    "cold",
    "heating",
    "hot",
})


class BaseOven:
    pass


class Oven(BaseOven):
    """An oven with a door."""

    limit = 250

    def __init__(self, size, *racks, timer=None):
        self.door = "shut"
        self.home = os.environ.get("OVEN_HOME")

    def bake(self, bread):
        return bread

    def _heat(self):
        self.color = os.environ["OVEN_COLOR"]


class Mode(Enum):
    GRILL = 1
    FAN = 2
-- src/cli.py --
import argparse


def bake_command(parser):
    parser.add_argument("--minutes", type=int)
    parser.add_argument("-q", "--quiet", help="Say nothing at all.")
-- src/signals.py --
from events import Signal

door_opened = Signal("door")
door_shut = Signal("door")
bread_burned = Signal("bread")
-- tests/test_oven.py --
STATES = ["one", "two", "three", "four"]
-- pyproject.toml --
[project]
dependencies = [
    "flour>=1",
    "yeast",
]

[project.optional-dependencies]
butter = ["milk"]
-- src/fuels/__init__.py --
-- src/fuels/wood.py --
price = 1
-- src/fuels/coal.py --
price = 2
-- src/fuels/gas.py --
price = 3
-- src/fuels/oil.py --
price = 4
-- api/level.go --
package api

// Level is how loud it is.
type Level int

const (
	Silent Level = iota
	Loud

	Louder
)

// Bread is baked.
type Bread struct {
	Name, Crust string // both in words
	Weight      int
}

func (b *Bread) Slice(thickness int) []Bread { return nil }
`

// A list that the source spells out is answered with its names, whatever it is called: by the name it belongs to, or by
// the words for it.
func TestLists(t *testing.T) {
	files := make(map[string]string)
	for _, f := range txtar.Parse([]byte(oven)).Files {
		files[f.Name] = string(f.Data)
	}
	for _, tt := range []struct{ question, place, want string }{
		{"which methods does Oven have?", "src/oven.py", "has 3 methods: `bake`, `__init__`, `_heat`"},
		{"what attributes are on an oven", "src/oven.py", "has 4 fields: `limit`, `door`, `home`, `color`"},
		{"what can I pass to Oven?", "src/oven.py", "takes 3 parameters: `size`, `*racks`, `timer=None`"},
		{"what does Oven inherit from?", "src/oven.py", "extends `BaseOven`"},
		{"Welche Werte hat Mode?", "src/oven.py", "has 2 values: `GRILL`, `FAN`"},
		{"which values can Level have?", "api/level.go", "has 3 values: `Silent`, `Loud`, `Louder`"},
		{"Bread 有哪些字段？", "api/level.go", "has 3 fields: `Name`, `Crust`, `Weight`"},
		{"what methods does the Bread struct have", "api/level.go", "has 1 method: `Slice`"},
		{"which states can an oven be in?", "src/oven.py", "lists 3: `cold`, `heating`, `hot`"},
		{"hi, which signals are there?", "src/signals.py", "lists 3: `door_opened`, `door_shut`, `bread_burned`"},
		{"which environment variables does it read?", "src/oven.py", "at least 2 environment variables: `OVEN_HOME`, `OVEN_COLOR`"},
		{"which flags does bake take?", "src/cli.py", "at least 2 flags: `--minutes`, `--quiet`"},
		{"which fuels are supported?", "src/fuels/coal.py", "holds 4 parts: `coal`, `gas`, `oil`, `wood`"},
		{"what does --minutes do?", "src/cli.py", "declared in src/cli.py, line 5: `parser.add_argument(\"--minutes\""},
		{"where is -q defined", "src/cli.py", "line 6: `parser.add_argument(\"-q\", \"--quiet\", help=\"Say nothing at all."},
		{"what are its dependencies?", "pyproject.toml", "2 required packages: `flour`, `yeast`"},
		{"which extras are there?", "pyproject.toml", "1 feature: `butter`"},
	} {
		rep := asked(t, files, tt.question)
		if len(rep.Summary) == 0 || !strings.Contains(rep.Summary[0].Text, tt.want) || rep.Places[0].Path != tt.place {
			t.Errorf("%s\n%+v %+v, want %s in %s", tt.question, rep.Summary, rep.Places, tt.want, tt.place)
		}
	}
	for _, question := range []string{"which colours does Oven have?", "which endpoints are there?", "which hooks can I use?"} {
		if rep := asked(t, files, question); len(rep.Summary) > 0 && strings.Contains(rep.Summary[0].Text, " has ") {
			t.Errorf("%s: %s, want no list", question, rep.Summary[0].Text)
		}
	}
}
