package textsearch

import (
	"cmp"
	"strings"
	"sync"
)

// kin lists words of one origin that do not begin alike, so that no stem serves them all, then words whose abbreviation
// in code few others begin with, a family before each semicolon.
const kin = `
send sent; lose losing lost loss; throw threw thrown; hide hidden; write wrote written; rewrite rewrote rewritten;
overwrite overwrote overwritten; override overrode overridden; catch caught; freeze froze frozen; hold held;
build built; rebuild rebuilt; break broke broken; spend spent; pay paid; forget forgot forgotten; draw drew drawn;
grow grew grown; shrink shrank shrunk; begin began begun; sweep swept; sleep slept; wake woke woken; seek sought;
feed fed; tear torn; undo undid undone; choose chose chosen choice; register registry registration registrar;
verify verification; notify notification; modify modification; specify specification; identify identification;
classify classification; multiply multiplication; deny denial; try trial; analyze analysis; resolve resolution;
describe description; subscribe subscription; define definition; repeat repetition; destroy destruction destructor;
receive receipt reception; include inclusion; exclude exclusion; decide decision; divide division; collide collision;
expand expansion; extend extension; suspend suspension; convert conversion; invert inversion; revert reversion;
revise revision; permit permission; submit submission; emit emission; omit omission; transmit transmission;
recur recursion recursive; delete deletion; insert insertion; assert assertion; complete completion;
suggest suggestion; ingest ingestion; prevent prevention; retain retention; maintain maintenance; remove removal;
retrieve retrieval; traverse traversal; approve approval; expect expectation; limit limitation; quote quotation;
transform transformation; represent representation; segment segmentation; fragment fragmentation;
cancel cancellation; install installation; compile compilation; reserve reservation; preserve preservation;
derive derivation; restore restoration; explore exploration; declare declaration decl; expire expiration expiry;
combine combination; explain explanation; permute permutation; adapt adaptation; attest attestation;
allocate allocation alloc; visible visibility; invisible invisibility; compatible compatibility;
accessible accessibility; frequent frequency freq; consistent consistency; equal equality; deep depth;
persist persistence persistent; refer reference; infer inference; prefer preference; differ difference diff;
precede precedence; inherit inheritance; occur occurrence; accept acceptance; tolerate tolerance; silent silence;
absent absence; mix mixture; fail failure; argue argument; judge judgment; maximum max; minimum min; parameter param;
address addr; random rand; documentation doc; synchronous sync; identifier ident; context ctx; index idx;
pointer ptr; character char; library lib; package pkg; source src; attribute attr; information info; average avg;
iterator iter; original orig; hexadecimal hex; sequence seq; image img; button btn; transaction txn tx; utility util;
manager mgr; language lang; delimiter delim; parenthesis paren; interface iface; implementation impl; statement stmt;
element elem; control ctrl; credential cred; acknowledge ack; priority prio; boolean bool; object obj; response resp;
separator sep`

// Kin returns families of words and of abbreviations with one origin.
func Kin() [][]string { return Groups(kin) }

// KinRoot is [Root], but words of one family of [Kin] have the root of the first: "sent" becomes "send".
func KinRoot(word []byte) []byte {
	root := Root(word)
	return []byte(cmp.Or(kinRoot()[string(root)], string(root)))
}

// kinRoot holds, by the root of a word, the root of the first of its family.
var kinRoot = sync.OnceValue(func() map[string]string {
	roots := make(map[string]string)
	for _, family := range Kin() {
		first := string(Root([]byte(family[0])))
		for _, word := range family {
			roots[string(Root([]byte(word)))] = first
		}
	}
	return roots
})

// Groups returns the groups of words of a table that has semicolons between them.
func Groups(table string) (all [][]string) {
	for group := range strings.SplitSeq(table, ";") {
		all = append(all, strings.Fields(group))
	}
	return all
}
