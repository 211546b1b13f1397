//go:build !vocabularies

package tokens

// Exact returns [ErrNoVocabularies]: this program was built without the tag vocabularies.
func Exact([]*Session) ([]*Session, error) { return nil, ErrNoVocabularies }
