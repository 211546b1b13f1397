package textcalls

import "github.com/forayhq/foray/providers/internal/keep"

// formOf returns the form of a name, nil for another name.
func formOf(name string) *form {
	for i := range forms {
		if forms[i].name == name {
			return &forms[i]
		}
	}
	return nil
}

// recall returns what file holds for key, if this version knows it.
func recall(file, key string) string {
	way := keep.Load[string](file)[key]
	if way == Native || way == Text || way == Schema || formOf(way) != nil {
		return way
	}
	return ""
}
