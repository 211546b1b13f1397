// Package pages answers questions from a project's own documents: how to do something, what the documentation says
// about a topic, where a topic is documented.
//
// Start with [Ask], which recognises such a question, and [New], which answers it.
//
// A question of a form that asks for documentation is answered by the section that fits best, if its title contains
// enough of the topic. A question of any other form is answered only by a section whose title is the question or its
// whole topic. Everything else stays an open question.
package pages
