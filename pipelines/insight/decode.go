package insight

import (
	"encoding/json"
	"strings"
)

// An object is a JSON object of which every field may be missing, cut or of another type than expected. What cannot be
// read is the zero value.
type object map[string]json.RawMessage

// parse reads the first JSON value of text, behind which notes may stand; nil when it is no object.
func parse(text string) object {
	var o object
	if json.NewDecoder(strings.NewReader(text)).Decode(&o) != nil {
		return nil
	}
	return o
}

func read[T any](o object, key string) (v T) {
	if raw := o[key]; raw != nil && json.Unmarshal(raw, &v) != nil {
		return *new(T)
	}
	return v
}

func (o object) text(key string) string { return read[string](o, key) }
func (o object) flag(key string) bool   { return read[bool](o, key) }

// number is a whole number from 0 to a billion; 0 for anything else.
func (o object) number(key string) int {
	if n := read[float64](o, key); n >= 0 && n <= 1e9 {
		return int(n)
	}
	return 0
}

// objects are the elements of an array that are objects. A mark in place of elements that were cut is left out.
func (o object) objects(key string) []object {
	raw := read[[]json.RawMessage](o, key)
	all := make([]object, 0, len(raw))
	for _, r := range raw {
		var e object
		if json.Unmarshal(r, &e) == nil && e != nil {
			all = append(all, e)
		}
	}
	return all
}

// texts are the elements of an array that are strings.
func (o object) texts(key string) []string {
	raw := read[[]json.RawMessage](o, key)
	all := make([]string, 0, len(raw))
	for _, r := range raw {
		var s string
		if json.Unmarshal(r, &s) == nil {
			all = append(all, s)
		}
	}
	return all
}
