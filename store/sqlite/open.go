package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	_ "modernc.org/sqlite" // the driver
	lib "modernc.org/sqlite/lib"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
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
	asks      func(query string) // called before one of several questions about one moment
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

// NetworkVariable is the environment variable that allows stores on network file systems, if it is 1.
const NetworkVariable = "EKE_NETWORK_STORE"

// onNetwork refuses a folder on a network file system. SQLite relies on locks and on memory that processes share through a file. Most of these
// file systems have neither: two machines that write at once destroy the store, and nobody notices at first.
func onNetwork(path, folder string) error {
	name := networkOf(folder)
	if name == "" || os.Getenv(NetworkVariable) == "1" {
		return nil
	}
	return fault.Errorf("put the store on a local disk (--db), and let other machines use eke serve, or use a postgres:// store; if only one machine ever uses it, set "+NetworkVariable+"=1",
		"%s: %w: it is on a network file system (%s), where two machines that write at once destroy it", path, store.ErrReadOnly, name)
}

// inspect returns an error unless the file at path is an intact eke store. It changes nothing.
//
// It reads through SQLite and not with os.Open: if this process had the file open already, closing another
// descriptor of it would drop all locks (POSIX), and other processes would then write over ours.
func inspect(ctx context.Context, path string, c config) error {
	before, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, cause(err))
	}
	switch {
	case before.IsDir():
		return foreign(path, "it is a folder", "give the path of a file in it")
	case !before.Mode().IsRegular():
		return foreign(path, "it is not a regular file", "give another path")
	case before.Size() == 0:
		return foreign(path, "it is an empty file", "remove it, or give another path")
	}

	if !inUse(path) {
		// immutable: without locks, and without files made beside it.
		err := examine(ctx, path, c, "immutable=1")
		if err == nil || errors.Is(err, fs.ErrPermission) || undisturbed(path, before) {
			return err
		}
	}
	// Somebody is writing to it, or died before tidying up. Then the file makes sense only under locks and together with the
	// log beside it, half of which may have been copied into the file. SQLite does not go on copying if it is opened for
	// reading only.
	return patiently(ctx, func() error { return examine(ctx, path, c, busyTimeout) })
}

func undisturbed(path string, before fs.FileInfo) bool {
	after, err := os.Stat(path)
	return err == nil && !inUse(path) && after.ModTime().Equal(before.ModTime()) && after.Size() == before.Size()
}

func examine(ctx context.Context, path string, c config, how string) error {
	db, err := connect(path, "mode=ro", how)
	if err != nil {
		return explain(path, err)
	}
	defer db.Close()
	if err = identify(ctx, db, path, c); err == nil {
		err = check(ctx, db, path, c)
	}
	if isBusy(err) {
		return err // it may pass
	}
	return explain(path, err)
}

// identify compares the file's header with ours.
func identify(ctx context.Context, db *sql.DB, path string, c config) error {
	var id int
	err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id)
	switch {
	case primary(code(err)) == lib.SQLITE_CANTOPEN:
		return unreadable(path)
	case err != nil:
		return err
	case id != applicationID:
		return foreign(path, "it is another program's database", "give another path")
	}
	_, err = versionOf(ctx, db, path, c)
	return err
}

// check reads all pages of the file, unless it is large.
func check(ctx context.Context, db *sql.DB, path string, c config) error {
	if info, err := os.Stat(path); err == nil && info.Size() > c.checkUpTo {
		return nil
	}
	var finding string
	err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&finding)
	if err == nil && finding != "ok" {
		err = damaged(path, finding[strings.LastIndexByte(finding, '\n')+1:]) // the line before says which database
	}
	return err
}

// inUse reports whether there is a log beside the file. There is one while anybody has the file open, and after they were killed.
func inUse(path string) bool {
	_, err := os.Stat(path + "-wal")
	return !errors.Is(err, fs.ErrNotExist)
}

// applicationID marks a file as ours, in the header field that SQLite keeps for this: "eke" and a store.
const applicationID = 0x656b6500 | 's'

// create creates an empty store at path, unless somebody else does so first. It is the owner's alone: commands may have secrets in
// their arguments.
func create(ctx context.Context, path string, c config) error {
	temp := besides(path)
	if err := os.WriteFile(temp, nil, 0o600); err != nil {
		return cannotCreate(path, err)
	}
	defer os.Remove(temp)
	if err := build(ctx, temp, c); err != nil {
		return explain(path, err)
	}
	if err := settle(temp, path); err != nil {
		return cannotCreate(path, err)
	}
	return nil
}

// build turns the empty file into a store without studies. It works with a rollback journal and switches to WAL at the end, so
// that closing it has nothing to copy from a WAL file.
func build(ctx context.Context, path string, c config) error {
	db, err := connect(path, "mode=rw", "_pragma=synchronous(FULL)", "_txlock=immediate")
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
		return err
	}
	if err := climb(ctx, db, c.steps); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "PRAGMA journal_mode = WAL"); err != nil {
		return err
	}
	return db.Close()
}

// settle gives the finished file its name, but does not replace a file that has appeared there in the meantime.
func settle(temp, path string) error {
	err := os.Link(temp, path)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		// Some file systems have no links. Then two processes that create the same file within the same
		// instant can collide; the one whose file was replaced will find it gone.
		if err := os.Rename(temp, path); err != nil {
			return err
		}
	}
	return syncFolder(filepath.Dir(path))
}

func cannotCreate(path string, err error) error {
	folder := filepath.Dir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.Wrap(err, fault.StoreDenied, "create it first", "%s: the folder %s does not exist", path, folder)
	case errors.Is(err, syscall.ENOTDIR):
		return fault.Wrap(err, fault.StoreDenied, "give another path", "%s: %s is not a folder", path, folder)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fault.Errorf("give a folder that you may write to", "%s: %w: no file can be created in %s (%w)", path, store.ErrReadOnly, folder, cause(err))
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return full(path)
	}
	return fmt.Errorf("%s: %w", path, cause(err))
}

// A file says in user_version how many of these steps were applied to it. Steps are only ever added.
//
//go:embed migrations/*.sql
var migrations embed.FS

func embeddedSteps() (steps []string) {
	files, err := fs.Glob(migrations, "migrations/*.sql") // sorted by name
	if err != nil {
		panic(err)
	}
	for _, name := range files {
		text, err := migrations.ReadFile(name)
		if err != nil {
			panic(err)
		}
		steps = append(steps, string(text))
	}
	return steps
}

// migrate brings an older store up to date. It leaves a copy of the old file beside it: a wrong step must not destroy a study that
// took a month.
func (s *Store) migrate(ctx context.Context) error {
	version, err := versionOf(ctx, s.db, s.path, s.config)
	if err != nil || version == len(s.config.steps) {
		return err
	}
	if err := s.backup(ctx, fmt.Sprintf("%s.v%d.bak", s.path, version)); err != nil {
		return fmt.Errorf("copy before migrating from version %d: %w", version, err)
	}
	return climb(ctx, s.db, s.config.steps)
}

// backup writes a consistent copy, even while others write. The copy gets its name when it is complete.
func (s *Store) backup(ctx context.Context, to string) error {
	temp := besides(to)
	defer os.Remove(temp)
	if _, err := s.db.ExecContext(ctx, "VACUUM INTO ?", temp); err != nil {
		return err
	}
	if err := syncFile(temp); err != nil {
		return err
	}
	return os.Rename(temp, to)
}

// climb applies the missing steps to a file, all of them or none.
func climb(ctx context.Context, db *sql.DB, steps []string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	version, err := rawVersionOf(ctx, tx) // again, since another process may have migrated the file while we waited for the lock
	if err != nil {
		return err
	}
	for ; version < len(steps); version++ {
		if _, err := tx.ExecContext(ctx, steps[version]); err != nil {
			return fmt.Errorf("migration %d: %w", version+1, err)
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version)); err != nil {
		return err
	}
	return tx.Commit()
}

type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// versionOf returns an error if a newer eke has written the file.
func versionOf(ctx context.Context, q querier, path string, c config) (version int, err error) {
	version, err = rawVersionOf(ctx, q)
	if err == nil && version > len(c.steps) {
		err = store.Newer(path, int64(version), int64(len(c.steps)))
	}
	return version, err
}

func rawVersionOf(ctx context.Context, q querier) (version int, err error) {
	err = q.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	return version, err
}

// besides returns an unused, hidden name in the same folder.
func besides(path string) string {
	return filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%016x", filepath.Base(path), rand.Uint64()))
}

// syncFile must not be used on a store that is open in this process: closing any descriptor of a file
// drops the locks that SQLite holds on it.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// syncFolder makes sure that the names in a folder are on disk, where folders can be synced.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return nil // a folder that can be written to but not listed
	}
	defer f.Close()
	if err := f.Sync(); errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ENOSPC) {
		return err
	}
	return nil
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

// cause drops the operation and the path from an error of the system.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
