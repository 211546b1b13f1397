// Package answers measures whether an answer about a source tree is right: whether its first place, and its first
// sentence, is what was asked for.
//
// Start with [Load] and [Run]. What answers is a function ([Config.Ask]).
//
// # Data
//
// A line of the data is one question with its gold, which needs no judge:
//
//	{"id","repo","mirror","commit","family","language","question","in":{"de"},
//	 "gold":[{"path","start","end","line"}],"notes"}
//
// The question in other languages, by their codes, is asked with [InLanguage]. Its repository is read at its commit
// from a directory owner+name/repo, bare or not. Nothing is checked out.
//
// # What is right
//
// A place hits a range of the gold by a rule of the question's family:
//
//	definition      it holds the first line of the definition, and is at most 60 lines longer than that
//	callers, tests  it overlaps a function that calls, or a test that uses, the name, and is at most 60 lines longer
//	docs            it overlaps the section below the heading, and is at most 80 lines longer
//	behaviour       it holds the line that decides, and has at most 400 lines
//	open            it overlaps a definition that does what is asked about, and has at most 400 lines
//	overview        it overlaps the gold; the main folders: it lies in one of them
//
// A question of the family absent asks for what does not exist. Saying that nothing was found is right. It counts in no
// other figure.
package answers
