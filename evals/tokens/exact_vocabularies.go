//go:build vocabularies

package tokens

import (
	"fmt"

	"github.com/tiktoken-go/tokenizer"
)

// vocabularies are the ones that OpenAI publishes, each with a model that uses it.
var vocabularies = []struct {
	encoding tokenizer.Encoding
	model    string
}{
	{tokenizer.O200kBase, "gpt-4o"},
	{tokenizer.Cl100kBase, "gpt-4"},
}

// Exact counts the texts of sessions with the vocabularies that OpenAI publishes, as if its models had read them. The
// program must be built with the tag vocabularies, which adds 12 MB to it; without the tag Exact returns
// [ErrNoVocabularies]. Other vendors publish no vocabularies.
func Exact(sessions []*Session) ([]*Session, error) {
	var exact []*Session
	for _, v := range vocabularies {
		codec, err := tokenizer.Get(v.encoding)
		if err != nil {
			return nil, fmt.Errorf("vocabulary %s: %w", v.encoding, err)
		}
		for _, s := range sessions {
			counted := &Session{Model: fmt.Sprintf("%s (%s)", v.model, v.encoding), ID: s.ID}
			for _, g := range s.growths {
				if g.Counted, err = codec.Count(g.text()); err != nil {
					return nil, fmt.Errorf("counting session %s: %w", s.ID, err)
				}
				if g.Counted > 0 {
					counted.growths = append(counted.growths, g)
				}
			}
			exact = append(exact, counted)
		}
	}
	return exact, nil
}
