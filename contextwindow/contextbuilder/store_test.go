package contextbuilder_test

import (
	"regexp"
	"sync"
)

// bodies is a store.
type bodies struct {
	mu    sync.Mutex
	texts map[string]string
	err   error
}

func (b *bodies) Put(id, body string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return b.err
	}
	if b.texts == nil {
		b.texts = make(map[string]string)
	}
	b.texts[id] = body
	return nil
}

func (b *bodies) Get(id string) (string, error) {
	text, _ := b.get(id)
	return text, nil
}

func (b *bodies) get(id string) (string, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	text, ok := b.texts[id]
	return text, ok
}

var pointer = regexp.MustCompile(`id(?:=|":")(x[0-9a-f]{12})`)

// pointers returns the ids that a text names.
func pointers(text string) []string {
	var ids []string
	for _, m := range pointer.FindAllStringSubmatch(text, -1) {
		ids = append(ids, m[1])
	}
	return ids
}
