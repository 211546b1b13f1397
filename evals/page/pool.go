package page

import (
	"crypto/sha256"
	"encoding/json"
)

// A pool keeps each text of a session once. Its zero value keeps nothing.
type pool struct {
	texts  []string
	index  map[[sha256.Size]byte]int // from 1
	most   int                       // bytes of all texts
	text   int                       // bytes of one
	size   int                       // of all texts so far
	refuse int                       // texts for which there was no room
}

// noRoom is shown for a text that the pool did not take.
const noRoom = "[This text is not in the page: its trial has too many. The trace has it.]"

// leastText is how many bytes a text has at least: the last ones are shortened to this, but seldom missing.
const leastText = 256

// add returns the index of a text, from 1; 0 for an empty one. Texts are shortened more as room becomes scarce.
func (p *pool) add(s string) int {
	if s == "" {
		return 0
	}
	key := sha256.Sum256([]byte(s))
	if i, ok := p.index[key]; ok {
		return i
	}
	s = shown(s, min(p.text, max((p.most-p.size)/1024, leastText)))
	if p.size+len(s) > p.most {
		p.refuse++
		if s = noRoom; p.refuse > 1 {
			return p.index[sha256.Sum256([]byte(noRoom))]
		}
		key = sha256.Sum256([]byte(noRoom))
	}
	p.size += len(s)
	p.texts = append(p.texts, s)
	if p.index == nil {
		p.index = make(map[[sha256.Size]byte]int)
	}
	p.index[key] = len(p.texts)
	return len(p.texts)
}

// A messagePool keeps each message of a session once.
type messagePool struct {
	messages []message
	index    map[string]int
}

// add returns the index of a message, from 0.
func (p *messagePool) add(m message) int {
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err) // strings and numbers
	}
	key := m.key + string(raw)
	if i, ok := p.index[key]; ok {
		return i
	}
	if p.index == nil {
		p.index = make(map[string]int)
	}
	p.index[key] = len(p.messages)
	p.messages = append(p.messages, m)
	return len(p.messages) - 1
}
