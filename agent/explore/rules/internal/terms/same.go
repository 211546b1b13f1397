package terms

import "github.com/forayhq/foray/internal/textsearch"

// same lists words that code uses for the same thing, a group before each semicolon. A word may be in
// several groups.
const same = `
delete remove erase purge prune; evict expel purge; clean cleanup sweep prune purge; stop halt shutdown terminate;
quit exit; kill terminate exit; language locale; close shutdown dispose; fetch retrieve download; store save persist;
send transmit dispatch publish; receive recv accept; wait sleep delay backoff; pause sleep wait;
retry reattempt backoff; validate verify check; parse decode; print display show dump; search find lookup;
combine merge join concat; split divide partition chunk; escape quote sanitize; copy clone duplicate; compare diff;
limit cap max bound throttle; forbid deny reject refuse disallow; permit allow grant; hide mask redact;
guess infer detect sniff; ignore skip exclude omit; cancel abort interrupt; notify signal wake;
replace substitute swap; recover restore resume; failure error exception; crash panic abort; compress gzip deflate;
convert transform cast coerce; subscribe register; watch monitor; share pool reuse; schedule timer cron;
distribute balance; folder directory dir; flag option; setting option config; message msg; thread worker; task job;
length size; password secret credential; lock mutex; dictionary map; temporary tmp temp; encryption encrypt cipher;
alive ping heartbeat keepalive; leader master primary; follower replica slave; vote election; member peer;
whitespace space; quiet silent suppress; finish complete; expire ttl timeout; deadline timeout;
wrong invalid bad malformed; unknown unrecognized undefined unexpected extra; nested depth recursion;
circle cycle circular cyclic; repeated duplicate; twice duplicate; encoding charset; newest latest recent;
broken corrupt damaged; wrap decorate; keep kept retain preserve; slow throttle; loop iterate traverse;
compact shrink; parallel concurrent`

// Groups returns the groups of words that code uses for the same thing.
func Groups() [][]string { return textsearch.Groups(same) }
