package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/eke-bo/eke/internal/fault"
)

// patience is how long to wait for a lock that another process holds. Our own processes hold it for milliseconds. A program
// that is stopped in a debugger, or a backup tool, may hold it for ever.
var patience = 20 * time.Second

// busyTimeout is how long SQLite itself waits for a lock. It ignores contexts while it waits, so it waits in short turns.
const busyTimeout = "_pragma=busy_timeout(200)"

// config is what tests vary.
type config struct {
	steps     []string // migrations
	checkUpTo int64    // files up to this size are checked when they are opened
	pragmas   []string
}

// checkUpTo is the size up to which Open checks a whole file. Checking 58 MB took 80 ms where this was measured, and a larger
// file has taken weeks to fill. Every row is checked anyway when it is read; see store.SumOfEvent.
const checkUpTo = 64 << 20

// Open opens the store in the file at path. It creates the store if there is no such file.
func Open(ctx context.Context, path string) (*Store, error) {
	real, err := resolve(path)
	if err != nil {
		return nil, err
	}
	if err := onNetwork(real, filepath.Dir(real)); err != nil {
		return nil, err
	}
	return open(ctx, path, config{steps: embeddedSteps(), checkUpTo: checkUpTo})
}

func open(ctx context.Context, path string, c config) (*Store, error) {
	path, err := resolve(path)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if err := create(ctx, path, c); err != nil {
			return nil, err
		}
	} else if errors.Is(err, fs.ErrPermission) {
		return nil, unreadable(path)
	} else if err != nil {
		return nil, cannotCreate(path, err)
	}
	if err := inspect(ctx, path, c); err != nil {
		return nil, err
	}
	s := &Store{path: path, config: c}
	if err := s.start(ctx); err != nil {
		return nil, s.explain(ctx, err)
	}
	return s, nil
}

// start opens the file for writing, makes sure that it can be written to, and migrates it.
func (s *Store) start(ctx context.Context) (err error) {
	// A file that is deleted after this must not be created again by a later connection: rw, not rwc.
	options := []string{"mode=rw", "_txlock=immediate", busyTimeout,
		"_pragma=journal_mode(WAL)", "_pragma=synchronous(FULL)", "_pragma=foreign_keys(1)"}
	for _, p := range s.config.pragmas {
		options = append(options, "_pragma="+p)
	}
	if s.file, err = os.Stat(s.path); err != nil {
		return err
	}
	if s.db, err = connect(s.path, options...); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			s.db.Close()
		}
	}()
	return patiently(ctx, func() error {
		if err := s.tryWriting(ctx); err != nil {
			return err
		}
		return s.migrate(ctx)
	})
}

// tryWriting writes nothing new and rolls it back. SQLite opens a read-only file for writing, and even begins an immediate
// transaction, without an error.
func (s *Store) tryWriting(ctx context.Context) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	version, err := rawVersionOf(ctx, tx)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version))
	return err
}

// resolve returns the path that SQLite uses as well, for the file and for those beside it.
func resolve(path string) (string, error) {
	if path == "" || strings.ContainsRune(path, 0) {
		return "", fault.New(fault.StoreDenied, "give the path of a file", "%q is not the path of a file", path)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real, nil
	}
	return abs, nil
}

// connect returns a database with a single connection. SQLite writes one transaction at a time anyway, and those who wait for a
// Go mutex are served in turn and can be cancelled.
func connect(path string, options ...string) (*sql.DB, error) {
	name := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path)}
	db, err := sql.Open("sqlite", name.String()+"?_error_rc=1&"+strings.Join(options, "&"))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// patiently calls do until no lock keeps it out, patience ends, or ctx does.
func patiently(ctx context.Context, do func() error) error {
	for began := time.Now(); ; {
		err := do()
		if !isBusy(err) || time.Since(began) > patience {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}
