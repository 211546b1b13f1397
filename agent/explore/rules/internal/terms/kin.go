package terms

import "strings"

// kin lists words of one origin that do not begin alike, so that no stem serves them all, a family before each
// semicolon.
const kin = `
send sent; lose losing lost loss; throw threw thrown; hide hidden; write wrote written; rewrite rewrote rewritten;
overwrite overwrote overwritten; override overrode overridden; catch caught; freeze froze frozen; hold held;
build built; rebuild rebuilt; break broke broken; bind bound; spend spent; pay paid; forget forgot forgotten;
draw drew drawn; grow grew grown; shrink shrank shrunk; begin began begun; sweep swept; sleep slept; wake woke woken;
seek sought; feed fed; tear torn; undo undid undone; choose chose chosen choice;
register registry registration registrar; apply application; verify verification; notify notification;
modify modification; specify specification; identify identification; classify classification;
multiply multiplication; deny denial; try trial; analyze analysis; resolve resolution; describe description;
subscribe subscription; define definition; repeat repetition; destroy destruction destructor;
receive receipt reception; include inclusion; exclude exclusion; decide decision; divide division; collide collision;
expand expansion; extend extension; suspend suspension; convert conversion; invert inversion; revert reversion;
revise revision; permit permission; submit submission; emit emission; omit omission; transmit transmission;
recur recursion recursive; delete deletion; insert insertion; assert assertion; complete completion;
suggest suggestion; ingest ingestion; prevent prevention; retain retention; maintain maintenance; remove removal;
retrieve retrieval; traverse traversal; approve approval; expect expectation; limit limitation; quote quotation;
transform transformation; represent representation; segment segmentation; fragment fragmentation;
cancel cancellation; install installation; compile compilation; reserve reservation; preserve preservation;
derive derivation; restore restoration; explore exploration; declare declaration; expire expiration expiry;
combine combination; explain explanation; permute permutation; adapt adaptation; attest attestation;
authenticate authentication auth; authorize authorization auth; allocate allocation alloc; visible visibility;
invisible invisibility; compatible compatibility; accessible accessibility; frequent frequency;
consistent consistency; equal equality; active activate activation; long length; wide width; high height; deep depth;
persist persistence persistent; refer reference; infer inference; prefer preference; differ difference;
precede precedence; inherit inheritance; occur occurrence; accept acceptance; tolerate tolerance;
silent silence silence; absent absence; mix mixture; fail failure; argue argument; judge judgment`

// short lists words with the abbreviations that code has for them, if few other words begin like these.
const short = `
maximum max; minimum min; parameter param; address addr; random rand; documentation doc; synchronous sync;
identifier ident; context ctx; index idx; pointer ptr; character char; library lib; package pkg; source src;
attribute attr; information info; statistics stats; average avg; iterator iter; original orig; hexadecimal hex;
sequence seq; image img; button btn; transaction txn tx; utility util; manager mgr; frequency freq; language lang;
delimiter delim; parenthesis paren; interface iface; implementation impl; declaration decl; statement stmt;
element elem; control ctrl; credential cred; acknowledge ack; priority prio; boolean bool; object obj; response resp;
separator sep; difference diff`

// Kin returns the families of words of one origin that do not begin alike, abbreviations among them.
func Kin() [][]string { return append(groups(kin), groups(short)...) }

func groups(table string) (all [][]string) {
	for group := range strings.SplitSeq(table, ";") {
		all = append(all, strings.Fields(group))
	}
	return all
}
