package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
)

// config is what tests vary.
type config struct {
	steps    fs.FS         // migrations
	patience time.Duration // how long to wait for a lock, or for a server that went away
	dial     pgconn.DialFunc
	lookup   pgconn.LookupFunc
}

// patience is enough for a server that is restarted, or recovers from a crash.
const patience = 20 * time.Second

// answer is how long a server may take for one change before it counts as gone. A machine that lost its power says nothing at
// all, and TCP would wait for a quarter of an hour.
const answer = time.Minute

// defaultSchema is the schema of the tables, unless the URL names another.
const defaultSchema = "eke"

// Open opens the store in the database at url, and creates its tables if there are none. The URL is one of PostgreSQL's,
// postgres://USER@HOST:PORT/DATABASE, with one more option: schema.
func Open(ctx context.Context, url string) (*Store, error) {
	return open(ctx, url, config{steps: embeddedSteps(), patience: patience})
}

func open(ctx context.Context, url string, c config) (*Store, error) {
	pc, schema, err := parse(url)
	if err != nil {
		return nil, err
	}
	last, err := lastStep(c.steps)
	if err != nil {
		return nil, err
	}
	s := &Store{place: placeOf(pc, schema), schema: schema, config: c, knows: last}
	s.prepare(pc)
	if s.pool, err = pgxpool.NewWithConfig(ctx, pc); err != nil {
		return nil, s.explain(ctx, err)
	}
	if err := s.start(ctx); err != nil {
		s.pool.Close()
		return nil, s.explain(ctx, err)
	}
	return s, nil
}

// Place returns a URL in a form that can be printed: without the password.
func Place(url string) string {
	pc, schema, err := parse(url)
	if err != nil {
		return "postgres://…"
	}
	return placeOf(pc, schema)
}

// parse reads a URL. An error does not quote the URL, which may have a password in it.
func parse(url string) (pc *pgxpool.Config, schema string, err error) {
	if pc, err = pgxpool.ParseConfig(url); err != nil {
		return nil, "", fault.New(fault.StoreDenied, "write postgres://USER@HOST:PORT/DATABASE, with special characters as %XX; "+
			"the password is better kept in $PGPASSWORD or ~/.pgpass", "the URL of the database cannot be read")
	}
	params := pc.ConnConfig.RuntimeParams
	schema = defaultSchema
	if name, given := params["schema"]; given {
		schema = name
		delete(params, "schema")
	}
	if schema == "" || len(schema) > 63 || strings.ContainsRune(schema, 0) || strings.HasPrefix(schema, "pg_") {
		return nil, "", fault.New(fault.StoreDenied, "give a name of 1 to 63 letters that does not begin with pg_", "%q cannot be the name of a schema", schema)
	}
	return pc, schema, nil
}

func placeOf(pc *pgxpool.Config, schema string) string {
	c := pc.ConnConfig
	host := net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))
	if strings.HasPrefix(c.Host, "/") { // a socket
		host = c.Host
	}
	place := fmt.Sprintf("postgres://%s@%s/%s", c.User, host, c.Database)
	if schema != defaultSchema {
		place += "?schema=" + schema
	}
	return place
}

// prepare sets how connections are made and used.
func (s *Store) prepare(pc *pgxpool.Config) {
	c := pc.ConnConfig
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = patience / 2
	}
	if s.config.dial != nil {
		c.DialFunc = s.config.dial
	}
	if s.config.lookup != nil {
		c.LookupFunc = s.config.lookup
	}
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "eke"
	}
	// A caller that gives up still waits for the server's answer, so that it is known whether the change was saved. The server
	// has a moment to finish, and is then told to stop. A server that does not even answer that is gone.
	c.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, CancelRequestDelay: 50 * time.Millisecond, DeadlineDelay: 5 * time.Second}
	}
	pc.AfterConnect = s.agree
}

// agree sets what the store relies on, whatever the settings of the role and the database are. It does not do so in the startup
// packet, because poolers read that and do not know these settings.
func (s *Store) agree(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `SELECT set_config('search_path', $1, false), set_config('lock_timeout', $2, false),
		set_config('default_transaction_isolation', 'read committed', false),
		set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false)`,
		pgx.QueryExecModeExec, pgx.Identifier{s.schema}.Sanitize(), strconv.FormatInt(s.config.patience.Milliseconds(), 10))
	return err
}

// start makes sure that the server is there and lets us in, that the tables in the schema are ours, and that they are up to date.
func (s *Store) start(ctx context.Context) error {
	var version int64
	// Wait for a server that is just starting. One that is not there at all is more likely a mistake in the URL.
	err := s.patiently(ctx, isStarting, func(ctx context.Context, conn *pgx.Conn) (err error) {
		version, err = s.inspect(ctx, conn)
		return err
	})
	if err != nil || version == s.knows {
		return err
	}
	return s.climb(ctx)
}

// insist runs do until the server has answered, as long as patience lasts. If a connection is lost while it is used, the change may
// have been saved all the same. So it must do no harm to run do again, and do must find out what is there.
func (s *Store) insist(ctx context.Context, do func(context.Context, *pgx.Conn) error) error {
	return s.explain(ctx, s.patiently(ctx, isPassing, do))
}

// patiently runs do, and runs it again while its error may pass.
func (s *Store) patiently(ctx context.Context, passes func(error) bool, do func(context.Context, *pgx.Conn) error) error {
	unclear := false
	for began, attempt := time.Now(), 0; ; attempt++ {
		sent, err := s.once(ctx, do)
		if err == nil || !passes(err) {
			return err
		}
		unclear = unclear || sent && !isRefusal(err)
		if ctx.Err() != nil || time.Since(began) > s.config.patience {
			if unclear {
				err = &unclearError{err}
			}
			return err
		}
		pause(ctx, attempt)
	}
}

// once runs do on a connection of the pool, and says whether anything of it may have been sent.
func (s *Store) once(ctx context.Context, do func(context.Context, *pgx.Conn) error) (sent bool, err error) {
	if s.closed.Load() {
		return false, fmt.Errorf("%s: %w", s.place, store.ErrClosed)
	}
	limited, cancel := context.WithTimeout(ctx, answer)
	defer cancel()
	conn, err := s.pool.Acquire(limited)
	if s.closed.Load() && err != nil {
		return false, fmt.Errorf("%s: %w", s.place, store.ErrClosed)
	}
	if err != nil {
		return false, &lostError{err}
	}
	defer conn.Release()
	err = do(limited, conn.Conn())
	if err != nil && conn.Conn().IsClosed() && !fault.IsExplained(err) {
		err = &lostError{err}
	}
	return !pgconn.SafeToRetry(err), err
}

// pause waits before another attempt: at first some milliseconds, since other connections of the pool may be good, and later up to
// half a second, since servers take a while to start. The wait is random, so that not all clients come back at once.
func pause(ctx context.Context, attempt int) {
	select {
	case <-ctx.Done():
	case <-time.After(rand.N(10 * time.Millisecond << min(attempt, 6))):
	}
}

// A lostError says that the connection was lost, or that there never was one.
type lostError struct{ error }

func (e *lostError) Unwrap() error { return e.error }

// An unclearError says that nobody knows whether a change was saved.
type unclearError struct{ error }

func (e *unclearError) Unwrap() error { return e.error }

// isRefusal reports whether the server itself said that it did not make the change. A server that is shutting down reports an error
// as well, but does not say whether it made the change.
func isRefusal(err error) bool {
	said, ok := errors.AsType[*pgconn.PgError](err)
	return ok && said.Severity == "ERROR"
}

// starting are the codes of a server that is there but cannot serve us yet.
var starting = []string{"57P03", "53300"} // cannot_connect_now, too_many_connections

// isStarting reports whether the server is there but cannot serve us yet.
func isStarting(err error) bool {
	said, ok := errors.AsType[*pgconn.PgError](err)
	return ok && slices.Contains(starting, said.Code)
}

// passing are further codes of errors that may pass.
var passing = []string{
	"57P01", "57P02", "57P05", // shut down, crashed, idle for too long
	"40001", "40P01", // serialization, deadlock
	"26000", // a prepared statement that a pooler lost
}

// isPassing reports whether the same request may well succeed in a moment, perhaps on another connection.
func isPassing(err error) bool {
	said, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		_, lost := errors.AsType[*lostError](err)
		return lost
	}
	// A statement may be out of date after a migration; anything else that is not supported stays so.
	isStale := said.Code == "0A000" && said.Routine == "RevalidateCachedQuery"
	isConnection := strings.HasPrefix(said.Code, "08")
	return isStale || isConnection || isStarting(err) || slices.Contains(passing, said.Code)
}
