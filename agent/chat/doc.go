// Package chat is conversations: threads of messages, each turn answered by a run of an agent that is told what the
// thread, its summary and the user's memories say.
package chat
