package packed

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// A rewriter says what becomes of the strings and of the raw JSON in a value.
type rewriter struct {
	text func(string) string
	raw  func([]byte) []byte
}

var (
	rawType  = reflect.TypeFor[json.RawMessage]()
	timeType = reflect.TypeFor[time.Time]()
)

// rewrite returns a copy of a value of the types that a record consists of.
func rewrite(v reflect.Value, with rewriter) reflect.Value {
	switch out := reflect.New(v.Type()).Elem(); v.Kind() {
	case reflect.String:
		out.SetString(with.text(v.String()))
		return out
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		out.Set(reflect.New(v.Type().Elem()))
		out.Elem().Set(rewrite(v.Elem(), with))
		return out
	case reflect.Slice:
		switch {
		case v.Len() == 0:
			return v
		case v.Type() == rawType:
			out.SetBytes(with.raw(v.Bytes()))
			return out
		case v.Type().Elem().Kind() == reflect.Uint8:
			return v
		}
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(rewrite(v.Index(i), with))
		}
		return out
	case reflect.Struct:
		if v.Type() == timeType {
			return v
		}
		for i := range v.NumField() {
			out.Field(i).Set(rewrite(v.Field(i), with))
		}
		return out
	default: // numbers, booleans, and what JSON leaves out; a test looks for others
		return v
	}
}

// fill is rewrite in place, for a value that nobody else holds. A session of thousands of records opens with it.
func fill(v reflect.Value, with rewriter) {
	switch v.Kind() {
	case reflect.String:
		if s := v.String(); strings.HasPrefix(s, mark) {
			v.SetString(with.text(s))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			fill(v.Elem(), with)
		}
	case reflect.Slice:
		switch {
		case v.Type() == rawType:
			if v.Len() > 0 {
				v.SetBytes(with.raw(v.Bytes()))
			}
		case v.Type().Elem().Kind() != reflect.Uint8:
			for i := range v.Len() {
				fill(v.Index(i), with)
			}
		}
	case reflect.Struct:
		if v.Type() == timeType {
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), with)
		}
	default: // as in rewrite
	}
}
