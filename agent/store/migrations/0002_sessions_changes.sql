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

-- The last change of each memory but that it was read, so that another process can tell what it has not seen. One without
-- a memory is of a memory that was deleted.
CREATE TABLE memory_changes (
	n  INTEGER PRIMARY KEY AUTOINCREMENT,
	id TEXT    NOT NULL UNIQUE
) STRICT;
CREATE TRIGGER memory_added AFTER INSERT ON memories BEGIN
	DELETE FROM memory_changes WHERE id = new.id;
	INSERT INTO memory_changes (id) VALUES (new.id);
END;
CREATE TRIGGER memory_changed AFTER UPDATE OF user, category, content, importance, embedding, embedder, superseded, links ON memories BEGIN
	DELETE FROM memory_changes WHERE id = new.id;
	INSERT INTO memory_changes (id) VALUES (new.id);
END;
CREATE TRIGGER memory_removed AFTER DELETE ON memories BEGIN
	DELETE FROM memory_changes WHERE id = old.id;
	INSERT INTO memory_changes (id) VALUES (old.id);
END;
