package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/internal/secret"
)

// longText is the longest text that is stored in its record, in bytes. Longer ones are bodies.
const longText = 1 << 10

// A record is stored as JSON. A string in it that begins with mark is the hash of a body in base64, or, with plain
// after the mark, raw JSON that encoding would change. A text that begins with mark itself is a body.
const (
	mark       = "\x00"
	plain      = "="
	quotedMark = `"\u0000`
)

// A packedRecord is a record as it is stored, with the long texts that it refers to.
type packedRecord struct {
	data   []byte
	bodies map[bodyHash]string
}

type bodyHash [sha256.Size]byte

// packRecord converts a caller's record.
func packRecord(r *session.Record) (packedRecord, error) {
	p := packedRecord{bodies: make(map[bodyHash]string)}
	var large error
	refer := func(text string) string {
		large = errors.Join(large, checkSize("text", len(text), maxRecord))
		hash := bodyHash(sha256.Sum256([]byte(text)))
		p.bodies[hash] = text
		return mark + base64.RawURLEncoding.EncodeToString(hash[:])
	}
	short := rewrite(reflect.ValueOf(*r), rewriter{
		text: func(s string) string {
			if len(s) <= longText && utf8.ValidString(s) && !strings.HasPrefix(s, mark) {
				return s
			}
			return refer(s)
		},
		raw: func(raw string) string {
			switch {
			case len(raw) > longText || !utf8.ValidString(raw):
				raw = refer(raw)
			case isCompact(raw):
				return raw
			default:
				raw = mark + plain + raw
			}
			quoted, _ := json.Marshal(raw) // a string always encodes
			return string(quoted)
		},
	})
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	if large != nil {
		return p, large
	}
	if err := encoder.Encode(short.Interface()); err != nil {
		return p, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	p.data = bytes.TrimSuffix(data.Bytes(), []byte("\n"))
	return p, checkSize("record", len(p.data), maxRecord)
}

// redacted returns records with their credentials masked, and how many those are.
func redacted(records []session.Record) (masked []session.Record, marks int) {
	mask := func(s string) string {
		shown := secret.Mask([]byte(s))
		marks += bytes.Count(shown, []byte("[redacted:")) - strings.Count(s, "[redacted:")
		return string(shown)
	}
	with := rewriter{text: mask, raw: func(raw string) string {
		shown := mask(raw)
		if json.Valid([]byte(raw)) && !json.Valid([]byte(shown)) {
			return `"[redacted]"`
		}
		return shown
	}}
	masked = make([]session.Record, len(records))
	for i, r := range records {
		masked[i] = rewrite(reflect.ValueOf(r), with).Interface().(session.Record)
	}
	return masked, marks
}

// isCompact reports whether encoding keeps raw JSON as it is.
func isCompact(raw string) bool {
	var b bytes.Buffer
	return json.Compact(&b, []byte(raw)) == nil && b.String() == raw && !strings.HasPrefix(raw, quotedMark)
}

// unpackRecord is the inverse of packRecord. It gets bodies from body.
func unpackRecord(data []byte, body func(bodyHash) (string, error)) (session.Record, error) {
	var stored session.Record
	if err := json.Unmarshal(data, &stored); err != nil {
		return stored, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	var failed error
	resolve := func(s string) string {
		ref, marked := strings.CutPrefix(s, mark)
		if !marked {
			return s
		}
		if raw, is := strings.CutPrefix(ref, plain); is {
			return raw
		}
		hash, err := base64.RawURLEncoding.DecodeString(ref)
		if err == nil && len(hash) != len(bodyHash{}) {
			err = fmt.Errorf("%w: a reference to %q", ErrDamaged, ref)
		}
		if err == nil {
			s, err = body(bodyHash(hash))
		}
		failed = errors.Join(failed, err)
		return s
	}
	whole := rewrite(reflect.ValueOf(stored), rewriter{
		text: resolve,
		raw: func(raw string) string {
			var s string
			if !strings.HasPrefix(raw, quotedMark) {
				return raw
			}
			failed = errors.Join(failed, json.Unmarshal([]byte(raw), &s))
			return resolve(s)
		},
	})
	return whole.Interface().(session.Record), failed
}

// A rewriter says what becomes of the strings and of the raw JSON in a value.
type rewriter struct{ text, raw func(string) string }

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
			out.SetBytes([]byte(with.raw(string(v.Bytes()))))
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
	default: // numbers and booleans; a test looks for others
		return v
	}
}
