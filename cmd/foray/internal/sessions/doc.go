// Package sessions shows, exports and imports sessions for the commands foray sessions show, export and import.
//
// Start with [Session.Show] and [Import].
package sessions
