package packed

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/internal/secret"
)

// longText is the longest text that is stored in its record, in bytes. Longer ones are bodies.
const longText = 1 << 10

// A record is stored as JSON. A string in it that begins with mark is the hash of a body in base64, or, with plain
// after the mark, raw JSON that encoding would change. With quotes after the mark, it is raw JSON in which further
// hashes, each after a mark of its own, are in place of quoted texts. A text that begins with mark itself is a body.
const (
	mark       = "\x00"
	plain      = "="
	quotes     = "~"
	quotedMark = `"\u0000`
)

// MaxText is the size of the longest text or record, in bytes.
const MaxText = 32 << 20

// The errors of packing.
var (
	ErrDamaged  = errors.New("the database is damaged")
	ErrTooLarge = errors.New("too large to store")
	ErrInvalid  = errors.New("invalid")
)

func checkSize(what string, bytes int) error {
	if bytes > MaxText {
		return fmt.Errorf("%w: the %s has %d bytes, more than %d", ErrTooLarge, what, bytes, MaxText)
	}
	return nil
}

// A Packer converts records to what is stored of them, and collects the long texts that they refer to. The zero value
// is ready to use.
type Packer struct {
	Bodies map[Hash]string
	hashes map[string]Hash // of the bodies: several fields of a step hold the same text
	recent []string        // texts of the step: the value of a tool often quotes the one that the window has
	large  error
}

// A Hash is the name of a body: the SHA-256 of its text.
type Hash [sha256.Size]byte

// A Body is a body as what it was asked for: a text or raw JSON. No body is empty.
type Body struct {
	Text string
	Raw  json.RawMessage
}

// Pack returns a record as it is stored. It returns [ErrTooLarge] for a text of more than [MaxText] bytes, and
// [ErrInvalid] for a record that JSON cannot represent.
func (p *Packer) Pack(r *session.Record) ([]byte, error) {
	if r.Step != nil {
		defer func() { p.recent = nil }()
	}
	short := rewrite(reflect.ValueOf(*r), rewriter{text: p.text, raw: p.raw})
	if p.large != nil {
		return nil, p.large
	}
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(short.Interface()); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return bytes.TrimSuffix(data.Bytes(), []byte("\n")), checkSize("record", data.Len())
}

func (p *Packer) text(s string) string {
	if len(s) <= longText && utf8.ValidString(s) && !strings.HasPrefix(s, mark) {
		return s
	}
	if len(s) > longText && !slices.Contains(p.recent, s) {
		p.recent = append(p.recent, s)
	}
	return p.refer(s)
}

func (p *Packer) raw(raw []byte) []byte {
	text := ""
	switch {
	case len(raw) > longText || !utf8.Valid(raw):
		text = p.long(raw)
	case isCompact(raw):
		return raw
	default:
		text = mark + plain + string(raw)
	}
	quoted, _ := json.Marshal(text) // a string always encodes
	return quoted
}

// long returns what replaces long raw JSON: a short rest that quotes texts of the step, so that each text is stored
// once, or else the reference to a body.
func (p *Packer) long(raw []byte) string {
	rest := raw
	if len(p.recent) > 0 && bytes.IndexByte(raw, 0) < 0 {
		rest = p.withReferences(raw)
	}
	if len(rest) > longText || !utf8.Valid(rest) {
		return p.refer(string(raw))
	}
	return mark + quotes + string(rest)
}

// withReferences returns raw JSON with references in place of the texts of the step that it quotes.
func (p *Packer) withReferences(raw []byte) []byte {
	var rest []byte
	from := 0
	for at := 0; ; {
		next := bytes.IndexByte(raw[at:], '"')
		if next < 0 {
			return append(rest, raw[from:]...)
		}
		at += next
		size := stringLen(raw[at:])
		if text := p.quotedBy(raw[at : at+size]); text != "" {
			rest = append(append(rest, raw[from:at]...), p.refer(text)...)
			from = at + size
		}
		at += size
	}
}

// quotedBy returns the text of the step that a JSON string quotes, or "".
func (p *Packer) quotedBy(raw []byte) string {
	for _, text := range p.recent {
		if isQuoted(raw, text) {
			return text
		}
	}
	return ""
}

// refer returns the reference to a body.
func (p *Packer) refer(text string) string {
	hash, known := p.hashes[text]
	if !known {
		p.large = errors.Join(p.large, checkSize("text", len(text)))
		hash = sha256.Sum256([]byte(text))
		if p.Bodies == nil {
			p.hashes, p.Bodies = make(map[string]Hash), make(map[Hash]string)
		}
		p.hashes[text], p.Bodies[hash] = hash, text
	}
	return mark + base64.RawURLEncoding.EncodeToString(hash[:])
}

// Redact returns records with their credentials masked, and how many those are.
func Redact(records []session.Record) (masked []session.Record, marks int) {
	mask := func(text []byte) []byte {
		shown := secret.Mask(text)
		marks += bytes.Count(shown, []byte("[redacted:")) - bytes.Count(text, []byte("[redacted:"))
		return shown
	}
	with := rewriter{
		text: func(s string) string { return string(mask([]byte(s))) },
		raw: func(raw []byte) []byte {
			shown := mask(raw)
			if json.Valid(raw) && !json.Valid(shown) {
				return []byte(`"[redacted]"`)
			}
			return shown
		},
	}
	masked = make([]session.Record, len(records))
	for i, r := range records {
		masked[i] = rewrite(reflect.ValueOf(r), with).Interface().(session.Record)
	}
	return masked, marks
}

// isCompact reports whether encoding keeps raw JSON as it is.
func isCompact(raw []byte) bool {
	var b bytes.Buffer
	return json.Compact(&b, raw) == nil && bytes.Equal(b.Bytes(), raw) && !bytes.HasPrefix(raw, []byte(quotedMark))
}

// An Unpacker is the inverse of a [Packer], for one record. It gets bodies from Body. If Leave is not nil, it leaves
// long texts of results and values, which Leave says how to read.
type Unpacker struct {
	Body   func(hash Hash, asText bool) (Body, error)
	Leave  func(hash Hash) (Left, error)
	Quoted map[string]json.RawMessage // values that quote texts, kept for the next record; nil: none are
	failed error
}

// A Left is a body that is not read yet.
type Left struct {
	Size int // in bytes
	Read func() (string, error)
}

// Unpack returns a record. It returns [ErrDamaged] for data that Pack did not write.
func (u *Unpacker) Unpack(data []byte) (session.Record, error) {
	r, err := Parse(data)
	if err != nil {
		return r, err
	}
	return r, u.Fill(&r)
}

// Parse is the first half of [Unpacker.Unpack]: it returns a record in which references are in place of bodies, which
// takes no body.
func Parse(data []byte) (r session.Record, err error) {
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return r, nil
}

// Fill is the second half of [Unpacker.Unpack]: it replaces the references in a parsed record.
func (u *Unpacker) Fill(r *session.Record) error {
	if u.Leave != nil {
		u.leave(r)
	}
	fill(reflect.ValueOf(r).Elem(), rewriter{text: u.text, raw: u.raw})
	return u.failed
}

func (u *Unpacker) text(s string) string {
	ref, marked := strings.CutPrefix(s, mark)
	if !marked {
		return s
	}
	return u.resolve(ref, true).Text
}

func (u *Unpacker) raw(raw []byte) []byte {
	if !bytes.HasPrefix(raw, []byte(quotedMark)) {
		return raw
	}
	var text string
	u.failed = errors.Join(u.failed, json.Unmarshal(raw, &text))
	ref := strings.TrimPrefix(text, mark)
	if kept, is := strings.CutPrefix(ref, plain); is {
		return []byte(kept)
	}
	if rest, is := strings.CutPrefix(ref, quotes); is {
		return u.quote(rest)
	}
	return u.resolve(ref, false).Raw
}

// refLength is the length of a hash in base64.
var refLength = base64.RawURLEncoding.EncodedLen(sha256.Size)

// quote returns raw JSON with the texts that it quotes.
func (u *Unpacker) quote(rest string) []byte {
	if raw := u.Quoted[rest]; raw != nil {
		return raw
	}
	parts := strings.Split(rest, mark)
	texts, size := make([]string, len(parts)), len(rest)
	for i, part := range parts[1:] {
		texts[i+1] = u.resolve(part[:min(refLength, len(part))], true).Text
		size += len(texts[i+1]) * 9 / 8 // with what is escaped
	}
	raw := append(make([]byte, 0, size), parts[0]...)
	for i, part := range parts[1:] {
		raw = append(appendQuoted(raw, texts[i+1]), part[min(refLength, len(part)):]...)
	}
	if u.Quoted != nil && u.failed == nil {
		u.Quoted[rest] = raw
	}
	return raw
}

func (u *Unpacker) resolve(ref string, asText bool) (k Body) {
	hash, err := hashOf(ref)
	if err == nil {
		k, err = u.Body(hash, asText)
	}
	u.failed = errors.Join(u.failed, err)
	return k
}

func hashOf(ref string) (Hash, error) {
	hash, err := base64.RawURLEncoding.DecodeString(ref)
	if err != nil || len(hash) != len(Hash{}) {
		return Hash{}, fmt.Errorf("%w: a reference to %.50q", ErrDamaged, ref)
	}
	return Hash(hash), nil
}
