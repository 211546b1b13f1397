package tools

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/forayhq/foray/internal/line"
)

// tagRules are the keywords of a jsonschema tag that take effect on a JSON type ("": on all), each with the values that
// it takes. The reflector drops all others without a word, and so the rule that somebody wrote.
var tagRules = map[string]map[string]func(string) bool{
	"": {
		"title": isText, "description": isText, "type": isText, "anchor": isText, "oneof_required": isText,
		"anyof_required": isText, "oneof_ref": isText, "anyof_ref": isText, "oneof_type": isText, "anyof_type": isText,
	},
	"string": {
		"minLength": isSize, "maxLength": isSize, "pattern": isText, "format": isText, "readOnly": isBool,
		"writeOnly": isBool, "default": isText, "example": isText, "enum": isText,
	},
	"number": {
		"multipleOf": isNumber, "minimum": isNumber, "maximum": isNumber, "exclusiveMinimum": isNumber,
		"exclusiveMaximum": isNumber, "default": isNumber, "example": isNumber, "enum": isNumber,
	},
	"array": {
		"minItems": isSize, "maxItems": isSize, "uniqueItems": func(v string) bool { return v == "true" },
		"default": isText, "format": isText, "pattern": isText,
	},
	"boolean": {"default": isBool},
}

func isText(string) bool { return true }

func isBool(v string) bool { return v == "true" || v == "false" }

func isSize(v string) bool { _, err := strconv.ParseUint(v, 10, 64); return err == nil }

func isNumber(v string) bool { _, err := strconv.ParseFloat(v, 64); return err == nil }

// checkTags refuses jsonschema tags in t, a type of schema s, that the reflector does not follow.
func checkTags(s *jsonschema.Schema, t reflect.Type) error {
	if s != nil && len(s.OneOf) > 0 && s.Type == "" {
		s = s.OneOf[0] // the other one is null
	}
	switch {
	case s == nil:
	case t.Kind() == reflect.Pointer:
		return checkTags(s, t.Elem())
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Array:
		return checkTags(s.Items, t.Elem())
	case t.Kind() == reflect.Map:
		return checkTags(s.AdditionalProperties, t.Elem())
	case t.Kind() == reflect.Struct && s.Properties != nil:
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			p, ok := s.Properties.Get(cmp.Or(name, f.Name))
			if !ok {
				continue
			}
			if err := cmp.Or(checkTag(f.Tag.Get("jsonschema"), p), checkTags(p, f.Type)); err != nil {
				return fmt.Errorf("field %s: %w", f.Name, err)
			}
		}
	}
	return nil
}

// checkTag refuses a jsonschema tag of a field with schema s that the reflector does not follow.
func checkTag(tag string, s *jsonschema.Schema) error {
	const comma = "\x00"  // in a value
	if len(s.OneOf) > 0 { // the reflector wraps a nullable type last, whatever the order
		s = s.OneOf[0]
	}
	for part := range strings.SplitSeq(strings.ReplaceAll(tag, `\,`, comma), ",") {
		keyword, value, valued := strings.Cut(part, "=")
		switch part {
		case "", "required", "nullable":
			continue
		}
		if !valued {
			return fmt.Errorf("jsonschema tag: %q is not KEYWORD=VALUE; put \\\\ before a comma in a value", part)
		}
		takes, err := ruleOf(keyword, s)
		if err != nil {
			return fmt.Errorf("jsonschema tag: %w", err)
		}
		if !takes(value) {
			return fmt.Errorf("jsonschema tag: %s does not take %q", keyword, value)
		}
	}
	return nil
}

// ruleOf returns which values a keyword takes on a field with schema s.
func ruleOf(keyword string, s *jsonschema.Schema) (takes func(string) bool, err error) {
	types := []string{"", s.Type}
	if s.Type == "array" && s.Items != nil {
		types = append(types, s.Items.Type)
	}
	known := make(map[string]bool)
	for t, rules := range tagRules {
		for name := range rules {
			known[name] = true
		}
		isOne := slices.Contains(types, t) || t == "number" && slices.Contains(types, "integer")
		if rule := rules[keyword]; rule != nil && isOne && (takes == nil || t == "array") {
			takes = rule
		}
	}
	switch {
	case takes != nil:
		return takes, nil
	case known[keyword]:
		return nil, fmt.Errorf("%s has no effect on a value of type %s", keyword, cmp.Or(s.Type, "any"))
	}
	nearest := line.Closest(keyword, slices.Sorted(maps.Keys(known)), 1)[0]
	return nil, fmt.Errorf("unknown keyword %q; nearest: %s", keyword, nearest)
}
