package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/eke-bo/eke/store"
)

// OpenReading opens a store that cannot be written to, such as one on a read-only disk or of another owner, to look at it. Every attempt
// to write fails with why. The file is left as it is, and nothing is made beside it:
//
//   - If nobody has it open, it is read without locks.
//   - If somebody has, it is read together with the log beside it, if SQLite can do that without writing.
//   - Otherwise, and if it is of an older version, a copy is read. It does not see what is written later.
func OpenReading(ctx context.Context, path string, why error) (*Store, error) {
	path, err := resolve(path)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return nil, why
	}
	c := config{steps: embeddedSteps(), checkUpTo: checkUpTo}
	how := "immutable=1"
	if inUse(path) {
		how = busyTimeout
	}
	if how == "immutable=1" || networkOf(filepath.Dir(path)) == "" {
		if s, err := openAsIs(ctx, path, c, how); err == nil || errors.Is(err, fs.ErrPermission) && !inUse(path) {
			return s.refusing(why), err
		}
	}
	return openCopy(ctx, path, c, why)
}

// openAsIs opens a file of the current version, without writing to it.
func openAsIs(ctx context.Context, path string, c config, how string) (*Store, error) {
	if err := patiently(ctx, func() error { return examine(ctx, path, c, how) }); err != nil {
		return nil, err
	}
	s := &Store{path: path, config: c}
	var err error
	if s.file, err = os.Stat(path); err != nil {
		return nil, err
	}
	if s.db, err = connect(path, "mode=ro", how); err != nil {
		return nil, explain(path, err)
	}
	version, err := versionOf(ctx, s.db, path, c)
	if err == nil && version != len(c.steps) {
		err = errOlder
	}
	if err != nil {
		s.db.Close()
		return nil, err
	}
	return s, nil
}

var errOlder = errors.New("the store has to be migrated first")

// openCopy opens a copy. Somebody may be writing to the file, so a copy that makes no sense is made again.
func openCopy(ctx context.Context, path string, c config, why error) (s *Store, err error) {
	for range 5 {
		var dir string
		if dir, err = os.MkdirTemp("", "eke-reading-"); err != nil {
			return nil, err
		}
		to := filepath.Join(dir, filepath.Base(path))
		if err = errors.Join(copyFile(to, path), copyFile(to+"-wal", path+"-wal")); err == nil {
			if s, err = open(ctx, to, c); err == nil {
				s.copied = dir
				return s.refusing(why), nil
			}
		}
		os.RemoveAll(dir)
		if !errors.Is(err, store.ErrDamaged) {
			break
		}
	}
	return nil, err
}

// refusing has every write fail.
func (s *Store) refusing(why error) *Store {
	if s != nil {
		s.readOnly = why
	}
	return s
}

// copyFile copies a file if it is there.
func copyFile(to, from string) error {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// HeadSize is how many bytes of a file IsStore looks at.
const HeadSize = 100

// IsStore reports whether a file that begins like this is a store, and not a database of another program. SQLite keeps the mark at byte
// 68 of its header.
func IsStore(head []byte) bool {
	return len(head) >= HeadSize && bytes.HasPrefix(head, []byte("SQLite format 3\x00")) && binary.BigEndian.Uint32(head[68:]) == applicationID
}

// OpenForeign opens a database of another program, to read it. Nothing is written to it. The other program may go on, and is waited for.
func OpenForeign(ctx context.Context, path string) (*sql.DB, error) {
	db, err := connect(path, "mode=ro", fmt.Sprintf("_pragma=busy_timeout(%d)", patience.Milliseconds()))
	if err != nil {
		return nil, err
	}
	if err := patiently(ctx, func() error { return db.PingContext(ctx) }); err != nil {
		_ = db.Close()
		return nil, explain(path, err)
	}
	return db, nil
}
