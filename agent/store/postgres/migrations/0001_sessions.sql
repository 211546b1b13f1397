-- ids are bytes: text cannot hold NUL. data is JSON for the same reason.
CREATE TABLE sessions (
	key     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	id      bytea NOT NULL UNIQUE,
	records bigint NOT NULL,
	created timestamptz NOT NULL DEFAULT now(),
	updated timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE records (
	session bigint NOT NULL REFERENCES sessions ON DELETE CASCADE,
	n       bigint NOT NULL,
	data    bytea NOT NULL,
	PRIMARY KEY (session, n)
);

-- Long texts, compressed with S2, by their SHA-256. They are compressed already, so that PostgreSQL need not try.
CREATE TABLE bodies (
	hash bytea PRIMARY KEY,
	size bigint NOT NULL,
	data bytea NOT NULL
);
ALTER TABLE bodies ALTER COLUMN data SET STORAGE EXTERNAL;

CREATE TABLE session_bodies (
	session bigint NOT NULL REFERENCES sessions ON DELETE CASCADE,
	body    bytea NOT NULL REFERENCES bodies,
	PRIMARY KEY (session, body)
);
CREATE INDEX session_bodies_body ON session_bodies (body);
CREATE INDEX sessions_updated ON sessions (updated DESC, id);
