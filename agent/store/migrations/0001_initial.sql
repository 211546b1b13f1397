-- Times are nanoseconds since 1970 in UTC; the least integer is the zero time.
-- A sum is the CRC-32C of the columns of its row that are not counters of reads: what a disk garbled is found when read.

CREATE TABLE threads (
	key      INTEGER PRIMARY KEY,
	id       TEXT    NOT NULL UNIQUE,
	user     TEXT    NOT NULL,
	title    TEXT    NOT NULL,
	created  INTEGER NOT NULL,
	updated  INTEGER NOT NULL,
	state    BLOB,
	messages INTEGER NOT NULL, -- that it has
	last     INTEGER NOT NULL, -- number of the last of them
	given    INTEGER NOT NULL, -- the highest number that was given
	sum      INTEGER NOT NULL
) STRICT;
CREATE INDEX threads_by_time ON threads (updated DESC, id);
CREATE INDEX threads_by_user ON threads (user, updated DESC, id);

CREATE TABLE messages (
	key     INTEGER PRIMARY KEY,
	thread  INTEGER NOT NULL REFERENCES threads (key) ON DELETE CASCADE,
	seq     INTEGER NOT NULL,
	time    INTEGER NOT NULL,
	partial INTEGER NOT NULL,
	images  INTEGER NOT NULL,
	data    BLOB    NOT NULL, -- a contextwindow.Message as JSON
	sum     INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX messages_by_seq ON messages (thread, seq);

CREATE TABLE summaries (
	thread     INTEGER PRIMARY KEY REFERENCES threads (key) ON DELETE CASCADE,
	text       TEXT    NOT NULL,
	last       INTEGER NOT NULL,
	messages   INTEGER NOT NULL,
	extractive INTEGER NOT NULL,
	updated    INTEGER NOT NULL,
	sum        INTEGER NOT NULL
) STRICT;

CREATE TABLE memories (
	key        INTEGER PRIMARY KEY,
	id         TEXT    NOT NULL UNIQUE,
	user       TEXT    NOT NULL,
	category   TEXT    NOT NULL,
	content    TEXT    NOT NULL,
	importance INTEGER NOT NULL,
	accesses   INTEGER NOT NULL,
	accessed   INTEGER NOT NULL,
	embedding  BLOB,              -- float32, least byte first
	embedder   TEXT    NOT NULL,
	thread     TEXT    NOT NULL,  -- provenance, with message
	message    TEXT    NOT NULL,
	created    INTEGER NOT NULL,
	updated    INTEGER NOT NULL,
	superseded TEXT    NOT NULL,
	links      BLOB,              -- a JSON array of ids
	sum        INTEGER NOT NULL
) STRICT;
CREATE INDEX memories_by_time ON memories (created, id);

-- The rowid of both is the key of a memory. Runs of Chinese, Japanese and Korean stand in memory_words with a space
-- between any two characters, so that a phrase finds a word of any length.
CREATE VIRTUAL TABLE memory_words USING fts5 (content, tokenize = 'porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE memory_parts USING fts5 (content, tokenize = 'trigram');
INSERT INTO memory_words (memory_words, rank) VALUES ('secure-delete', 1);
INSERT INTO memory_parts (memory_parts, rank) VALUES ('secure-delete', 1);

CREATE TABLE bodies (
	key   INTEGER PRIMARY KEY,
	scope TEXT    NOT NULL,
	id    TEXT    NOT NULL,
	body  BLOB    NOT NULL,
	sum   INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX bodies_by_id ON bodies (scope, id);

CREATE TABLE entries (
	key  INTEGER PRIMARY KEY,
	log  TEXT    NOT NULL,
	n    INTEGER NOT NULL, -- from 0, without gaps
	data BLOB    NOT NULL, -- a contextwindow.Entry as JSON
	sum  INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX entries_by_n ON entries (log, n);
