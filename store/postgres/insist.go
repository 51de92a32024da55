package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/eke-bo/eke/store"
)

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
	if err != nil && conn.Conn().IsClosed() && !isOurs(err) {
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

// code is PostgreSQL's code for an error. It is empty if the error is not from the server.
func code(err error) string {
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// isRefusal reports whether the server itself said that it did not make the change. A server that is shutting down reports an error
// as well, but does not say whether it made the change.
func isRefusal(err error) bool {
	e := (*pgconn.PgError)(nil)
	return errors.As(err, &e) && e.Severity == "ERROR"
}

// isStarting reports whether the server is there but cannot serve us yet.
func isStarting(err error) bool {
	c := code(err)
	return c == "57P03" || c == "53300" // cannot_connect_now, too_many_connections
}

// isPassing reports whether the same request may well succeed in a moment, perhaps on another connection.
func isPassing(err error) bool {
	switch c := code(err); {
	case c == "":
		lost := (*lostError)(nil)
		return errors.As(err, &lost)
	case isStarting(err), c == "57P01", c == "57P02", c == "57P05": // shut down, crashed, idle for too long
		return true
	case c[:2] == "08", c == "40001", c == "40P01": // connection, serialization, deadlock
		return true
	case c == "26000": // a prepared statement that a pooler lost
		return true
	case c == "0A000": // or one that is out of date after a migration; anything else that is not supported stays so
		said := (*pgconn.PgError)(nil)
		return errors.As(err, &said) && said.Routine == "RevalidateCachedQuery"
	}
	return false
}
