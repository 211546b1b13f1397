// Package intent recognises questions that one exact tool answers: where a name is defined, who calls it, which tests
// cover it, where a message comes from, what a default is.
//
// Start with [Parse].
//
// # How to add a row
//
// A row of the table (forms.txt) is a [Kind] and the forms in which people ask for it. A form has to match the whole
// question, apart from polite words around it. It is written like this:
//
//	where (is|are) NAME [being] defined
//	NAME [是] 在 (哪里|哪儿|哪个文件) 定义
//
// (a|b) is one of several, [a] may be missing, [a|b] is one of several or missing. A word in lower case matches itself,
// in any case and with a typo. A Chinese character only matches itself. Words in capitals are slots:
//
//	NAME  a name, as written in code or as words: "max line length" for MaxLineLength
//	CODE  a name that is written as code writes that of an error: in one word of several parts, or in capitals
//	OF    a second name: the function of a parameter
//	KIND  what the name is: function, class, Methode, 函数; always optional
//	TEXT  a text in quotes
//	REST  all words up to the end
//	CLAUSE the same, and says nothing of what the name means
//	LIMIT the same, but the first is max, min, limit or timeout
//
// Put a form before those that it is a special case of: among forms that match equally well, the first wins. Mark a row
// as weak if its forms also match questions about something else, as "what is NAME" does: then the question is taken
// for an open one if nothing has the name.
//
// Add the constant of a new kind to [Kind], its rows to the table, a case to TestParse, and its route to the table of
// package exact, which says which tools answer it.
package intent
