package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/eke-bo/eke/store"
)

// isOurs reports whether an error has been put into our words already.
func isOurs(err error) bool {
	for _, ours := range []error{store.ErrExists, store.ErrNotFound, store.ErrConflict, store.ErrForeign, store.ErrDamaged,
		store.ErrNewer, store.ErrReadOnly, store.ErrFull, store.ErrBusy, store.ErrGone, store.ErrClosed,
		store.ErrAway, store.ErrDenied, store.ErrNoToken, store.ErrTokenExists} {
		if errors.Is(err, ours) {
			return true
		}
	}
	return false
}

// explain turns errors of the server and of the way to it into ours, with what to do about them. Errors that are
// ours already pass. That the caller gave up is preferred to what came of it.
func (s *Store) explain(ctx context.Context, err error) error {
	if err == nil || isOurs(err) {
		return err
	}
	at := "postgres: " + s.place
	unclear := ""
	if e := (*unclearError)(nil); errors.As(err, &e) {
		unclear = "; whether this change was kept is not known, but it is there entirely or not at all"
	}
	if gaveUp := ctx.Err(); gaveUp != nil {
		return fmt.Errorf("%s: %w%s", at, gaveUp, unclear)
	}
	said, lost := (*pgconn.PgError)(nil), (*lostError)(nil)
	switch {
	case errors.As(err, &said):
	case !errors.As(err, &lost):
		return fmt.Errorf("%s: %w", at, err)
	default:
		return fmt.Errorf("%s: %w: %s%s; see that the host and the port are right, that the server runs, and that it can be reached from here",
			at, store.ErrAway, wayThere(err), unclear)
	}
	switch c := said.Code; {
	case c == "28P01":
		return fmt.Errorf("%s: %w: the password is wrong, or there is none; put the right one into $PGPASSWORD or ~/.pgpass", at, store.ErrDenied)
	case c[:2] == "28":
		return fmt.Errorf("%s: %w: %s; see that the user is right and that pg_hba.conf on the server allows it from here", at, store.ErrDenied, said.Message)
	case c == "3D000":
		return fmt.Errorf("%s: %s; make it first (createdb), or give another in the URL: %w", at, said.Message, fs.ErrNotExist)
	case c == "53300":
		return fmt.Errorf("%s: %w: all of its connections are taken; raise max_connections on the server, or give each eke fewer (?pool_max_conns=2)%s", at, store.ErrAway, unclear)
	case c == "53100":
		return fmt.Errorf("%s: %w of the database; nothing of this change was kept, everything before it was; make room and go on", at, store.ErrFull)
	case c == "42501":
		return s.locked(said.Message)
	case c == "25006":
		return fmt.Errorf("%s: %w: the server only lets it be read now; perhaps another is the primary, then give the URL of that", at, store.ErrReadOnly)
	case c == "55P03":
		return fmt.Errorf("%s: %w and has been for %v; see who holds it (pg_stat_activity, pg_locks) and end that", at, store.ErrBusy, s.config.patience)
	case c == "57014":
		return fmt.Errorf("%s: the server was told to stop (%s) and nothing of this change was kept; see whether statement_timeout is too short", at, said.Message)
	case c == "42P01", c == "3F000": // no such table, no such schema
		return fmt.Errorf("%s: %w (%s); put it back from a copy before you go on", at, store.ErrGone, said.Message)
	case c[:2] == "42", c[:2] == "23": // what we ask is always the same
		return s.damaged("its tables are not as eke made them: " + said.Message)
	case c == "XX001", c == "XX002":
		return s.damaged(said.Message)
	case isPassing(err):
		return fmt.Errorf("%s: %w: %s%s; see that the server runs, and go on", at, store.ErrAway, said.Message, unclear)
	}
	return fmt.Errorf("%s: the server says: %s (%s); nothing of this change was kept", at, said.Message, said.Code)
}

// wayThere says what went wrong on the way to the server, in few words. The driver's own text is not used: it
// goes on for lines, one for each address and way of encryption that was tried.
func wayThere(err error) string {
	var dns *net.DNSError
	var dial *net.OpError
	switch {
	case errors.As(err, &dns):
		return "there is no host " + dns.Name
	case errors.Is(err, context.DeadlineExceeded), pgconn.Timeout(err):
		return "it did not answer in time"
	case errors.As(err, &dial):
		return dial.Err.Error()
	}
	text := err.Error()
	return text[strings.LastIndexByte(text, '\n')+1:]
}

func (s *Store) locked(what string) error {
	schema, user := pgx.Identifier{s.schema}.Sanitize(), pgx.Identifier{s.pool.Config().ConnConfig.User}.Sanitize()
	return fmt.Errorf("postgres: %s: %w: %s; have its owner say: GRANT CREATE, USAGE ON SCHEMA %[4]s TO %[5]s; "+
		"GRANT ALL ON ALL TABLES IN SCHEMA %[4]s TO %[5]s; or, if there is none yet: CREATE SCHEMA %[4]s AUTHORIZATION %[5]s",
		s.place, store.ErrReadOnly, what, schema, user)
}

func (s *Store) foreign(table string) error {
	return fmt.Errorf("postgres: %s: %w: the schema %s has a table %s of another program's; nothing was changed; give another schema (?schema=NAME) or database",
		s.place, store.ErrForeign, s.schema, table)
}

func (s *Store) damaged(what string) error {
	return fmt.Errorf("postgres: %s: %w: %s; nothing was written to it; put a copy in its place", s.place, store.ErrDamaged, what)
}

func (s *Store) newer(version int64) error {
	return fmt.Errorf("postgres: %s: %w: it has version %d, this eke knows up to %d; use the newer eke",
		s.place, store.ErrNewer, version, s.knows)
}
