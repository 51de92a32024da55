package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/eke-bo/eke/internal/fault"
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
