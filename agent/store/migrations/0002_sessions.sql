-- What sessions of working memory hold. A session that is the id of a thread goes with it.
CREATE TABLE texts (
	key     INTEGER PRIMARY KEY,
	session TEXT    NOT NULL,
	id      TEXT    NOT NULL,
	read    INTEGER NOT NULL, -- when it was, last
	gone    INTEGER NOT NULL, -- 1: it is no longer held, and body is empty
	entry   BLOB    NOT NULL, -- a memory.Entry as JSON
	body    BLOB    NOT NULL,
	sum     INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX texts_by_id ON texts (session, id);
