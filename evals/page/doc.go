// Package page makes a report of a folder of results (package evals/trial): one HTML file without references to others,
// which works from disk, in light and dark, and needs no network.
//
// Start with [Write]. The page has figures of each subject with intervals, every trial with the verdicts on it, and of
// each trial the timeline, the window over time, the requests as they were sent and what was evicted from them.
//
// # How it is made
//
// Write reads the folder twice as a stream: first the rows, for the figures and the table, then one trial at a time for
// its details. Each becomes a JSON object, compressed, in base64; the page parses it when a reader opens the trial.
// Details of failed trials come first. What the bounds of the page leave out is said in the page.
//
// Everything that a file, a model or a tool wrote is data there: no part of it becomes markup, because the script sets
// texts only. Control characters and characters that are invisible or reorder text are written as ⟨U+202E⟩. A content
// security policy allows the page's own script and style, by their hashes, and nothing else.
//
// The parts of a trial are in files of their own, for other pages about a run: assets/window.js (window over time),
// assets/timeline.js, assets/requests.js, and session.go, window.go and requests.go, which read them from a trace.
package page
