package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
)

// explain turns errors of the server, and of the way to it, into ours, with a hint. Errors that are ours already are
// returned as they are. If the caller gave up, that is the error.
func (s *Store) explain(ctx context.Context, err error) error {
	if err == nil || fault.IsExplained(err) {
		return err
	}
	unclear := ""
	if _, ok := errors.AsType[*unclearError](err); ok {
		unclear = "; it is not known whether this change was saved, but it was saved entirely or not at all"
	}
	if gaveUp := ctx.Err(); gaveUp != nil {
		return fmt.Errorf("%s: %w%s", s.place, gaveUp, unclear)
	}
	if said, ok := errors.AsType[*pgconn.PgError](err); ok {
		return s.translate(err, said, unclear)
	}
	if _, lost := errors.AsType[*lostError](err); lost {
		return fault.Errorf("check that the host and the port are right, that the server runs, and that it can be reached from here",
			"%s: %w: %s%s", s.place, store.ErrAway, wayThere(err), unclear)
	}
	return fmt.Errorf("%s: %w", s.place, err)
}

// translate puts what the server said into our words.
func (s *Store) translate(err error, said *pgconn.PgError, unclear string) error {
	is := func(sentinel error, hint, format string, args ...any) error {
		return fault.Errorf(hint, "%s: %w"+format, append([]any{s.place, sentinel}, args...)...)
	}
	switch c := said.Code; {
	case c == "28P01":
		return is(store.ErrDenied, "put the right password into $PGPASSWORD or ~/.pgpass", ": the password is wrong or missing")
	case c[:2] == "28":
		return is(store.ErrDenied, "check that the user is right, and that pg_hba.conf on the server allows it from here", ": %s", said.Message)
	case c == "3D000":
		return fault.Wrap(fs.ErrNotExist, fault.StoreDenied, "create it first (createdb), or give another one in the URL", "%s: %s", s.place, said.Message)
	case c == "53300":
		return is(store.ErrAway, "raise max_connections on the server, or give each eke fewer (?pool_max_conns=2)", ": all of its connections are taken%s", unclear)
	case c == "53100":
		return is(store.ErrFull, "", " of the database server")
	case c == "42501":
		return s.locked(said.Message)
	case c == "25006":
		return is(store.ErrReadOnly, "if another server is the primary now, give its URL", ": the server allows only reading now")
	case c == "55P03":
		return is(store.ErrBusy, "find out who holds the lock (pg_stat_activity, pg_locks) and end that", " and has been for %v", s.config.patience)
	case c == "57014":
		return fault.New(fault.Late, "check whether statement_timeout is too short", "%s: the server was told to stop (%s), and this change was not saved", s.place, said.Message)
	case c == "42P01", c == "3F000": // no such table, no such schema
		return is(store.ErrGone, "restore it from a copy before you go on", " (%s)", said.Message)
	case c[:2] == "42", c[:2] == "23": // what we ask is always the same
		return s.damaged("its tables are not as eke made them: " + said.Message)
	case c == "XX001", c == "XX002":
		return s.damaged(said.Message)
	case isPassing(err):
		return is(store.ErrAway, "check that the server runs, and go on", ": %s%s", said.Message, unclear)
	}
	return fault.Wrap(err, fault.Internal, "", "%s: the server says: %s (%s); this change was not saved", s.place, said.Message, said.Code)
}

// wayThere says what went wrong on the way to the server. The driver's own text has a line for each address and kind of encryption
// that it tried; the last one is enough.
func wayThere(err error) string {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return "there is no host " + dns.Name
	}
	if errors.Is(err, context.DeadlineExceeded) || pgconn.Timeout(err) {
		return "it did not answer in time"
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok {
		return dial.Err.Error()
	}
	if failed, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		err = failed.Unwrap()
	}
	for {
		tried, several := err.(interface{ Unwrap() []error })
		if !several || len(tried.Unwrap()) == 0 {
			return err.Error()
		}
		err = tried.Unwrap()[len(tried.Unwrap())-1]
	}
}

func (s *Store) locked(what string) error {
	schema, user := pgx.Identifier{s.schema}.Sanitize(), pgx.Identifier{s.pool.Config().ConnConfig.User}.Sanitize()
	hint := fmt.Sprintf("ask its owner to run: GRANT CREATE, USAGE ON SCHEMA %[1]s TO %[2]s; GRANT ALL ON ALL TABLES IN SCHEMA %[1]s TO %[2]s; "+
		"or, if there is no such schema yet: CREATE SCHEMA %[1]s AUTHORIZATION %[2]s", schema, user)
	return fault.Errorf(hint, "%s: %w: %s", s.place, store.ErrReadOnly, what)
}

func (s *Store) foreign(table string) error {
	return fault.Errorf("nothing was changed; give another schema (?schema=NAME) or another database",
		"%s: %w: the schema %s has a table %s that belongs to another program", s.place, store.ErrForeign, s.schema, table)
}

func (s *Store) damaged(what string) error {
	return fault.Errorf("", "%s: %w: %s", s.place, store.ErrDamaged, what)
}
