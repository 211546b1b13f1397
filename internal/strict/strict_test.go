package strict_test

import (
	"errors"
	"testing"

	"github.com/forayhq/foray/internal/strict"
)

type inner struct {
	Count int `json:"count"`
}

type outer struct {
	inner
	Name  string   `json:"name"`
	Names []string `json:"names"`
	Deep  *inner   `json:"deep"`
	Ratio float64  `json:"ratio"`
	Kept  bool     `json:"-"`
}

func TestDecode(t *testing.T) {
	for text, want := range map[string]string{
		`{"name":"a","count":1,"deep":{"count":2},"ratio":0.5}`: "",
		`{"name":"a","nmaes":[]}`:                               `byte 13: unknown field "nmaes"; did you mean "names"?`,
		`{"deep":{"cuont":1}}`:                                  `byte 10: unknown field "cuont"; did you mean "count"?`,
		`{"Kept":true}`:                                         `byte 2: unknown field "Kept"; known are count, name, names, deep, ratio`,
		`{"name":7}`:                                            `byte 9: name must be a string, not number`,
		`{"count":"x"}`:                                         `byte 12: count must be a whole number, not string`,
		`{"ratio":"x"}`:                                         `byte 12: ratio must be a number, not string`,
		`{"name":"a"} {}`:                                       `byte 14: text after the JSON value`,
		`{"name":`:                                              `byte 9: the JSON ends too early`,
		`[]`:                                                    `byte 1: must be an object, not array`,
	} {
		var into outer
		err := strict.Decode([]byte(text), &into)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"name":"a","deep":{"count":2}}`))
	f.Add([]byte(`{"nmae":1`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var into outer
		err := strict.Decode(text, &into)
		var at *strict.Error
		if err != nil && (!errors.As(err, &at) || at.Column < 1 || at.Column > len(text)+1 || at.Reason == "") {
			t.Errorf("%q: %v", text, err)
		}
	})
}
