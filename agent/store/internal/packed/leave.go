package packed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/contextwindow"
)

// leave removes from a stored record the references that are resolved later.
func (u *Unpacker) leave(r *session.Record) {
	for i := range r.Entries {
		if unit := r.Entries[i].Unit; unit != nil {
			u.leaveTexts(unit)
		}
	}
	if r.Step == nil {
		return
	}
	for i := range r.Step.Tools {
		u.leaveValue(&r.Step.Tools[i])
	}
}

func (u *Unpacker) leaveTexts(unit *contextwindow.Unit) {
	for i := range unit.Messages {
		ref, is := strings.CutPrefix(unit.Messages[i].Text, mark)
		if !is || !unit.CanLeave(i) {
			continue
		}
		hash, err := hashOf(ref)
		var left Left
		if err == nil {
			left, err = u.Leave(hash)
		}
		if err != nil || left.Size < contextwindow.LongResult {
			u.failed = errors.Join(u.failed, err)
			continue
		}
		if unit.Left == nil {
			unit.Left = make(map[int]contextwindow.LeftText)
		}
		unit.Messages[i].Text = ""
		unit.Left[i] = contextwindow.LeftText{Size: left.Size, Sum: hash, Read: left.Read}
	}
}

// leaveValue leaves the value of a call, once it is sure that all bodies that it refers to are there.
func (u *Unpacker) leaveValue(r *session.ToolRecord) {
	raw := r.Value
	if !bytes.HasPrefix(raw, []byte(quotedMark)) {
		return
	}
	left := make(map[Hash]Left)
	look := Unpacker{Body: func(hash Hash, _ bool) (_ Body, err error) {
		left[hash], err = u.Leave(hash)
		return Body{}, err
	}}
	if look.raw(raw); look.failed != nil {
		u.failed = errors.Join(u.failed, look.failed)
		return
	}
	r.Value = nil
	r.Later = func() (json.RawMessage, error) {
		v := Unpacker{Body: func(hash Hash, asText bool) (Body, error) {
			text, err := left[hash].Read()
			if err == nil && len(text) != left[hash].Size {
				err = fmt.Errorf("%w: body %x has %d bytes, not %d", ErrDamaged, hash, len(text), left[hash].Size)
			}
			return Body{Text: text, Raw: json.RawMessage(text)}, err
		}}
		value := v.raw(raw)
		return value, v.failed
	}
}
