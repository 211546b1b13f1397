-- Only tests ever wrote entries and bodies.
DROP TABLE entries;
DROP TABLE bodies;

CREATE TABLE sessions (
	key     INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice: who reads a session notices that it was removed
	id      TEXT    NOT NULL UNIQUE,
	updated INTEGER NOT NULL, -- when records were last added
	records INTEGER NOT NULL, -- that it has
	info    BLOB    NOT NULL, -- what its records add up to, as JSON
	sum     INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_time ON sessions (updated DESC, id);

-- The key is that of the session * 2^32 + the number of the record, from 0 without gaps.
CREATE TABLE records (
	key  INTEGER PRIMARY KEY,
	data BLOB    NOT NULL, -- a session.Record as JSON; the hash of a body is in place of a long text
	sum  INTEGER NOT NULL
) STRICT;

-- Long texts of records, each once.
CREATE TABLE bodies (
	key  INTEGER PRIMARY KEY,
	hash BLOB    NOT NULL UNIQUE, -- SHA-256 of the text
	size INTEGER NOT NULL,        -- of the text
	data BLOB    NOT NULL,        -- the text, compressed as S2
	sum  INTEGER NOT NULL
) STRICT;

CREATE TABLE session_bodies (
	session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
	body    INTEGER NOT NULL REFERENCES bodies (key) DEFERRABLE INITIALLY DEFERRED,
	PRIMARY KEY (session, body)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_bodies_by_body ON session_bodies (body);
