package postgres

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/store/internal/packed"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The errors of a [Store].
var (
	ErrDamaged  = packed.ErrDamaged  // a record or a text is not as it was written
	ErrTooLarge = packed.ErrTooLarge // a text has over 32 MiB
	ErrInvalid  = packed.ErrInvalid
	ErrNewer    = errors.New("the database was written by a newer foray")
)

// Options adjust a [Store]. The zero value is ready to use.
type Options struct {
	Schema string // holds the tables, made if missing; "": foray

	// Bodies keeps large texts outside of the database. All processes that use the schema need the same; once it has
	// texts, they cannot be read without it. Nil: all texts are in the database.
	Bodies session.BodyStore
	// BodyBytes is the least size of a text that goes to Bodies, in bytes; 0: 64 KiB.
	BodyBytes int
}

// defaultBodyBytes is about where a request to an object store costs less than a larger database does.
const defaultBodyBytes = 64 << 10

// A Store keeps sessions in a schema of a database. It is safe for concurrent use, also by several processes and
// machines.
type Store struct {
	pool  *pgxpool.Pool
	locks locks

	elsewhere session.BodyStore // nil: none
	large     int               // bytes of the shortest text that goes there
}

var (
	_ session.Store  = (*Store)(nil)
	_ session.Opener = (*Store)(nil)
)

// Open connects to the database that a connection string or URL of libpq names, and makes or migrates its tables.
// Pool_max_conns in it bounds the connections; one more holds the locks. With nil options the defaults apply.
func Open(ctx context.Context, dsn string, o *Options) (*Store, error) {
	if o == nil {
		o = &Options{}
	}
	schema := cmp.Or(o.Schema, "foray")
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	params := config.ConnConfig.RuntimeParams
	params["search_path"] = pgx.Identifier{schema}.Sanitize()
	params["synchronous_commit"] = "on" // an append that returned is durable
	if params["application_name"] == "" {
		params["application_name"] = "foray"
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	s := &Store{pool: pool, locks: locks{config: config.ConnConfig, schema: schema}, elsewhere: o.Bodies,
		large: cmp.Or(o.BodyBytes, defaultBodyBytes)}
	if err := s.migrate(ctx, schema); err != nil {
		pool.Close()
		return nil, fmt.Errorf("postgres: opening schema %q: %w", schema, err)
	}
	return s, nil
}

// Close frees the locks of the store and closes its connections. It waits for calls in progress.
func (s *Store) Close() error {
	err := s.locks.close()
	s.pool.Close()
	return err
}

//go:embed migrations/*.sql
var migrations embed.FS

// steps migrate a schema from one version to the next. A released step never changes.
var steps = []string{"migrations/0001_sessions.sql", "migrations/0002_elsewhere.sql"}

// migrationLock keeps processes from migrating at once: "fory" in ASCII.
const migrationLock = 0x666f7279

// migrate brings the schema to the newest version, in one transaction.
func (s *Store) migrate(ctx context.Context, schema string) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		name := pgx.Identifier{schema}.Sanitize()
		var known bool
		err := tx.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL`, name+".version").Scan(&known)
		if err != nil {
			return err
		}
		if !known { // only then: who may not make schemas can use one that exists
			_, err := tx.Exec(ctx, fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d);
				CREATE SCHEMA IF NOT EXISTS %s; CREATE TABLE IF NOT EXISTS version (version int NOT NULL)`,
				migrationLock, name))
			if err != nil {
				return err
			}
		}
		version := 0
		if err := tx.QueryRow(ctx, `SELECT coalesce(max(version), 0) FROM version`).Scan(&version); err != nil {
			return err
		}
		if version > len(steps) {
			return fmt.Errorf("%w: it has version %d, this foray knows versions up to %d", ErrNewer, version, len(steps))
		}
		if version == len(steps) {
			return nil
		}
		return s.step(ctx, tx)
	})
}

// step runs the steps that are missing once it has the lock.
func (s *Store) step(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, migrationLock)); err != nil {
		return err
	}
	version := 0
	if err := tx.QueryRow(ctx, `SELECT coalesce(max(version), 0) FROM version`).Scan(&version); err != nil {
		return err
	}
	for i := version; i < len(steps); i++ {
		script, err := migrations.ReadFile(steps[i])
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, string(script)); err != nil {
			return fmt.Errorf("%s: %w", steps[i], err)
		}
		if _, err := tx.Exec(ctx, `INSERT INTO version VALUES ($1)`, i+1); err != nil {
			return err
		}
	}
	return nil
}
