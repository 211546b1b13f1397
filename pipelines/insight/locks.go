package insight

import (
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

var handsOver = lazyregexp.New(`(?i)(must|should|caller|callers|responsib\w+|need\w*|has|have)\b.*\bunlock|` +
	`lock(ed|s)? (is|are) held|` +
	`(with|returns?|returned|holding|keeps?)\b.*\block(ed)?\b.*\b(held|taken|locked)|` +
	`releases? the lock|hold(s|ing)? the lock`)

// leavesLocked judges a return between Lock and Unlock. It drops the hit if the function unlocked the mutex earlier and
// so takes it back for its caller, or if another function of the file only unlocks it, as the other half of a pair.
func leavesLocked(h *hit, s scope) string {
	m := lockCall.FindStringSubmatch(h.text)
	if m == nil {
		return drop
	}
	mutex, read := m[1], m[2]
	for _, l := range s.before() {
		if strings.Contains(l, mutex+"."+read+"Unlock()") {
			return drop
		}
	}
	for _, l := range s.after() {
		if goReturn.MatchString(l) {
			break
		}
		if strings.HasPrefix(strings.TrimSpace(l), "defer ") {
			return drop // it may unlock
		}
	}
	if handsOver.MatchString(s.head()) || handsOver.MatchString(join(s.body())) {
		return drop
	}
	field := mutex[strings.LastIndexByte(mutex, '.')+1:]
	if unlocksOnly(s.file, field, read) {
		return drop
	}
	return ""
}

// unlocksOnly reports whether a function of a Go file unlocks the mutex in a field without locking it.
func unlocksOnly(file []string, field, read string) bool {
	locks, unlocks := false, false
	for _, l := range append(file[:len(file):len(file)], "func") {
		if goFuncLine.MatchString(l) {
			if unlocks && !locks {
				return true
			}
			locks, unlocks = false, false
		}
		locks = locks || strings.Contains(l, field+"."+read+"Lock()")
		unlocks = unlocks || strings.Contains(l, field+"."+read+"Unlock()")
	}
	return false
}

// countedOutside drops a WaitGroup.Add in a goroutine that is counted itself: its own count keeps Wait from returning.
func countedOutside(h *hit, s scope) string {
	name, _, _ := strings.Cut(strings.TrimSpace(h.text), ".Add(")
	before := s.before()
	for _, l := range before[:max(0, len(before)-1)] {
		if strings.Contains(l, strings.TrimPrefix(name, "defer ")+".Add(") {
			return drop
		}
	}
	return ""
}

var keptBetween = lazyregexp.New(`(?i)cache|memo|registry|singleton|_state|_store|_seen`)

// keptOnPurpose drops a default argument that is a cache by its name, or private by its underscore.
func keptOnPurpose(h *hit, _ scope) string {
	if m := defaultArg.FindStringSubmatch(h.text); m != nil && (keptBetween.MatchString(m[1]) || strings.HasPrefix(m[1], "_")) {
		return drop
	}
	return ""
}
