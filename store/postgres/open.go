package postgres

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/eke-bo/eke/internal/fault"
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

// Place returns a URL in a form that can be printed: without the password.
func Place(url string) string {
	pc, schema, err := parse(url)
	if err != nil {
		return "postgres://…"
	}
	return placeOf(pc, schema)
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
