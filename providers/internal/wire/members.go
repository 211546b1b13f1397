package wire

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
)

// CheckMembers returns an error for a field of a configuration that cannot be added to requests: the dialect writes it
// itself, or it is not JSON.
func CheckMembers(fields map[string]json.RawMessage, written []string) error {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if slices.Contains(written, name) {
			return fmt.Errorf("the extra field %q is written by this package", name)
		}
		if !json.Valid(fields[name]) {
			return fmt.Errorf("the extra field %q is not JSON", name)
		}
	}
	return nil
}

// AppendMembers appends fields to an object that lacks its closing brace, each after a comma, sorted by name. Fields in
// over replace those in base.
func AppendMembers(object []byte, base, over map[string]json.RawMessage) []byte {
	all := map[string]json.RawMessage{}
	maps.Copy(all, base)
	maps.Copy(all, over)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		key, err := json.Marshal(name)
		if err != nil {
			continue // a string always encodes
		}
		object = append(append(append(append(object, ','), key...), ':'), all[name]...)
	}
	return object
}

// SamplingNames are a dialect's names for the sampling fields of a request. The dialect lacks a field with an empty
// name.
type SamplingNames struct{ Temperature, TopP, Stop, Seed string }

// Members returns the sampling fields that req sets under the dialect's names. It returns an error for a field that the
// dialect lacks: dropping it would change the answer unnoticed.
func (n SamplingNames) Members(req *providers.Request) (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	for _, f := range []struct {
		field, name string
		set         bool
		value       any
	}{
		{"Temperature", n.Temperature, req.Temperature != nil, req.Temperature},
		{"TopP", n.TopP, req.TopP != nil, req.TopP},
		{"Stop", n.Stop, len(req.Stop) > 0, req.Stop},
		{"Seed", n.Seed, req.Seed != nil, req.Seed},
	} {
		if !f.set {
			continue
		}
		if f.name == "" {
			return nil, fmt.Errorf("this dialect cannot send Request.%s", f.field)
		}
		raw, err := line.JSON(f.value)
		if err != nil {
			return nil, fmt.Errorf("encoding Request.%s: %w", f.field, err)
		}
		out[f.name] = raw
	}
	return out, nil
}
